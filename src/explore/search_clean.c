/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Throws clauses away. The array is written anew with those that are kept,
 * without the literals that are false for good, and all are watched anew. At
 * level 0 nobody asks for reasons, so none can dangle.
 */
#include "explore/search.h"

#include <string.h>

enum { GLUE_KEPT = 3 };

static int compare_glue(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return x[1] > y[1] ? -1 : x[1] < y[1];
}

/* Marks the half of the learnt clauses that span the most levels, the older
 * ones first. */
static void mark_worse_half(struct search *s)
{
	size_t count = s->learnt.count;
	uint32_t(*pairs)[2] = xmalloc((count + 1) * sizeof(*pairs));

	for (size_t i = 0; i < count; i++) {
		pairs[i][0] = s->words.at[s->learnt.at[i] + 1];
		pairs[i][1] = s->learnt.at[i];
	}
	qsort(pairs, count, sizeof(*pairs), compare_glue);
	for (size_t i = count / 2; i < count; i++)
		if (pairs[i][0] > GLUE_KEPT)
			s->words.at[pairs[i][1]] |= CLAUSE_DEAD;
	free(pairs);
	s->learnt_most += s->learnt_most / 20;
}

/* Drops literals that are false for good; true: the clause is fulfilled. */
static bool shorten(const struct search *s, literal *l, uint32_t *count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *count; i++) {
		if (s->value.at[l[i]] == VALUE_TRUE)
			return true;
		if (s->value.at[l[i]] == VALUE_OPEN)
			l[kept++] = l[i];
	}
	*count = kept;
	return false;
}

void search_clean(struct search *s, bool halve)
{
	uint32_t *old;
	size_t words = s->words.count;

	CHECK(!s->levels.count);
	if (!search_propagate(s)) {
		s->broken = true;
		return;
	}
	if (halve)
		mark_worse_half(s);
	old = s->words.at;
	memset(&s->words, 0, sizeof(s->words));
	s->learnt.count = 0;
	for (size_t i = 0; i < s->watches.count; i++)
		s->watches.at[i].count = 0;
	for (size_t i = 0; i < words;) {
		uint32_t count = old[i] >> CLAUSE_SHIFT;
		literal *l = &old[i + CLAUSE_WORDS];
		uint32_t flags = old[i] & ((1 << CLAUSE_SHIFT) - 1);
		uint32_t glue = old[i + 1];

		i += CLAUSE_WORDS + count;
		if (!(flags & CLAUSE_DEAD) && !shorten(s, l, &count))
			search_attach(s, l, count, flags, glue);
	}
	free(old);
	for (size_t i = 0; i < s->trail.count; i++)
		s->variables.at[s->trail.at[i] >> 1].reason = REASON_NONE;
	s->words_cleaned = s->words.count;
}
