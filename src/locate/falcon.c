/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "locate/suspect.h"

/*
 * Patterns: a pair, or a pair with what the tail's thread did right before the
 * head, if that makes three accesses which no serial order of the two threads
 * explains. With one failing run the Jaccard index of a pattern is 1 divided
 * by 1 and the number of passing runs that have it.
 */

struct pattern {
	struct pair_line line; /* `before` 0: two accesses */
	uint32_t passes;
	uint32_t seen_in; /* passing run + 1 that counted it last */
	bool in_failing;
};

struct patterns {
	VEC(struct pattern) all;
	struct keymap map;
};

static bool is_unserializable(const struct pair_line *p)
{
	bool a = pair_is_write(p->before_kind), b = pair_is_write(p->head.kind),
	     c = pair_is_write(p->tail.kind);

	/* R W R, W W R, W R W, R W W, W W W */
	return b || (a && c);
}

static struct pattern *pattern_at(struct patterns *ps,
				  const struct pair_line *line, uint32_t before)
{
	uint64_t a = (uint64_t)line->head.place << 34 |
		     (uint64_t)line->tail.place << 4 | line->head.kind << 2 |
		     line->tail.kind;
	uint64_t b = (uint64_t)before << 2 | (before ? line->before_kind : 0);
	uint32_t *n = keymap_at(&ps->map, a, b);

	if (!*n) {
		struct pattern p = { .line = *line };

		p.line.before = before;
		vec_push(&ps->all, p);
		*n = (uint32_t)ps->all.count;
	}
	return &ps->all.at[*n - 1];
}

static void count(struct pattern *p, uint32_t run)
{
	if (!run) {
		p->in_failing = true;
	} else if (p->seen_in != run) {
		p->seen_in = run;
		p->passes++;
	}
}

/* `run`: 0 is the failing one. */
static void feed(struct patterns *ps, const struct pair_run *r, uint32_t run)
{
	for (size_t i = 0; i < r->pairs.count; i++) {
		const struct pair_line *line = &r->pairs.at[i];

		count(pattern_at(ps, line, 0), run);
		if (line->before && is_unserializable(line))
			count(pattern_at(ps, line, line->before), run);
	}
}

static int compare(const void *a, const void *b)
{
	const struct suspect *p = a, *q = b;

	if (p->score != q->score)
		return p->score > q->score ? -1 : 1;
	if (p->pairs[0].first != q->pairs[0].first)
		return p->pairs[0].first < q->pairs[0].first ? -1 : 1;
	return (p->pairs[0].before > q->pairs[0].before) -
	       (p->pairs[0].before < q->pairs[0].before);
}

void procedure_falcon(const struct pair_run *failing,
		      const struct pair_run *const *passing, size_t runs,
		      struct suspects *found)
{
	struct patterns ps = { 0 };
	size_t from = found->all.count;

	feed(&ps, failing, 0);
	for (size_t i = 0; i < runs; i++)
		feed(&ps, passing[i], (uint32_t)i + 1);
	for (size_t i = 0; i < ps.all.count; i++) {
		const struct pattern *p = &ps.all.at[i];

		if (p->in_failing)
			vec_push(&found->all,
				 (struct suspect){
					 .procedure = PROCEDURE_FALCON,
					 .level = LEVEL_PC,
					 .count = 1,
					 .pairs = { p->line },
					 .score = 1.0 / (1.0 + p->passes) });
	}
	if (found->all.count > from)
		qsort(found->all.at + from, found->all.count - from,
		      sizeof(*found->all.at), compare);
	vec_free(&ps.all);
	keymap_done(&ps.map);
}
