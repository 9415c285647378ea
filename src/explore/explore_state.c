/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/explore_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "heddle explore state 2\n";

void explore_state_add(struct explore_state *s, const struct thread_order *o,
		       uint64_t done)
{
	struct explored run = { .done = done };

	for (size_t i = 0; i < o->count; i++)
		vec_push(&run.order, o->at[i]);
	vec_push(&s->runs, run);
}

void explore_state_drop(struct explore_state *s)
{
	s->runs.count--;
	vec_free(&s->runs.at[s->runs.count].order);
}

void explore_state_reopen(struct explore_state *s)
{
	for (size_t i = 0; i < s->runs.count; i++)
		s->runs.at[i].done = 0;
}

void explore_state_done(struct explore_state *s)
{
	for (size_t i = 0; i < s->runs.count; i++)
		vec_free(&s->runs.at[i].order);
	vec_free(&s->runs);
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

/* =NUMBER before the order of a run that is done. */
static const char *done_read(const char *line, uint64_t *done)
{
	char *end;

	if (*line != '=')
		return line;
	*done = strtoull(line + 1, &end, 16);
	if (end == line + 1 || !*done)
		return NULL;
	return *end == ' ' ? end + 1 : end;
}

static int run_read(struct explore_state *s, const char *line)
{
	struct explored run = { 0 };

	line = done_read(line, &run.done);
	while (line && *line && *line != '\n')
		line = word_read(line, &run.order);
	if (!line) {
		vec_free(&run.order);
		return -1;
	}
	vec_push(&s->runs, run);
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
		if (run_read(s, line) < 0)
			rc = err_set(err, "%s: line %zu is damaged; remove it",
				     path, number);
	}
	free(line);
	fclose(in);
	return rc;
}

/* ---- writing ---- */

static void run_write(const struct explored *run, FILE *out)
{
	const struct thread_order *o = &run->order;

	if (run->done)
		fprintf(out, "=%" PRIx64 "%s", run->done, o->count ? " " : "");
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

int explore_state_write(const struct explore_state *s,
			const struct explore_state *rest, size_t from,
			const char *path, struct err *err)
{
	char *new = xasprintf("%s.new", path);
	FILE *out = fopen(new, "we");
	int rc = 0;

	if (!out) {
		rc = err_set(err, "cannot write %s: %s", new, strerror(errno));
		free(new);
		return rc;
	}
	fputs(first_line, out);
	for (size_t i = 0; i < s->runs.count; i++)
		run_write(&s->runs.at[i], out);
	for (size_t i = from; i < rest->runs.count; i++)
		run_write(&rest->runs.at[i], out);
	if (fclose(out) == EOF || rename(new, path) < 0)
		rc = err_set(err, "cannot write %s: %s", path, strerror(errno));
	free(new);
	return rc;
}
