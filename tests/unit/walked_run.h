/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WALKED_RUN_H
#define HEDDLE_WALKED_RUN_H

/*
 * The definition that the causal model is compared with: every interleaving of
 * a trace's threads, each of which goes on as long as it reads what it read.
 * Each state is visited once.
 */

#include <string.h>

#include "explore/simulate.h"
#include "format/rng.h"

struct walk {
	const struct causal_trace *trace;
	struct simulation state;
	VEC(uint64_t) visited; /* hashes, a table; 0: free */
	size_t states;
	/* Each state; each event that is next in its thread and what would
	 * come of it. Either may be NULL. */
	void (*at_state)(struct walk *w, void *to);
	void (*at_event)(struct walk *w, uint32_t event,
			 enum simulate_result result, void *to);
	void *to;
};

static inline bool walk_is_new(struct walk *w)
{
	uint64_t h = 1;

	for (size_t i = 0; i < w->state.count; i++)
		h = rng_mix(h * 31 + w->state.words[i] + 1);
	h |= h == 0;
	for (size_t i = h;; i++) {
		uint64_t *place = &w->visited.at[i % w->visited.room];

		if (*place == h)
			return false;
		if (*place)
			continue;
		*place = h;
		assert_true(++w->states < w->visited.room / 2);
		return true;
	}
}

static inline void walk_on(struct walk *w);

/* What an event would do now, or what comes after it. */
static inline enum simulate_result walk_step(struct walk *w, uint32_t event,
					     uint32_t wakes, bool goes_on)
{
	size_t size = w->state.count * sizeof(uint64_t);
	uint64_t *saved = xmalloc(size);
	enum simulate_result result;

	memcpy(saved, w->state.words, size);
	result = simulation_step(&w->state,
				 (struct causal_step){ event, wakes });
	if (result == SIMULATE_DONE && goes_on)
		walk_on(w);
	memcpy(w->state.words, saved, size);
	free(saved);
	return result;
}

static inline void walk_on(struct walk *w)
{
	if (!walk_is_new(w))
		return;
	if (w->at_state)
		w->at_state(w, w->to);
	for (uint32_t i = 0; i < w->trace->events.count; i++) {
		const struct causal_event *e = &w->trace->events.at[i];
		enum simulate_result result;

		if (simulation_progress(&w->state, e->thread) != e->position)
			continue;
		result = walk_step(w, i, CAUSAL_NOBODY, true);
		if (w->at_event)
			w->at_event(w, i, result, w->to);
		if (e->kind != CAUSAL_SIGNAL)
			continue;
		for (uint32_t t = 0; t < w->trace->threads; t++)
			if (simulation_waits(&w->state, t, e->object))
				walk_step(w, i, t, true);
	}
}

static inline void walk_all(struct walk *w, const struct causal_trace *t)
{
	w->trace = t;
	vec_reserve(&w->visited, 1 << 18);
	memset(w->visited.at, 0, w->visited.room * sizeof(uint64_t));
	simulation_init(&w->state, t);
	walk_on(w);
	simulation_done(&w->state);
	vec_free(&w->visited);
}

#endif
