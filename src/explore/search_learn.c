/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a conflict teaches. Walks back over the trail and replaces each literal
 * of the conflict's level by its reason, until one is left; then drops the
 * literals that the others imply.
 */
#include "explore/search.h"

/* The reason of a literal that holds, as a clause without that literal. */
static void reason_of(struct search *s, literal l)
{
	const struct search_variable *v = &s->variables.at[l >> 1];

	s->reason.count = 0;
	if (v->reason == REASON_ORDER) {
		order_graph_explain(&s->graph, l & 1 ? v->to : v->from,
				    l & 1 ? v->from : v->to, &s->reason);
	} else {
		const uint32_t *words = &s->words.at[v->reason];

		for (uint32_t i = 1; i < words[0] >> CLAUSE_SHIFT; i++)
			vec_push(&s->reason, words[CLAUSE_WORDS + i]);
	}
}

/* Adds the literals of a clause to what must be explained; returns how many
 * of them are of this level. */
static size_t take_over(struct search *s, const struct literals *clause)
{
	size_t here = 0;

	for (size_t i = 0; i < clause->count; i++) {
		literal l = clause->at[i];
		struct search_variable *v = &s->variables.at[l >> 1];

		if (v->seen || v->level == 0)
			continue;
		v->seen = true;
		vec_push(&s->marked, l >> 1);
		activity_bump(&s->activity, l >> 1);
		if (v->level == s->levels.count)
			here++;
		else
			vec_push(&s->lesson, l);
	}
	return here;
}

/* Is the literal implied by others of the lesson? */
static bool is_implied(struct search *s, literal l)
{
	if (s->variables.at[l >> 1].reason == REASON_NONE)
		return false;
	reason_of(s, literal_not(l));
	for (size_t i = 0; i < s->reason.count; i++) {
		const struct search_variable *v =
			&s->variables.at[s->reason.at[i] >> 1];

		if (!v->seen && v->level)
			return false;
	}
	return true;
}

static void minimise(struct search *s)
{
	size_t kept = 1;

	for (size_t i = 1; i < s->lesson.count; i++)
		if (!is_implied(s, s->lesson.at[i]))
			s->lesson.at[kept++] = s->lesson.at[i];
	s->lesson.count = kept;
}

/* Puts a literal of the highest level but the conflict's in the second place,
 * which is watched, and returns that level. */
static size_t level_to_go(struct search *s)
{
	size_t best = 1;

	if (s->lesson.count == 1)
		return 0;
	for (size_t i = 2; i < s->lesson.count; i++)
		if (s->variables.at[s->lesson.at[i] >> 1].level >
		    s->variables.at[s->lesson.at[best] >> 1].level)
			best = i;
	literal l = s->lesson.at[best];

	s->lesson.at[best] = s->lesson.at[1];
	s->lesson.at[1] = l;
	return s->variables.at[l >> 1].level;
}

static uint32_t count_levels(struct search *s)
{
	uint32_t count = 0;

	s->stamp++;
	for (size_t i = 0; i < s->lesson.count; i++) {
		uint32_t level = s->variables.at[s->lesson.at[i] >> 1].level;

		if (s->level_stamp.at[level] == s->stamp)
			continue;
		s->level_stamp.at[level] = s->stamp;
		count++;
	}
	return count;
}

size_t search_learn(struct search *s, uint32_t *glue)
{
	size_t at = s->trail.count, here;

	s->lesson.count = 0;
	vec_push(&s->lesson, LITERAL_FALSE);
	here = take_over(s, &s->conflict);
	CHECK(here);
	for (;;) {
		do
			at--;
		while (!s->variables.at[s->trail.at[at] >> 1].seen ||
		       s->variables.at[s->trail.at[at] >> 1].level !=
			       s->levels.count);
		if (--here == 0)
			break;
		reason_of(s, s->trail.at[at]);
		here += take_over(s, &s->reason);
	}
	s->lesson.at[0] = literal_not(s->trail.at[at]);
	minimise(s);
	while (s->marked.count)
		s->variables.at[s->marked.at[--s->marked.count]].seen = false;
	*glue = count_levels(s);
	return level_to_go(s);
}
