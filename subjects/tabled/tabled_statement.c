/* SPDX-License-Identifier: Apache-2.0 */
#include "tabled.h"

#include <stdio.h>
#include <string.h>

/*
 * Statements. Who uses tables holds the list for reading from beginning to
 * end; who changes which there are, for writing.
 */

struct statement {
	const char *line;
	char words[4][VALUE_MOST];
	int count;
	int key;
};

static void done(struct reply *r)
{
	reply_add(r, "OK\n");
}

static void no_table(struct reply *r, const char *name)
{
	reply_add(r, "ERROR no table %s\n", name);
}

/* ---- which tables there are ---- */

static void create(const struct statement *s, struct reply *r)
{
	const char *name = s->words[1];

	pthread_rwlock_wrlock(&list_lock);
	if (table_find(name)) {
		reply_add(r, "ERROR table %s is there\n", name);
	} else if (file_create_definition(name, r) &&
		   file_create_contents(name, r)) {
		table_add(name);
		log_append(s->line);
		done(r);
	}
	pthread_rwlock_unlock(&list_lock);
}

/*
 * The bug: the table is in the list as soon as it has a definition, and its
 * other files come later. Whoever inserts in between finds a table without
 * them, and says so, which is neither "no table" nor success.
 */
static void create_like(const struct statement *s, struct reply *r)
{
	const char *name = s->words[1], *like = s->words[3];
	bool is_new;

	pthread_rwlock_wrlock(&list_lock);
	is_new = !table_find(name) && table_find(like);
	if (table_find(name))
		reply_add(r, "ERROR table %s is there\n", name);
	else if (!is_new)
		no_table(r, like);
	else if (file_create_definition(name, r))
		table_add(name);
#ifdef TABLED_LIKE
	pthread_rwlock_unlock(&list_lock);
	if (is_new && file_create_contents(name, r)) {
		log_append(s->line);
		done(r);
	}
#else
	if (is_new && file_create_contents(name, r)) {
		log_append(s->line);
		done(r);
	}
	pthread_rwlock_unlock(&list_lock);
#endif
}

static void drop(const struct statement *s, struct reply *r)
{
	struct table *t;

	pthread_rwlock_wrlock(&list_lock);
	t = table_find(s->words[1]);
	if (!t) {
		no_table(r, s->words[1]);
	} else {
		query_cache_change(t);
		key_cache_forget(t->name);
		table_cache_forget(t->name);
		files_remove(t->name);
		table_remove(t);
		log_append(s->line);
		done(r);
	}
	pthread_rwlock_unlock(&list_lock);
}

static void show_one(const char *name, struct reply *r)
{
	struct table *t = table_find(name);
	int entry, rows;

	if (!t) {
		reply_add(r, "%s NULL\n", name);
		return;
	}
	entry = table_cache_open(name);
	pthread_mutex_lock(&t->append);
	rows = t->rows;
	pthread_mutex_unlock(&t->append);
	table_cache_close(entry);
	reply_add(r, "%s %d\n", name, rows);
}

static int names_of(char names[TABLES_MOST][NAME_MOST], const char *like)
{
	int count = 0;

	for (int i = 0; i < table_count; i++)
		if (strstr(tables[i]->name, like))
			memcpy(names[count++], tables[i]->name, NAME_MOST);
	/* The list has no order. */
	for (int i = 1; i < count; i++)
		for (int k = i; k > 0 && strcmp(names[k - 1], names[k]) > 0;
		     k--) {
			char swap[NAME_MOST];

			memcpy(swap, names[k], NAME_MOST);
			memcpy(names[k], names[k - 1], NAME_MOST);
			memcpy(names[k - 1], swap, NAME_MOST);
		}
	return count;
}

static void uses_lock(char names[TABLES_MOST][NAME_MOST], int count)
{
	for (int i = 0; i < count; i++)
		pthread_rwlock_wrlock(&table_find(names[i])->use);
}

static void uses_unlock(char names[TABLES_MOST][NAME_MOST], int count)
{
	for (int i = count - 1; i >= 0; i--)
		pthread_rwlock_unlock(&table_find(names[i])->use);
}

/*
 * The bug: the names are taken, and looked at one after the other when others
 * may have dropped them. One that is gone is told of all the same, as NULL.
 */
static void show(const struct statement *s, struct reply *r)
{
	char names[TABLES_MOST][NAME_MOST];
	const char *like = s->count > 1 ? s->words[1] : "";
	int count;

#ifdef TABLED_SHOW
	pthread_rwlock_rdlock(&list_lock);
	count = names_of(names, like);
	pthread_rwlock_unlock(&list_lock);
	for (int i = 0; i < count; i++) {
		pthread_rwlock_rdlock(&list_lock);
		show_one(names[i], r);
		pthread_rwlock_unlock(&list_lock);
	}
	(void)uses_lock;
	(void)uses_unlock;
#else
	pthread_rwlock_rdlock(&list_lock);
	count = names_of(names, like);
	uses_lock(names, count);
	for (int i = 0; i < count; i++)
		show_one(names[i], r);
	uses_unlock(names, count);
	pthread_rwlock_unlock(&list_lock);
#endif
	done(r);
}

