/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/tighten.h"

#include <stdlib.h>

static uint64_t span_of(const struct positions *at, const struct suspect *s)
{
	return position_span(at, &s->pairs[0], &s->pairs[1]);
}

static int compare(const void *a, const void *b, void *of)
{
	const struct suspect *x = a, *y = b;
	uint64_t s = span_of(of, x), t = span_of(of, y);

	if (s != t)
		return s < t ? -1 : 1;
	return (x->pairs[1].first > y->pairs[1].first) -
	       (x->pairs[1].first < y->pairs[1].first);
}

static bool leads_back(const struct pair_line *p, const struct pair_line *q)
{
	return p->head.thread == q->tail.thread &&
	       p->tail.thread == q->head.thread && p->addr != q->addr;
}

void tighten(const struct suspect *s, const struct pair_run *failing,
	     const struct positions *at, struct suspects *nearer)
{
	uint64_t span = span_of(at, s);

	for (size_t i = 0; i < failing->pairs.count; i++)
		for (int k = 0; k < 2; k++) {
			struct suspect x = *s;

			x.pairs[0] = s->pairs[k];
			x.pairs[1] = failing->pairs.at[i];
			if (leads_back(&x.pairs[0], &x.pairs[1]) &&
			    span_of(at, &x) < span)
				vec_push(&nearer->all, x);
		}
	if (nearer->all.count)
		qsort_r(nearer->all.at, nearer->all.count,
			sizeof(*nearer->all.at), compare,
			(void *)(uintptr_t)at);
}
