/* SPDX-License-Identifier: Apache-2.0 */
#include "tabled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table cache ---- */

/*
 * Who uses a table has a descriptor of it, one that nobody else uses; it stays
 * for the next. Requests that use a table at the same time leave one each, and
 * requests that come one after the other share one. That is meant so.
 */
static struct {
	char table[NAME_MOST]; /* empty: free */
	bool is_used;
} descriptors[CACHED_MOST];
static pthread_mutex_t descriptor_lock = PTHREAD_MUTEX_INITIALIZER;

int table_cache_open(const char *name)
{
	int found = -1, empty = -1;

	pthread_mutex_lock(&descriptor_lock);
	for (int i = 0; i < CACHED_MOST && found < 0; i++) {
		if (!descriptors[i].table[0])
			empty = empty < 0 ? i : empty;
		else if (!descriptors[i].is_used &&
			 strcmp(descriptors[i].table, name) == 0)
			found = i;
	}
	if (found < 0) {
		if (empty < 0)
			abort();
		found = empty;
		snprintf(descriptors[found].table, NAME_MOST, "%s", name);
	}
	descriptors[found].is_used = true;
	pthread_mutex_unlock(&descriptor_lock);
	return found;
}

void table_cache_close(int entry)
{
	pthread_mutex_lock(&descriptor_lock);
	descriptors[entry].is_used = false;
	pthread_mutex_unlock(&descriptor_lock);
}

void table_cache_forget(const char *name)
{
	pthread_mutex_lock(&descriptor_lock);
	for (int i = 0; i < CACHED_MOST; i++)
		if (!descriptors[i].is_used &&
		    (!name || strcmp(descriptors[i].table, name) == 0))
			descriptors[i].table[0] = '\0';
	pthread_mutex_unlock(&descriptor_lock);
}

/* ---- the query cache ---- */

struct query {
	char query[LINE_MOST]; /* empty: free */
	char table[NAME_MOST];
	char *result;
};

static struct query queries[CACHED_MOST];
static pthread_mutex_t query_lock = PTHREAD_MUTEX_INITIALIZER;

static struct query *query_find(const char *query)
{
	for (int i = 0; i < CACHED_MOST; i++)
		if (strcmp(queries[i].query, query) == 0)
			return &queries[i];
	return NULL;
}

bool query_cache_find(const char *query, struct reply *r)
{
	const struct query *q;

	pthread_mutex_lock(&query_lock);
	q = query_find(query);
	if (q)
		reply_add(r, "%s", q->result);
	pthread_mutex_unlock(&query_lock);
	return q != NULL;
}

unsigned query_cache_version(const struct table *t)
{
	unsigned version;

	pthread_mutex_lock(&query_lock);
	version = t->version;
	pthread_mutex_unlock(&query_lock);
	return version;
}

void query_cache_writer(struct table *t, bool begins)
{
	pthread_mutex_lock(&query_lock);
	t->writers += begins ? 1 : -1U;
	pthread_mutex_unlock(&query_lock);
}

/*
 * A result of a table that has changed since it was read, or that somebody is
 * changing, is not kept. Whether it is out of date is not looked into: that
 * costs a query at worst.
 *
 * The bug: it is kept all the same. Who asks next gets what was true once.
 */
void query_cache_store(const char *query, const struct table *t,
		       unsigned version, const struct reply *result)
{
	struct query *q;
	bool is_old = false;

	pthread_mutex_lock(&query_lock);
#ifdef TABLED_QUERY
	(void)version;
#else
	is_old = t->version != version || t->writers;
#endif
	q = query_find(query);
	if (!q)
		q = query_find("");
	if (q && !is_old) {
		snprintf(q->query, sizeof(q->query), "%s", query);
		snprintf(q->table, sizeof(q->table), "%s", t->name);
		free(q->result);
		q->result = strdup(result->text);
	}
	pthread_mutex_unlock(&query_lock);
}

void query_cache_change(struct table *t)
{
	pthread_mutex_lock(&query_lock);
	t->version++;
	for (int i = 0; i < CACHED_MOST; i++)
		if (queries[i].query[0] &&
		    strcmp(queries[i].table, t->name) == 0)
			queries[i].query[0] = '\0';
	pthread_mutex_unlock(&query_lock);
}

/* ---- the key cache ---- */

static struct {
	char table[NAME_MOST]; /* empty: free */
	int key;
	long at;
} keys[CACHED_MOST];
static pthread_mutex_t key_lock = PTHREAD_MUTEX_INITIALIZER;

long key_cache_find(const char *table, int key)
{
	long at = -1;

	pthread_mutex_lock(&key_lock);
	for (int i = 0; i < CACHED_MOST && at < 0; i++)
		if (keys[i].key == key && strcmp(keys[i].table, table) == 0)
			at = keys[i].at;
	pthread_mutex_unlock(&key_lock);
	return at;
}

void key_cache_store(const char *table, int key, long at)
{
	int to = -1;

	pthread_mutex_lock(&key_lock);
	for (int i = CACHED_MOST - 1; i >= 0; i--)
		if (!keys[i].table[0] ||
		    (keys[i].key == key && strcmp(keys[i].table, table) == 0))
			to = i;
	if (to >= 0) {
		snprintf(keys[to].table, NAME_MOST, "%s", table);
		keys[to].key = key;
		keys[to].at = at;
	}
	pthread_mutex_unlock(&key_lock);
}

void key_cache_forget(const char *table)
{
	pthread_mutex_lock(&key_lock);
	for (int i = 0; i < CACHED_MOST; i++)
		if (!table || strcmp(keys[i].table, table) == 0)
			keys[i].table[0] = '\0';
	pthread_mutex_unlock(&key_lock);
}

/* ---- what heddle is told ---- */

/* Nobody else runs meanwhile, so nothing is locked. */
void state_tell(void *arg)
{
	(void)arg;
	for (int i = 0; i < table_count; i++) {
		char row[LINE_MOST];
		int n = snprintf(row, sizeof(row), "%s %d", tables[i]->name,
				 tables[i]->rows);

		heddle_set_add("tables", row, (size_t)n);
	}
	for (int i = 0; i < CACHED_MOST; i++)
		if (descriptors[i].table[0])
			heddle_multiset_add("table-cache", descriptors[i].table,
					    strlen(descriptors[i].table));
	for (int i = 0; i < CACHED_MOST; i++)
		if (queries[i].query[0])
			heddle_map_put("query-cache", queries[i].query,
				       strlen(queries[i].query),
				       queries[i].result,
				       strlen(queries[i].result));
	for (int i = 0; i < CACHED_MOST; i++) {
		char entry[LINE_MOST];
		int n = snprintf(entry, sizeof(entry), "%s %d %ld",
				 keys[i].table, keys[i].key, keys[i].at);

		if (keys[i].table[0])
			heddle_set_add("key-cache", entry, (size_t)n);
	}
}