/* ---- one table ---- */

/* Holds the list and the table; NULL with a reply, and holds nothing. */
static struct table *open_table(const struct statement *s, bool alone,
				int *entry, struct reply *r)
{
	struct table *t;

	pthread_rwlock_rdlock(&list_lock);
	t = table_find(s->words[1]);
	if (!t) {
		no_table(r, s->words[1]);
		pthread_rwlock_unlock(&list_lock);
		return NULL;
	}
	*entry = table_cache_open(t->name);
	if (alone)
		pthread_rwlock_wrlock(&t->use);
	else
		pthread_rwlock_rdlock(&t->use);
	return t;
}

static void close_table(struct table *t, int entry)
{
	pthread_rwlock_unlock(&t->use);
	table_cache_close(entry);
	pthread_rwlock_unlock(&list_lock);
}

/* The same for those who change its contents. */
static struct table *open_to_write(const struct statement *s, bool alone,
				   int *entry, struct reply *r)
{
	struct table *t = open_table(s, alone, entry, r);

	if (t)
		query_cache_writer(t, true);
	return t;
}

static void close_written(struct table *t, int entry)
{
	pthread_rwlock_unlock(&t->use);
	query_cache_writer(t, false);
	table_cache_close(entry);
	pthread_rwlock_unlock(&list_lock);
}

static void insert(const struct statement *s, struct reply *r)
{
	int entry;
	struct table *t = open_to_write(s, false, &entry, r);

	if (!t)
		return;
	pthread_mutex_lock(&t->append);
	if (index_find(t, s->key) >= 0) {
		reply_add(r, "ERROR key %d is there\n", s->key);
	} else if (row_append(t, s->key, s->words[3], r)) {
		log_append(s->line);
		query_cache_change(t);
		done(r);
	}
	pthread_mutex_unlock(&t->append);
	close_written(t, entry);
}

static void rows_insert(struct table *t, const struct rows *rows,
			const struct statement *s, struct reply *r)
{
	for (int i = 0; i < rows->count; i++) {
		if (index_find(t, rows->all[i].key) >= 0)
			continue;
		if (!row_append(t, rows->all[i].key, rows->all[i].value, r))
			return;
	}
	log_append(s->line);
	query_cache_change(t);
	done(r);
}

/* Two tables are taken in the order of their names. */
static void insert_select(const struct statement *s, struct reply *r)
{
	struct table *to, *from, *pair[2];
	int entries[2];
	struct rows rows;

	pthread_rwlock_rdlock(&list_lock);
	to = table_find(s->words[1]);
	from = table_find(s->words[3]);
	if (!to || !from || to == from) {
		no_table(r, to && to != from ? s->words[3] : s->words[1]);
		pthread_rwlock_unlock(&list_lock);
		return;
	}
	pair[0] = strcmp(to->name, from->name) < 0 ? to : from;
	pair[1] = pair[0] == to ? from : to;
	for (int i = 0; i < 2; i++) {
		entries[i] = table_cache_open(pair[i]->name);
		pthread_rwlock_rdlock(&pair[i]->use);
	}
	query_cache_writer(to, true);
	for (int i = 0; i < 2; i++)
		pthread_mutex_lock(&pair[i]->append);
	if (rows_read(from, from->end, &rows, r))
		rows_insert(to, &rows, s, r);
	for (int i = 1; i >= 0; i--)
		pthread_mutex_unlock(&pair[i]->append);
	query_cache_writer(to, false);
	for (int i = 1; i >= 0; i--) {
		pthread_rwlock_unlock(&pair[i]->use);
		table_cache_close(entries[i]);
	}
	pthread_rwlock_unlock(&list_lock);
}

/* Others may append meanwhile: what counts is the end of the file now. */
static void select_all(const struct statement *s, struct reply *r)
{
	unsigned version;
	struct rows rows;
	struct table *t;
	long end;
	int entry;

	if (query_cache_find(s->line, r))
		return;
	t = open_table(s, false, &entry, r);
	if (!t)
		return;
	pthread_mutex_lock(&t->append);
	end = t->end;
	version = query_cache_version(t);
	pthread_mutex_unlock(&t->append);
	if (rows_read(t, end, &rows, r)) {
		for (int i = 0; i < rows.count; i++)
			reply_add(r, "%d %s\n", rows.all[i].key,
				  rows.all[i].value);
		done(r);
	}
	pthread_rwlock_unlock(&t->use);
	query_cache_store(s->line, t, version, r);
	table_cache_close(entry);
	pthread_rwlock_unlock(&list_lock);
}

