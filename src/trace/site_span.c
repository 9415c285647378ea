/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_span.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"

void spans_add(struct spans *s, struct span span)
{
	if (span.low < span.high)
		vec_push(s, span);
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Outer before inner, so that a search backwards meets the inner one first. */
static int span_compare(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;
	int by = order(a->low, b->low);

	if (by == 0)
		by = order(b->high, a->high);
	if (by == 0)
		by = order(a->rank, b->rank);
	return by ? by : order(b->item, a->item);
}

void spans_sort(struct spans *s)
{
	uint64_t reach = 0;

	if (s->count)
		qsort(s->at, s->count, sizeof(*s->at), span_compare);
	for (size_t i = 0; i < s->count; i++) {
		if (s->at[i].high > reach)
			reach = s->at[i].high;
		s->at[i].reach = reach;
	}
}

/* How many begin at addr or before. */
static size_t spans_before(const struct spans *s, uint64_t addr)
{
	return bisect(i, 0, s->count, s->at[i].low <= addr);
}

const struct span *spans_find(const struct spans *s, uint64_t addr)
{
	for (size_t i = spans_before(s, addr); i-- > 0;) {
		if (s->at[i].high > addr)
			return &s->at[i];
		if (s->at[i].reach <= addr)
			break;
	}
	return NULL;
}

void spans_done(struct spans *s)
{
	vec_free(s);
}
