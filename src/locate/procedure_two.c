/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "format/rng.h"
#include "locate/suspect.h"

/*
 * Pairs that always come together are those with the same row of runs: one
 * look-up by row instead of a comparison of all with all. Of each such class
 * only the members matter that the failing run has, and of those only whether
 * one is on other memory: the first, and the first that is elsewhere.
 */
struct class
{
	uint32_t sample;       /* a pair with this row */
	uint32_t first, other; /* in the failing run; UINT32_MAX: none */
	uint32_t next;	       /* class with the same hash; 0: none */
};

struct classes {
	VEC(struct class) all; /* numbers from 1 */
	struct keymap map;     /* hash of a row */
};

static uint64_t row_hash(const struct spectrum *s, uint32_t pair)
{
	const uint64_t *row = spectrum_row(s, pair);
	uint64_t h = 0;

	for (size_t i = 0; i < s->words; i++)
		h = rng_mix(h ^ row[i]) + i;
	return h;
}

static bool is_same_row(const struct spectrum *s, uint32_t a, uint32_t b)
{
	return memcmp(spectrum_row(s, a), spectrum_row(s, b),
		      s->words * sizeof(uint64_t)) == 0;
}

static struct class *class_of(struct classes *c, const struct spectrum *s,
			      uint32_t pair)
{
	uint32_t *first = keymap_at(&c->map, row_hash(s, pair), 0);

	for (uint32_t k = *first; k; k = c->all.at[k - 1].next)
		if (is_same_row(s, c->all.at[k - 1].sample, pair))
			return &c->all.at[k - 1];
	vec_push(&c->all, (struct class){ .sample = pair,
					  .first = UINT32_MAX,
					  .other = UINT32_MAX,
					  .next = *first });
	*first = (uint32_t)c->all.count;
	return &c->all.at[c->all.count - 1];
}

static bool is_elsewhere(const struct spectrum *s, uint32_t a, uint32_t b)
{
	return s->pairs.at[a].line.addr != s->pairs.at[b].line.addr;
}

static void class_join(struct class *c, const struct spectrum *s, uint32_t pair)
{
	if (!s->pairs.at[pair].in_failing)
		return;
	if (c->first == UINT32_MAX)
		c->first = pair;
	else if (c->other == UINT32_MAX && is_elsewhere(s, c->first, pair))
		c->other = pair;
}

/* A member of the class that the failing run has, on other memory. */
static uint32_t class_partner(const struct class *c, const struct spectrum *s,
			      uint32_t pair)
{
	if (c->first != UINT32_MAX && is_elsewhere(s, c->first, pair))
		return c->first;
	return c->other;
}

/* The order that is missing did come to happen: then nothing died before. */
static bool has_reverse(const struct spectrum *s, uint32_t pair)
{
	struct pair_line line = pair_reversed(&s->pairs.at[pair].line);
	uint32_t n = spectrum_find(s, &line);

	return n != UINT32_MAX && s->pairs.at[n].in_failing;
}

static bool is_in_all(const struct spectrum *s, const struct spectrum_pair *p)
{
	return p->passes == s->passing;
}

static void add(const struct spectrum *s, struct suspects *found, uint32_t pair,
		uint32_t partner)
{
	const struct pair_line *line = &s->pairs.at[pair].line;
	struct suspect x = { .procedure = PROCEDURE_II,
			     .level = s->level,
			     .count = 1,
			     .pairs = { pair_reversed(line) },
			     .is_missing = true };

	if (partner != UINT32_MAX) {
		x.partner = s->pairs.at[partner].line;
		x.has_partner = true;
	}
	vec_push(&found->all, x);
}

static int compare_first(const void *a, const void *b)
{
	const struct pair_line *p = &((const struct suspect *)a)->pairs[0];
	const struct pair_line *q = &((const struct suspect *)b)->pairs[0];

	if (p->first != q->first)
		return p->first < q->first ? -1 : 1;
	return (p->head.count > q->head.count) -
	       (p->head.count < q->head.count);
}

void procedure_two(const struct spectrum *s, struct suspects *found)
{
	struct classes classes = { 0 };
	size_t from = found->all.count;
	uint32_t count = (uint32_t)s->pairs.count;

	for (uint32_t i = 0; i < count; i++)
		if (s->pairs.at[i].passes && !is_in_all(s, &s->pairs.at[i]))
			class_join(class_of(&classes, s, i), s, i);
	for (uint32_t i = 0; i < count; i++) {
		const struct spectrum_pair *p = &s->pairs.at[i];
		uint32_t partner;

		if (!p->passes || p->in_failing || has_reverse(s, i))
			continue;
		if (is_in_all(s, p)) {
			add(s, found, i, UINT32_MAX);
			continue;
		}
		partner = class_partner(class_of(&classes, s, i), s, i);
		if (partner != UINT32_MAX)
			add(s, found, i, partner);
	}
	if (found->all.count > from)
		qsort(found->all.at + from, found->all.count - from,
		      sizeof(*found->all.at), compare_first);
	vec_free(&classes.all);
	keymap_done(&classes.map);
}
