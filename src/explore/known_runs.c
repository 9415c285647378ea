/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/known_runs.h"

#include <string.h>

#include "format/rng.h"

uint64_t known_read(uint32_t thread, uint64_t history, uint64_t got)
{
	return rng_mix(history ^ rng_mix(got ^ (uint64_t)thread << 32));
}

static void link_add(struct known_runs *k, uint64_t read, uint32_t run)
{
	uint32_t *first = keymap_at(&k->first, read, 0);
	struct known_link l = { run, *first };

	vec_push(&k->links, l);
	*first = (uint32_t)k->links.count;
}

/* The first `count` lines of a history. */
static void history_copy(struct run_thread *to, const struct run_thread *from,
			 uint32_t count)
{
	vec_reserve(&to->history, count + 2);
	memcpy(to->history.at, from->history.at,
	       (count + 1) * sizeof(*to->history.at));
	to->history.count = count + 1;
	to->lines.count = count;
}

static uint32_t run_add(struct known_runs *k, uint32_t threads)
{
	struct known_run r = { .threads =
				       xcalloc(threads + 1, sizeof(*r.threads)),
			       .thread_count = threads };

	vec_push(&k->all, r);
	return (uint32_t)k->all.count - 1;
}

static void links_add(struct known_runs *k, const struct run_trace *t,
		      uint32_t thread, uint32_t count, uint32_t run)
{
	const struct run_thread *h = &t->threads[thread];

	for (uint32_t i = 0; i < count; i++) {
		uint64_t got = run_trace_read(t, h->lines.at[i], NULL);

		if (got)
			link_add(k, known_read(thread, h->history.at[i], got),
				 run);
	}
}

uint32_t known_runs_add(struct known_runs *k, const struct run_trace *t)
{
	uint32_t n = run_add(k, t->thread_count);

	for (uint32_t i = 0; i < t->thread_count; i++) {
		uint32_t count = (uint32_t)t->threads[i].lines.count;

		history_copy(&k->all.at[n].threads[i], &t->threads[i], count);
		links_add(k, t, i, count, n);
	}
	return n;
}

uint32_t known_runs_plan(struct known_runs *k, const struct run_trace *t,
			 const uint32_t *counts, uint32_t thread, uint64_t got)
{
	uint32_t n = run_add(k, t->thread_count);

	for (uint32_t i = 0; i < t->thread_count; i++) {
		history_copy(&k->all.at[n].threads[i], &t->threads[i],
			     counts[i]);
		links_add(k, t, i, counts[i], n);
	}
	link_add(k,
		 known_read(thread,
			    t->threads[thread].history.at[counts[thread]], got),
		 n);
	return n;
}

bool known_runs_shows(const struct known_runs *k, uint32_t run, uint64_t read)
{
	uint32_t first = keymap_find(&k->first, read, 0);

	return first && k->links.at[first - 1].run == run;
}

static void run_free(struct known_run *r)
{
	for (uint32_t i = 0; r->threads && i < r->thread_count; i++)
		vec_free(&r->threads[i].history);
	free(r->threads);
	r->threads = NULL;
}

void known_runs_forget(struct known_runs *k, uint32_t run)
{
	k->all.at[run].is_gone = true;
	run_free(&k->all.at[run]);
}

bool known_runs_has_class(struct known_runs *k, const struct run_trace *t)
{
	uint32_t *n = keymap_at(&k->classes, run_trace_class(t), 0);
	bool was = *n;

	*n = 1;
	return was;
}

void known_runs_done(struct known_runs *k)
{
	for (size_t i = 0; i < k->all.count; i++)
		run_free(&k->all.at[i]);
	vec_free(&k->all);
	vec_free(&k->links);
	keymap_done(&k->first);
	keymap_done(&k->classes);
}
