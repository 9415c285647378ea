/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/search.h"

#include <string.h>

enum { RESTART_UNIT = 64, LEARNT_FIRST = 4000, CLEAN_WORDS = 1 << 16 };

void search_init(struct search *s, uint32_t chains)
{
	*s = (struct search){ .learnt_most = LEARNT_FIRST };
	order_graph_init(&s->graph, chains);
	activity_init(&s->activity);
	vec_push(&s->level_stamp, 0);
}

void search_done(struct search *s)
{
	order_graph_done(&s->graph);
	activity_done(&s->activity);
	for (size_t i = 0; i < s->watches.count; i++)
		vec_free(&s->watches.at[i]);
	vec_free(&s->variables);
	vec_free(&s->value);
	vec_free(&s->watches);
	vec_free(&s->words);
	vec_free(&s->learnt);
	vec_free(&s->trail);
	vec_free(&s->levels);
	vec_free(&s->skipped);
	vec_free(&s->conflict);
	vec_free(&s->lesson);
	vec_free(&s->reason);
	vec_free(&s->marked);
	vec_free(&s->level_stamp);
}

uint32_t search_variable(struct search *s)
{
	uint32_t v = (uint32_t)s->variables.count;

	vec_push(&s->variables, (struct search_variable){
					.reason = REASON_NONE,
					.need = { LITERAL_TRUE, LITERAL_TRUE },
					.from = ORDER_NONE,
					.to = ORDER_NONE,
					.phase = true,
					.keeps_phase = true });
	for (int i = 0; i < 2; i++) {
		vec_push(&s->value, VALUE_OPEN);
		vec_push(&s->watches, (struct search_watches){ 0 });
	}
	vec_push(&s->level_stamp, 0);
	activity_grow(&s->activity);
	return v;
}

void search_set(struct search *s, literal l, uint32_t reason)
{
	struct search_variable *v = &s->variables.at[l >> 1];

	s->value.at[l] = VALUE_TRUE;
	s->value.at[literal_not(l)] = VALUE_FALSE;
	v->reason = reason;
	v->level = (uint32_t)s->levels.count;
	vec_push(&s->trail, l);
}

uint32_t search_attach(struct search *s, const literal *literals, size_t count,
		       uint32_t flags, uint32_t glue)
{
	uint32_t clause = (uint32_t)s->words.count;

	vec_reserve(&s->words, s->words.count + CLAUSE_WORDS + count);
	s->words.at[clause] = (uint32_t)count << CLAUSE_SHIFT | flags;
	s->words.at[clause + 1] = glue;
	memcpy(&s->words.at[clause + CLAUSE_WORDS], literals,
	       count * sizeof(*literals));
	s->words.count += CLAUSE_WORDS + count;
	for (int i = 0; i < 2; i++)
		vec_push(&s->watches.at[literals[i]],
			 (struct search_watch){ clause, literals[1 - i] });
	if (flags & CLAUSE_LEARNT)
		vec_push(&s->learnt, clause);
	return clause;
}

/* Leaves out what is false for good and what is there twice; true: it is
 * fulfilled for good. */
static bool simplify(const struct search *s, literal *l, size_t *count)
{
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		bool twice = false;

		if (s->value.at[l[i]] == VALUE_TRUE)
			return true;
		for (size_t k = 0; k < kept; k++) {
			if (l[k] == literal_not(l[i]))
				return true;
			twice |= l[k] == l[i];
		}
		if (s->value.at[l[i]] == VALUE_OPEN && !twice)
			l[kept++] = l[i];
	}
	*count = kept;
	return false;
}

void search_clause(struct search *s, literal *literals, size_t count)
{
	CHECK(!s->levels.count);
	if (s->broken || simplify(s, literals, &count))
		return;
	if (!count)
		s->broken = true;
	else if (count > 1)
		search_attach(s, literals, count, 0, 0);
	else
		search_set(s, literals[0], REASON_NONE);
}

/* The conflict is that clause. */
static bool clause_is_broken(struct search *s, uint32_t clause)
{
	const uint32_t *words = &s->words.at[clause];

	s->conflict.count = 0;
	for (uint32_t i = 0; i < words[0] >> CLAUSE_SHIFT; i++)
		vec_push(&s->conflict, words[CLAUSE_WORDS + i]);
	return false;
}

