/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TABLED_H
#define HEDDLE_TABLED_H

/*
 * tabled: a small table server, with the bugs that PIKE (Fonseca, Li,
 * Rodrigues, EuroSys 2011) found in a large one. The head of tabled.c has the
 * story; here is what its parts share.
 *
 * Locks, in the order in which they are taken: the list; a table's `use`; its
 * `append`; the caches and the log, each its own and alone.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "heddle.h"

/* Switches: TABLED_SHOW, TABLED_LIKE and TABLED_QUERY are the three bugs. As it
 * is all three are there, with FIXED none, and with any of them that one. */
#if !defined(FIXED) && !defined(TABLED_SHOW) && !defined(TABLED_LIKE) &&       \
	!defined(TABLED_QUERY)
#define TABLED_SHOW
#define TABLED_LIKE
#define TABLED_QUERY
#endif

enum {
	NAME_MOST = 32,
	VALUE_MOST = 64,
	LINE_MOST = 256,
	REPLY_MOST = 8192,
	ROWS_MOST = 128,
	TABLES_MOST = 32,
	CACHED_MOST = 64,
};

/* ---- replies ---- */

struct reply {
	char text[REPLY_MOST];
	size_t used;
};

void reply_add(struct reply *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- tables (tabled_store.c) ---- */

struct table {
	char name[NAME_MOST];
	pthread_rwlock_t use; /* whoever only appends reads it too */
	pthread_mutex_t append;
	long end; /* of the data file: rows behind it are not there */
	int rows; /* that are not deleted */
	/* Guarded by the query cache: of the contents, and who changes them. */
	unsigned version, writers;
};

struct row {
	int key;
	char value[VALUE_MOST];
	long at; /* in the data file */
};

struct rows {
	struct row all[ROWS_MOST];
	int count;
};

/* Guards which tables there are. */
extern pthread_rwlock_t list_lock;
extern struct table *tables[TABLES_MOST];
extern int table_count;

struct table *table_find(const char *name);
struct table *table_add(const char *name);
void table_remove(struct table *t);

/* The files of a table: definition, index, data. False: with a reply. */
bool file_create_definition(const char *name, struct reply *r);
bool file_create_contents(const char *name, struct reply *r);
void files_remove(const char *name);

/* Rows of the data file up to `end`. */
bool rows_read(const struct table *t, long end, struct rows *rows,
	       struct reply *r);
bool row_append(struct table *t, int key, const char *value, struct reply *r);
bool row_delete(struct table *t, const struct row *row, struct reply *r);
/* Writes both files anew, with these rows. */
bool rows_rewrite(struct table *t, const struct rows *rows, struct reply *r);
/* Where the index says that a key is; -1: nowhere. */
long index_find(const struct table *t, int key);
bool row_at(const struct table *t, long at, struct row *row);

void log_append(const char *statement);

/* ---- caches (tabled_cache.c) ---- */

/* Descriptors of open tables: one for each user at a time. */
int table_cache_open(const char *name);
void table_cache_close(int entry);
void table_cache_forget(const char *name); /* NULL: all that nobody uses */

bool query_cache_find(const char *query, struct reply *r);
/* `version` is that of the table when the result was read. */
void query_cache_store(const char *query, const struct table *t,
		       unsigned version, const struct reply *result);
unsigned query_cache_version(const struct table *t);
/* Somebody begins, or is done with, changing the table. */
void query_cache_writer(struct table *t, bool begins);
/* The table has changed. */
void query_cache_change(struct table *t);

long key_cache_find(const char *table, int key);
void key_cache_store(const char *table, int key, long at);
void key_cache_forget(const char *table); /* NULL: all */

/* Tells heddle what the caches hold, and which tables there are. */
void state_tell(void *arg);

/* ---- statements (tabled_statement.c) ---- */

void statement_serve(const char *line, struct reply *r);

#endif
