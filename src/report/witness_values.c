/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values for the steps of a witness, from another run of the same schedule that
 * told them (format/traced.h). That run tells only accesses of places known to
 * be shared, so of each thread its lines are some of the steps, in their order.
 */
#include "report/witness.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_value(const struct traced *e)
{
	return (e->kind <= EVENT_VPTR_WRITE || event_is_atomic(e->kind)) &&
	       e->size && e->size <= TRACED_BYTES &&
	       !(e->flags & TRACED_UNREAD);
}

static bool is_alike(const struct witness_step *s, const struct traced *e)
{
	return s->thread == e->thread && s->kind == e->kind &&
	       s->address == e->object && s->size == e->size;
}

static void step_set(struct witness_step *s, const struct traced *e)
{
	s->before = e->was;
	s->has_before = true;
	if (witness_writes(s) && !(e->flags & TRACED_OPEN)) {
		s->after = e->becomes;
		s->has_after = true;
	}
}

void witness_set_values(struct witness *w, const struct traced *lines,
			size_t count)
{
	size_t threads = w->threads.count;
	size_t *at = xcalloc(threads + 1, sizeof(*at));

	for (size_t i = 0; i < count; i++) {
		const struct traced *e = &lines[i];
		size_t k;

		if (!is_value(e) || e->thread >= threads)
			continue;
		for (k = at[e->thread]; k < w->steps.count; k++)
			if (is_alike(&w->steps.at[k], e))
				break;
		/* One that is not there must not use up those behind it. */
		if (k == w->steps.count)
			continue;
		step_set(&w->steps.at[k], e);
		at[e->thread] = k + 1;
	}
	free(at);
}

/* Most variables are signed numbers, and most of what is large is a pointer. */
char *witness_value(uint64_t value, uint64_t size)
{
	unsigned int unused = size && size < 8 ? 64 - 8 * (unsigned int)size :
						 0;
	int64_t number = (int64_t)(value << unused) >> unused;

	if (size == 8 && (number > INT32_MAX || number < INT32_MIN))
		return xasprintf("0x%" PRIx64, value);
	return xasprintf("%" PRId64, number);
}
