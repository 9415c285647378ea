/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "locate/suspect.h"

void suspects_done(struct suspects *s)
{
	vec_free(&s->all);
}

/* By threads, then heads ascending and tails descending: whoever implies an
 * earlier one stands behind it. */
static int compare_spans(const void *a, const void *b)
{
	const struct pair_line *p = &((const struct suspect *)a)->pairs[0];
	const struct pair_line *q = &((const struct suspect *)b)->pairs[0];

	if (p->head.thread != q->head.thread)
		return p->head.thread < q->head.thread ? -1 : 1;
	if (p->tail.thread != q->tail.thread)
		return p->tail.thread < q->tail.thread ? -1 : 1;
	if (p->head.count != q->head.count)
		return p->head.count < q->head.count ? -1 : 1;
	return (p->tail.count < q->tail.count) -
	       (p->tail.count > q->tail.count);
}

static int compare_first(const void *a, const void *b)
{
	const struct pair_line *p = &((const struct suspect *)a)->pairs[0];
	const struct pair_line *q = &((const struct suspect *)b)->pairs[0];

	if (p->first != q->first)
		return p->first < q->first ? -1 : 1;
	return (p->tail.count > q->tail.count) -
	       (p->tail.count < q->tail.count);
}

/* Drops each that another is predictable by. The relation is a partial order
 * within two threads, so one sweep that knows the latest tail so far does what
 * comparing all with all would. */
static void drop_predictors(struct suspects *found, size_t from)
{
	struct suspect *all = found->all.at;
	size_t kept = from;
	const struct pair_line *widest = NULL;

	for (size_t i = from; i < found->all.count; i++) {
		struct pair_line line = all[i].pairs[0];

		if (widest && widest->head.thread == line.head.thread &&
		    widest->tail.thread == line.tail.thread &&
		    pair_is_predictable(widest, &line))
			continue;
		all[kept] = all[i];
		widest = &all[kept++].pairs[0];
	}
	found->all.count = kept;
}

void procedure_one(const struct spectrum *s, struct suspects *found)
{
	size_t from = found->all.count, n;

	for (size_t i = 0; i < s->failing.count; i++) {
		const struct spectrum_pair *p = &s->pairs.at[s->failing.at[i]];

		if (!p->passes)
			vec_push(&found->all,
				 (struct suspect){ .procedure = PROCEDURE_I,
						   .level = s->level,
						   .count = 1,
						   .pairs = { p->line } });
	}
	n = found->all.count - from;
	if (!n)
		return;
	qsort(found->all.at + from, n, sizeof(*found->all.at), compare_spans);
	drop_predictors(found, from);
	qsort(found->all.at + from, found->all.count - from,
	      sizeof(*found->all.at), compare_first);
}
