/* SPDX-License-Identifier: Apache-2.0 */
#include "tabled.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Tables on files. NAME.def is the definition, NAME.dat has a line for each
 * row ("+" or, when it is deleted, "-"; the key; the value), NAME.idx one for
 * each key and where its row begins. The log has a line for each statement
 * that changed something, in their order.
 */

pthread_rwlock_t list_lock = PTHREAD_RWLOCK_INITIALIZER;
struct table *tables[TABLES_MOST];
int table_count;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the list ---- */

struct table *table_find(const char *name)
{
	for (int i = 0; i < table_count; i++)
		if (strcmp(tables[i]->name, name) == 0)
			return tables[i];
	return NULL;
}

struct table *table_add(const char *name)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t || table_count == TABLES_MOST)
		abort();
	snprintf(t->name, sizeof(t->name), "%s", name);
	pthread_rwlock_init(&t->use, NULL);
	pthread_mutex_init(&t->append, NULL);
	tables[table_count++] = t;
	return t;
}

void table_remove(struct table *t)
{
	int i = 0;

	while (tables[i] != t)
		i++;
	tables[i] = tables[--table_count];
	pthread_rwlock_destroy(&t->use);
	pthread_mutex_destroy(&t->append);
	free(t);
}

/* ---- files ---- */

static void path_of(char *to, size_t size, const char *name, const char *end)
{
	snprintf(to, size, "%s.%s", name, end);
}

static int file_open(const char *name, const char *end, int flags)
{
	char path[NAME_MOST + 8];

	path_of(path, sizeof(path), name, end);
	return open(path, flags | O_CLOEXEC, 0644);
}

static bool failed(struct reply *r, const char *what, const char *name,
		   const char *end)
{
	reply_add(r, "ERROR cannot %s %s.%s\n", what, name, end);
	return false;
}

static bool file_make(const char *name, const char *end, const char *text,
		      struct reply *r)
{
	int fd = file_open(name, end, O_WRONLY | O_CREAT | O_TRUNC);
	size_t size = strlen(text);

	if (fd < 0)
		return failed(r, "create", name, end);
	if (size && write(fd, text, size) != (ssize_t)size) {
		close(fd);
		return failed(r, "write", name, end);
	}
	close(fd);
	return true;
}

bool file_create_definition(const char *name, struct reply *r)
{
	return file_make(name, "def", "key number, value text\n", r);
}

bool file_create_contents(const char *name, struct reply *r)
{
	return file_make(name, "idx", "", r) && file_make(name, "dat", "", r);
}

void files_remove(const char *name)
{
	static const char *const ends[] = { "def", "idx", "dat" };
	char path[NAME_MOST + 8];

	for (size_t i = 0; i < 3; i++) {
		path_of(path, sizeof(path), name, ends[i]);
		unlink(path);
	}
}

/* ---- rows ---- */

static void rows_parse(char *text, struct rows *rows)
{
	char *line = text;

	rows->count = 0;
	while (*line && rows->count < ROWS_MOST) {
		char *newline = strchr(line, '\n');
		struct row *row = &rows->all[rows->count];

		if (!newline)
			break;
		*newline = '\0';
		row->at = line - text;
		if (*line == '+' &&
		    sscanf(line + 1, "%d %63s", &row->key, row->value) == 2)
			rows->count++;
		line = newline + 1;
	}
}

bool rows_read(const struct table *t, long end, struct rows *rows,
	       struct reply *r)
{
	int fd = file_open(t->name, "dat", O_RDONLY);
	char *text;
	ssize_t n;

	if (fd < 0)
		return failed(r, "open", t->name, "dat");
	text = malloc((size_t)end + 1);
	if (!text)
		abort();
	n = pread(fd, text, (size_t)end, 0);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	rows_parse(text, rows);
	free(text);
	return true;
}

static bool line_append(const char *name, const char *end, const char *line,
			struct reply *r)
{
	int fd = file_open(name, end, O_WRONLY | O_APPEND);
	size_t size = strlen(line);
	bool done;

	if (fd < 0)
		return failed(r, "open", name, end);
	done = write(fd, line, size) == (ssize_t)size;
	close(fd);
	return done || failed(r, "write", name, end);
}

bool row_append(struct table *t, int key, const char *value, struct reply *r)
{
	char line[LINE_MOST], entry[LINE_MOST];

	snprintf(line, sizeof(line), "+%d %s\n", key, value);
	snprintf(entry, sizeof(entry), "%d %ld\n", key, t->end);
	if (!line_append(t->name, "dat", line, r) ||
	    !line_append(t->name, "idx", entry, r))
		return false;
	t->end += (long)strlen(line);
	t->rows++;
	return true;
}

bool rows_rewrite(struct table *t, const struct rows *rows, struct reply *r)
{
	if (!file_create_contents(t->name, r))
		return false;
	t->end = 0;
	t->rows = 0;
	for (int i = 0; i < rows->count; i++)
		if (!row_append(t, rows->all[i].key, rows->all[i].value, r))
			return false;
	return true;
}

/* Its line stays, with another sign; its key goes. */
bool row_delete(struct table *t, const struct row *row, struct reply *r)
{
	int fd = file_open(t->name, "dat", O_WRONLY);
	struct rows rows;

	if (fd < 0)
		return failed(r, "open", t->name, "dat");
	if (pwrite(fd, "-", 1, row->at) != 1) {
		close(fd);
		return failed(r, "write", t->name, "dat");
	}
	close(fd);
	t->rows--;
	if (!rows_read(t, t->end, &rows, r) ||
	    !file_make(t->name, "idx", "", r))
		return false;
	for (int i = 0; i < rows.count; i++) {
		char entry[LINE_MOST];

		snprintf(entry, sizeof(entry), "%d %ld\n", rows.all[i].key,
			 rows.all[i].at);
		if (!line_append(t->name, "idx", entry, r))
			return false;
	}
	return true;
}

long index_find(const struct table *t, int key)
{
	int fd = file_open(t->name, "idx", O_RDONLY), found;
	char text[REPLY_MOST], *line = text;
	long at;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%d %ld", &found, &at) == 2 && found == key)
			return at;
	}
	return -1;
}

bool row_at(const struct table *t, long at, struct row *row)
{
	int fd = file_open(t->name, "dat", O_RDONLY);
	char line[LINE_MOST];
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, line, sizeof(line) - 1, at);
	close(fd);
	if (n <= 0)
		return false;
	line[n] = '\0';
	row->at = at;
	return *line == '+' &&
	       sscanf(line + 1, "%d %63s", &row->key, row->value) == 2;
}

/* ---- the log ---- */

void log_append(const char *statement)
{
	char line[LINE_MOST + 1];
	size_t size = strlen(statement);
	int fd;

	memcpy(line, statement, size);
	line[size++] = '\n';
	pthread_mutex_lock(&log_lock);
	fd = open("binlog", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, line, size) != (ssize_t)size)
		abort();
	close(fd);
	pthread_mutex_unlock(&log_lock);
}