static void get(const struct statement *s, struct reply *r)
{
	int entry;
	struct table *t = open_table(s, false, &entry, r);
	struct row row;
	long at;

	if (!t)
		return;
	pthread_mutex_lock(&t->append);
	at = key_cache_find(t->name, s->key);
	if (at < 0)
		at = index_find(t, s->key);
	if (at >= 0 && row_at(t, at, &row)) {
		key_cache_store(t->name, s->key, at);
		reply_add(r, "%d %s\n", row.key, row.value);
		done(r);
	} else {
		reply_add(r, "ERROR no key %d\n", s->key);
	}
	pthread_mutex_unlock(&t->append);
	close_table(t, entry);
}

static void count(const struct statement *s, struct reply *r)
{
	int entry;
	struct table *t = open_table(s, false, &entry, r);

	if (!t)
		return;
	pthread_mutex_lock(&t->append);
	reply_add(r, "%d\n", t->rows);
	pthread_mutex_unlock(&t->append);
	done(r);
	close_table(t, entry);
}

static void delete (const struct statement *s, struct reply *r)
{
	int entry;
	struct table *t = open_to_write(s, true, &entry, r);
	struct row row;
	long at;

	if (!t)
		return;
	at = index_find(t, s->key);
	if (at < 0 || !row_at(t, at, &row)) {
		reply_add(r, "ERROR no key %d\n", s->key);
	} else if (row_delete(t, &row, r)) {
		key_cache_forget(t->name);
		log_append(s->line);
		query_cache_change(t);
		done(r);
	}
	close_written(t, entry);
}

static void truncate_table(const struct statement *s, struct reply *r)
{
	static const struct rows none;
	int entry;
	struct table *t = open_to_write(s, true, &entry, r);

	if (!t)
		return;
	if (rows_rewrite(t, &none, r)) {
		key_cache_forget(t->name);
		log_append(s->line);
		query_cache_change(t);
		done(r);
	}
	close_written(t, entry);
}

/* ---- maintenance ---- */

/* It changes no result, so where it stands in the log does not matter, and
 * nobody is kept waiting for it. */
static void optimize(const struct statement *s, struct reply *r)
{
	int entry;
	struct table *t = open_table(s, true, &entry, r);
	bool is_done = false;
	struct rows rows;

	if (!t)
		return;
	if (rows_read(t, t->end, &rows, r) && rows_rewrite(t, &rows, r)) {
		key_cache_forget(t->name);
		is_done = true;
	}
	close_table(t, entry);
	if (is_done) {
		log_append(s->line);
		done(r);
	}
}

static void flush(const struct statement *s, struct reply *r)
{
	table_cache_forget(NULL);
	key_cache_forget(NULL);
	log_append(s->line);
	done(r);
}

/* ---- serving ---- */

static bool is_number(const char *word, int *number)
{
	char rest;

	return sscanf(word, "%d%c", number, &rest) == 1;
}

/* word: first; like: third, NULL for any; words: how many. */
static const struct {
	const char *word, *like;
	int words;
	bool has_key;
	void (*serve)(const struct statement *s, struct reply *r);
} statements[] = {
	{ "CREATE", "LIKE", 4, false, create_like },
	{ "CREATE", NULL, 2, false, create },
	{ "DROP", NULL, 2, false, drop },
	{ "SHOW", NULL, 1, false, show },
	{ "SHOW", NULL, 2, false, show },
	{ "INSERT", "SELECT", 4, false, insert_select },
	{ "INSERT", NULL, 4, true, insert },
	{ "SELECT", NULL, 2, false, select_all },
	{ "GET", NULL, 3, true, get },
	{ "COUNT", NULL, 2, false, count },
	{ "DELETE", NULL, 3, true, delete },
	{ "TRUNCATE", NULL, 2, false, truncate_table },
	{ "OPTIMIZE", NULL, 2, false, optimize },
	{ "FLUSH", NULL, 1, false, flush },
};

void statement_serve(const char *line, struct reply *r)
{
	struct statement s = { .line = line };

	s.count = sscanf(line, "%31s %31s %31s %63s", s.words[0], s.words[1],
			 s.words[2], s.words[3]);
	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++) {
		if (strcmp(statements[i].word, s.words[0]) != 0 ||
		    statements[i].words != s.count ||
		    (statements[i].like &&
		     strcmp(statements[i].like, s.words[2]) != 0) ||
		    (statements[i].has_key && !is_number(s.words[2], &s.key)))
			continue;
		statements[i].serve(&s, r);
		return;
	}
	reply_add(r, "ERROR not understood\n");
}