/* Finds another literal of the clause to watch; false: there is none. */
static bool watch_another(struct search *s, uint32_t clause, literal other)
{
	literal *l = &s->words.at[clause + CLAUSE_WORDS];
	uint32_t size = s->words.at[clause] >> CLAUSE_SHIFT;

	for (uint32_t i = 2; i < size; i++) {
		if (s->value.at[l[i]] == VALUE_FALSE)
			continue;
		literal found = l[i];

		l[i] = l[1];
		l[1] = found;
		vec_push(&s->watches.at[found],
			 (struct search_watch){ clause, other });
		return true;
	}
	return false;
}

/* The literal has become false: looks at the clauses that watch it. */
static bool follow_clauses(struct search *s, literal gone)
{
	struct search_watches *list = &s->watches.at[gone];
	size_t kept = 0, i = 0;
	bool whole = true;

	while (i < list->count && whole) {
		struct search_watch w = list->at[i++];
		literal *l = &s->words.at[w.clause + CLAUSE_WORDS];

		if (s->value.at[w.other] == VALUE_TRUE) {
			list->at[kept++] = w;
			continue;
		}
		if (l[0] == gone) {
			l[0] = l[1];
			l[1] = gone;
		}
		w.other = l[0];
		if (s->value.at[l[0]] == VALUE_TRUE) {
			list->at[kept++] = w;
			continue;
		}
		if (watch_another(s, w.clause, l[0]))
			continue;
		list->at[kept++] = w;
		if (s->value.at[l[0]] == VALUE_FALSE)
			whole = clause_is_broken(s, w.clause);
		else
			search_set(s, l[0], w.clause);
	}
	while (i < list->count)
		list->at[kept++] = list->at[i++];
	list->count = kept;
	return whole;
}

static bool order_is_broken(struct search *s, literal l)
{
	const struct search_variable *v = &s->variables.at[l >> 1];

	s->conflict.count = 0;
	vec_push(&s->conflict, l);
	order_graph_explain(&s->graph, l & 1 ? v->to : v->from,
			    l & 1 ? v->from : v->to, &s->conflict);
	return false;
}

/* Takes over what the last edge implied. */
static bool follow_implied(struct search *s)
{
	bool whole = true;

	for (size_t i = 0; i < s->graph.implied.count && whole; i++) {
		literal l = s->graph.implied.at[i];

		if (s->value.at[l] == VALUE_OPEN)
			search_set(s, l, REASON_ORDER);
		else if (s->value.at[l] == VALUE_FALSE)
			whole = order_is_broken(s, l);
	}
	s->graph.implied.count = 0;
	return whole;
}

static bool follow_order(struct search *s, literal l)
{
	const struct search_variable *v = &s->variables.at[l >> 1];

	if (v->from == ORDER_NONE)
		return true;
	order_graph_assert(&s->graph, l & 1 ? v->to : v->from,
			   l & 1 ? v->from : v->to, l);
	return follow_implied(s);
}

bool search_propagate(struct search *s)
{
	for (;;) {
		if (s->clauses_done < s->trail.count) {
			literal l = s->trail.at[s->clauses_done++];

			if (!follow_clauses(s, literal_not(l)))
				return false;
		} else if (s->graph_done < s->trail.count) {
			if (!follow_order(s, s->trail.at[s->graph_done++]))
				return false;
		} else {
			return true;
		}
	}
}

void search_edge(struct search *s, uint32_t a, uint32_t b)
{
	CHECK(!s->levels.count);
	if (!search_propagate(s) || order_graph_is_before(&s->graph, b, a)) {
		s->broken = true;
		return;
	}
	order_graph_assert(&s->graph, a, b, LITERAL_TRUE);
	if (!follow_implied(s))
		s->broken = true;
}

static void level_begin(struct search *s)
{
	vec_push(&s->levels,
		 (struct search_level){ s->trail.count, s->skipped.count,
					order_graph_mark(&s->graph) });
}

void search_back(struct search *s, size_t level)
{
	if (s->levels.count <= level)
		return;
	struct search_level to = s->levels.at[level];

	while (s->trail.count > to.trail) {
		literal l = s->trail.at[--s->trail.count];
		struct search_variable *v = &s->variables.at[l >> 1];

		s->value.at[l] = VALUE_OPEN;
		s->value.at[literal_not(l)] = VALUE_OPEN;
		if (v->keeps_phase)
			v->phase = l & 1;
		activity_insert(&s->activity, l >> 1);
	}
	while (s->skipped.count > to.skipped)
		activity_insert(&s->activity,
				s->skipped.at[--s->skipped.count]);
	order_graph_undo(&s->graph, to.graph);
	s->levels.count = level;
	s->clauses_done = s->graph_done = to.trail;
}

