/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/candidate.h"

enum {
	GATED = 24, /* candidates that are looked at: the best */
	HELD = 16,  /* locks of one thread at once */
};

/* Locks that a thread has, by where it got them, in their order. */
struct holding {
	size_t at[HELD];
	uint32_t count;
};

static bool is_taking(uint8_t kind)
{
	return hunt_operation(kind) == HUNT_LOCK && kind != EVENT_MUTEX_FAIL &&
	       kind != EVENT_RWLOCK_FAIL;
}

static void give_back(struct holding *h, const struct event *events,
		      uint64_t object)
{
	for (uint32_t i = h->count; i-- > 0;) {
		if (events[h->at[i]].addr != object)
			continue;
		h->count--;
		for (; i < h->count; i++)
			h->at[i] = h->at[i + 1];
		return;
	}
}

/* Where the thread of an event took the first of the locks that it has then; or
 * the event itself, if it has none. */
static size_t gate_of(const struct event *events, size_t at)
{
	struct holding h = { .count = 0 };

	for (size_t i = 0; i < at; i++) {
		const struct event *e = &events[i];

		if (e->thread != events[at].thread)
			continue;
		if (is_taking(e->kind) && h.count < HELD)
			h.at[h.count++] = i;
		else if (hunt_operation(e->kind) == HUNT_UNLOCK)
			give_back(&h, events, e->addr);
	}
	return h.count ? h.at[0] : at;
}

/* The first event is waited for, and nobody is held there. */
static bool gate_make(const struct event *events, struct candidate *c)
{
	for (uint32_t k = 1; k < c->count; k++) {
		size_t gate = gate_of(events, c->at[k]);

		if (gate != c->at[k])
			c->gates |= 1U << k;
		c->at[k] = gate;
	}
	/* Two events behind one gate cannot be told apart by it. */
	for (uint32_t k = 1; k < c->count; k++)
		for (uint32_t i = 0; i < k; i++)
			if (c->at[i] == c->at[k])
				return false;
	return c->gates;
}

void candidates_add_gates(const struct event *events, size_t count,
			  struct candidates *out)
{
	struct candidates all = { 0 };

	for (size_t i = 0; i < out->all.count; i++) {
		struct candidate c = out->all.at[i];

		if (i < GATED && c.at[c.count - 1] < count &&
		    gate_make(events, &c))
			vec_push(&all.all, c);
		vec_push(&all.all, out->all.at[i]);
	}
	vec_free(&out->all);
	*out = all;
}
