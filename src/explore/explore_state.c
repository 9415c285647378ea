/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/explore_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "heddle explore state 1\n";

void explore_state_add(struct explore_state *s, const struct thread_order *o)
{
	struct thread_order copy = { 0 };

	for (size_t i = 0; i < o->count; i++)
		vec_push(&copy, o->at[i]);
	vec_push(&s->orders, copy);
}

void explore_state_done(struct explore_state *s)
{
	for (size_t i = 0; i < s->orders.count; i++)
		vec_free(&s->orders.at[i]);
	vec_free(&s->orders);
}

/* ---- reading ---- */

/* THREAD, xCOUNT behind it for several in a row, >THREAD for whom a signal
 * wakes. */
static const char *word_read(const char *at, struct thread_order *o)
{
	struct traced_order entry = { .pick = NO_THREAD };
	uint64_t count = 1;
	char *end;

	entry.thread = (uint32_t)strtoul(at, &end, 10);
	if (end == at || entry.thread >= CONTROL_THREADS)
		return NULL;
	if (*end == '>')
		entry.pick = (uint32_t)strtoul(end + 1, &end, 10);
	if (*end == 'x')
		count = strtoull(end + 1, &end, 10);
	if (count > TRACED_MOST || o->count + count > TRACED_MOST)
		return NULL;
	while (count--)
		vec_push(o, entry);
	return *end == ' ' ? end + 1 : *end == '\n' || !*end ? end : NULL;
}

static int order_read(struct explore_state *s, const char *line)
{
	struct thread_order o = { 0 };

	while (line && *line && *line != '\n')
		line = word_read(line, &o);
	if (!line) {
		vec_free(&o);
		return -1;
	}
	vec_push(&s->orders, o);
	return 0;
}

int explore_state_read(struct explore_state *s, const char *path,
		       struct err *err)
{
	FILE *in = fopen(path, "re");
	size_t room = 0, number = 1;
	char *line = NULL;
	int rc = 0;

	if (!in && errno == ENOENT)
		return 0;
	if (!in)
		return err_set(err, "cannot read %s: %s", path,
			       strerror(errno));
	if (getline(&line, &room, in) < 0 || strcmp(line, first_line) != 0)
		rc = err_set(err, "%s is no state of an exploration; remove it",
			     path);
	while (rc == 0 && getline(&line, &room, in) >= 0) {
		number++;
		if (order_read(s, line) < 0)
			rc = err_set(err, "%s: line %zu is damaged; remove it",
				     path, number);
	}
	free(line);
	fclose(in);
	return rc;
}

/* ---- writing ---- */

static void order_write(const struct thread_order *o, FILE *out)
{
	for (size_t i = 0, n; i < o->count; i += n) {
		const struct traced_order *e = &o->at[i];

		for (n = 1;
		     i + n < o->count && o->at[i + n].thread == e->thread &&
		     o->at[i + n].pick == e->pick;
		     n++)
			;
		fprintf(out, "%s%" PRIu32, i ? " " : "", e->thread);
		if (e->pick != NO_THREAD)
			fprintf(out, ">%" PRIu32, e->pick);
		if (n > 1)
			fprintf(out, "x%zu", n);
	}
	putc('\n', out);
}

int explore_state_write(const struct explore_state *s, const char *path,
			struct err *err)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	fputs(first_line, out);
	for (size_t i = 0; i < s->orders.count; i++)
		order_write(&s->orders.at[i], out);
	if (fclose(out) == EOF)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	return 0;
}
