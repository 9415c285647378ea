/* SPDX-License-Identifier: Apache-2.0 */
#include "report/told_steps.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/xalloc.h"
#include "report/last_signal.h"

enum {
	AROUND_CAUSE = 100,
	AROUND_SIGNAL = 20,
	AROUND_SWITCH = 8,
	AROUND_END = 20, /* of a thread */
	FIRST = 200,
	LAST = 1000,
};

struct choice {
	const struct witness *w;
	bool *is_told;
	uint32_t count, left; /* of steps; that may still be told */
};

static void tell(struct choice *c, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to && i < c->count && c->left; i++) {
		c->left -= !c->is_told[i];
		c->is_told[i] = true;
	}
}

static void tell_around(struct choice *c, uint32_t step, uint32_t around)
{
	if (step == WITNESS_NONE)
		return;
	/* If there is no room for all, for itself there is. */
	tell(c, step, step + 1);
	tell(c, step > around ? step - around : 0, step + around + 1);
}

static void tell_cause(struct choice *c, const struct culprit *cause)
{
	if (cause->kind == CULPRIT_NONE)
		return;
	tell_around(c, cause->last, AROUND_CAUSE);
	tell_around(c, cause->between, AROUND_CAUSE);
	tell_around(c, cause->first, AROUND_CAUSE);
}

static void tell_ends(struct choice *c)
{
	bool *is_over = xcalloc(c->w->threads.count + 1, sizeof(*is_over));

	for (uint32_t i = c->count; i-- > 0;) {
		uint32_t thread = c->w->steps.at[i].thread;

		if (thread >= c->w->threads.count || is_over[thread])
			continue;
		is_over[thread] = true;
		tell_around(c, i, AROUND_END);
	}
	free(is_over);
}

static void choose(struct choice *c, const struct culprit *cause)
{
	const struct witness *w = c->w;

	tell_cause(c, cause);
	for (size_t i = 0; i < w->waits.count; i++)
		tell_around(c, last_signal(w, &w->waits.at[i]), AROUND_SIGNAL);
	tell(c, c->count > LAST ? c->count - LAST : 0, c->count);
	tell(c, 0, FIRST);
	tell_ends(c);
	for (size_t i = w->switches.count; i-- > 0 && c->left;)
		tell_around(c, w->switches.at[i].step, AROUND_SWITCH);
	for (uint32_t i = c->count; i-- > 0 && c->left;)
		tell(c, i, i + 1);
}

static void refer(struct told_steps *t, uint32_t location)
{
	if (location != WITNESS_NONE)
		t->locations[location] = 0;
}

/* Each block of the heap is a location: there may be as many as steps. */
static void locations_choose(struct told_steps *t, const struct witness *w)
{
	uint32_t number = 0;

	t->locations = xcalloc(w->locations.count + 1, sizeof(*t->locations));
	for (size_t i = 0; i < w->locations.count; i++)
		t->locations[i] = WITNESS_NONE;
	for (uint32_t i = 0; i < t->count; i++)
		refer(t, w->steps.at[t->at[i]].location);
	for (size_t i = 1; i < w->held.count; i++)
		refer(t, w->held.at[i].location);
	for (size_t i = 0; i < w->waits.count; i++) {
		const struct witness_wait *x = &w->waits.at[i];

		refer(t, x->location);
		for (size_t k = 0; k < x->holds.count; k++)
			refer(t, x->holds.at[k].location);
	}
	for (size_t i = 0; i < w->locations.count; i++)
		if (t->locations[i] != WITNESS_NONE)
			t->locations[i] = number++;
}

struct told_steps told_steps_choose(const struct witness *w,
				    const struct culprit *cause)
{
	uint32_t count = (uint32_t)w->steps.count;
	struct choice c = { .w = w,
			    .is_told = xcalloc(count + 1, sizeof(bool)),
			    .count = count,
			    .left = TOLD_STEPS_MOST };
	struct told_steps told = { .at = xcalloc(count + 1, sizeof(*told.at)) };

	if (count <= TOLD_STEPS_MOST)
		tell(&c, 0, count);
	else
		choose(&c, cause);
	for (uint32_t i = 0; i < count; i++)
		if (c.is_told[i])
			told.at[told.count++] = i;
	free(c.is_told);
	locations_choose(&told, w);
	return told;
}

void told_steps_done(struct told_steps *t)
{
	free(t->at);
	free(t->locations);
}

uint32_t told_steps_number(const struct told_steps *t, uint32_t step)
{
	uint32_t n = (uint32_t)bisect(i, 0, t->count, t->at[i] < step);

	return n < t->count && t->at[n] == step ? n : WITNESS_NONE;
}

uint32_t told_steps_location(const struct told_steps *t, uint32_t location)
{
	return location == WITNESS_NONE ? WITNESS_NONE : t->locations[location];
}

uint64_t told_steps_skipped(const struct told_steps *t, const struct witness *w,
			    uint32_t n)
{
	return n ? t->at[n] - t->at[n - 1] - 1 : w->left_out + t->at[0];
}
