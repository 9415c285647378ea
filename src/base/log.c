/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *rules = "warn";
static enum log_level floor_level = LOG_NONE;

static const char *const level_names[] = {
	[LOG_NONE] = "none", [LOG_ERROR] = "error", [LOG_WARN] = "warn",
	[LOG_INFO] = "info", [LOG_DEBUG] = "debug",
};

enum { LEVELS = sizeof(level_names) / sizeof(*level_names) };

static bool is_word(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && memcmp(text, word, n) == 0;
}

/* The level named by n letters; -1: none. */
static int find_level(const char *text, size_t n)
{
	for (int i = 0; i < LEVELS; i++)
		if (is_word(text, n, level_names[i]))
			return i;
	return -1;
}

/* "/x/src/trial/watch.c" -> "trial" */
static const char *room_of(const char *file, size_t *n)
{
	const char *end = strrchr(file, '/');
	const char *start = end;

	while (start && start > file && start[-1] != '/')
		start--;
	*n = start ? (size_t)(end - start) : 0;
	return start ? start : "";
}

/* One rule is "level" or "room:level"; calls back with its parts. Returns -1
 * for something else. */
static int read_rule(const char *rule, size_t n, const char **room,
		     size_t *room_size, int *level)
{
	const char *colon = memchr(rule, ':', n);

	*room = colon ? rule : NULL;
	*room_size = colon ? (size_t)(colon - rule) : 0;
	if (colon)
		n -= *room_size + 1;
	*level = find_level(colon ? colon + 1 : rule, n);
	return *level < 0 ? -1 : 0;
}

int log_setup(const char *text, struct err *err)
{
	const char *room;
	size_t room_size;
	int level;

	if (!text || !*text)
		return 0;
	for (const char *p = text;; p++) {
		size_t n = strcspn(p, ",");

		if (read_rule(p, n, &room, &room_size, &level) < 0)
			return err_set(err,
				       "HEDDLE_LOG: '%.*s' is neither a "
				       "level (none, error, warn, info, debug) "
				       "nor room:level",
				       (int)n, p);
		p += n;
		if (!*p)
			break;
	}
	rules = text;
	return 0;
}

void log_more(void)
{
	floor_level = LOG_INFO;
}

bool log_is_on(enum log_level level, const char *file)
{
	size_t n, room_size;
	const char *room = room_of(file, &n), *named;
	int found, general = LOG_WARN, own = -1;

	for (const char *p = rules;; p++) {
		size_t m = strcspn(p, ",");

		if (read_rule(p, m, &named, &room_size, &found) == 0) {
			if (!named)
				general = found;
			else if (room_size == n && !memcmp(named, room, n))
				own = found;
		}
		p += m;
		if (!*p)
			break;
	}
	if (own < 0)
		own = general > (int)floor_level ? general : (int)floor_level;
	return (int)level <= own;
}

void log_write(enum log_level level, const char *file, const char *fmt, ...)
{
	char text[1200];
	size_t n;
	const char *room = room_of(file, &n);
	va_list ap;

	if (!log_is_on(level, file))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (level <= LOG_WARN)
		fprintf(stderr, "heddle: %s%s\n",
			level == LOG_WARN ? "warning: " : "", text);
	else
		fprintf(stderr, "heddle: %.*s: %s\n", (int)n, room, text);
}
