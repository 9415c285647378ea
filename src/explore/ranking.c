/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/ranking.h"

#include <stdbool.h>

#include "base/err.h"

void ranking_done(struct ranking *r)
{
	vec_free(&r->heap);
}

static bool is_first(struct ranked a, struct ranked b)
{
	return a.rank != b.rank ? a.rank > b.rank : a.number < b.number;
}

void ranking_add(struct ranking *r, uint32_t number, uint32_t rank)
{
	struct ranked e = { rank, number };
	size_t at = r->heap.count;

	vec_push(&r->heap, e);
	while (at && is_first(e, r->heap.at[(at - 1) / 2])) {
		r->heap.at[at] = r->heap.at[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	r->heap.at[at] = e;
}

/* The first has another rank, or is another entry. */
static void sink(struct ranking *r, struct ranked e)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < r->heap.count) {
		if (child + 1 < r->heap.count &&
		    is_first(r->heap.at[child + 1], r->heap.at[child]))
			child++;
		if (!is_first(r->heap.at[child], e))
			break;
		r->heap.at[at] = r->heap.at[child];
		at = child;
	}
	r->heap.at[at] = e;
}

void ranking_lower(struct ranking *r, uint32_t rank)
{
	CHECK(r->heap.count && rank <= r->heap.at[0].rank);
	sink(r, (struct ranked){ rank, r->heap.at[0].number });
}

void ranking_drop(struct ranking *r)
{
	struct ranked last;

	CHECK(r->heap.count);
	last = r->heap.at[--r->heap.count];
	if (r->heap.count)
		sink(r, last);
}