/* The variable to decide before v can be: v itself, one that v needs, or none
 * where v does not matter. */
static uint32_t wanted_first(const struct search *s, uint32_t v)
{
	uint32_t first = v;

	for (int i = 0; i < 2; i++) {
		literal need = s->variables.at[v].need[i];

		if (s->value.at[need] == VALUE_FALSE)
			return ORDER_NONE;
		if (s->value.at[need] == VALUE_OPEN)
			first = need >> 1;
	}
	return first;
}

/* Decides one more variable; false: all are decided that matter. */
static bool decide(struct search *s)
{
	uint32_t v;

	while (activity_pop(&s->activity, &v)) {
		uint32_t first;

		if (s->value.at[2 * v] != VALUE_OPEN)
			continue;
		first = wanted_first(s, v);
		if (first == ORDER_NONE) {
			vec_push(&s->skipped, v);
			continue;
		}
		if (first != v)
			activity_insert(&s->activity, v);
		level_begin(s);
		search_set(s, 2 * first + s->variables.at[first].phase,
			   REASON_NONE);
		return true;
	}
	return false;
}

/* One more assumption, or a decision. */
static enum solver_answer step(struct search *s, const literal *assumptions,
			       size_t count)
{
	while (s->levels.count < count) {
		literal l = assumptions[s->levels.count];

		if (s->value.at[l] == VALUE_FALSE)
			return SOLVER_NO;
		level_begin(s);
		if (s->value.at[l] == VALUE_OPEN) {
			search_set(s, l, REASON_NONE);
			return SOLVER_UNKNOWN;
		}
	}
	return decide(s) ? SOLVER_UNKNOWN : SOLVER_YES;
}

/* False: there is nothing left to go back to. */
static bool learn_from_conflict(struct search *s)
{
	uint32_t glue, reason = REASON_NONE;
	size_t level;

	if (!s->levels.count)
		return false;
	level = search_learn(s, &glue);
	search_back(s, level);
	if (s->lesson.count > 1)
		reason = search_attach(s, s->lesson.at, s->lesson.count,
				       CLAUSE_LEARNT, glue);
	search_set(s, s->lesson.at[0], reason);
	activity_fade(&s->activity);
	return true;
}

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...: the best one can do without knowing how
 * long a search takes (Luby, Sinclair and Zuckerman 1993). */
static uint64_t luby(uint64_t i)
{
	uint64_t n = i + 1;

	while (n & (n + 1))
		n -= (UINT64_C(1) << (63 - __builtin_clzll(n))) - 1;
	return (n + 1) / 2;
}

/* Searches until an answer or so many conflicts. */
static enum solver_answer run_some(struct search *s, const literal *assumptions,
				   size_t count, uint64_t conflicts)
{
	enum solver_answer answer = SOLVER_UNKNOWN;

	while (answer == SOLVER_UNKNOWN) {
		if (!search_propagate(s)) {
			if (!learn_from_conflict(s)) {
				s->broken = true;
				return SOLVER_NO;
			}
			if (conflicts-- == 0)
				return SOLVER_UNKNOWN;
		} else {
			answer = step(s, assumptions, count);
		}
	}
	return answer;
}

enum solver_answer search_run(struct search *s, const literal *assumptions,
			      size_t count, uint64_t limit)
{
	enum solver_answer answer = SOLVER_UNKNOWN;
	uint64_t spent = 0;

	while (s->level_stamp.count <= s->variables.count + count)
		vec_push(&s->level_stamp, 0);
	if (s->words.count > 2 * s->words_cleaned + CLEAN_WORDS)
		search_clean(s, false);
	for (uint64_t i = 0; answer == SOLVER_UNKNOWN; i++) {
		uint64_t some = luby(i) * RESTART_UNIT;

		if (s->broken)
			return SOLVER_NO;
		if (limit && spent >= limit)
			return SOLVER_UNKNOWN;
		if (s->learnt.count > s->learnt_most)
			search_clean(s, true);
		answer = run_some(s, assumptions, count, some);
		spent += some;
		if (answer != SOLVER_YES)
			search_back(s, 0);
	}
	return answer;
}
