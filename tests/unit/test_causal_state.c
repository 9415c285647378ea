/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicted races against the definition: two conflicting accesses are
 * predicted to race where some interleaving of the trace, each thread of which
 * goes on as long as it reads what it read, has both of them next. And the
 * same for an access after an event that came behind it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explore/causal.h"
#include "random_run.h"
#include "walked_run.h"
#include "written_run.h"

enum { EVENTS = 64 };

/* What is possible, by pairs of events. */
struct pairs {
	bool together[EVENTS][EVENTS]; /* both are next */
	bool after[EVENTS][EVENTS];    /* the first is next, after the second */
};

/* In a step that begins with one: whoever stands before a lock may have to
 * wait. */
static bool is_access(const struct causal_trace *t, uint32_t event)
{
	const struct causal_event *e = &t->events.at[event];
	const struct causal_event *first =
		&t->events.at[causal_step_of(t, event)];

	return (causal_reads(e) || causal_writes(e)) &&
	       (causal_reads(first) || causal_writes(first));
}

/* Of a step, all events are when it can begin. */
static bool is_next(struct walk *w, uint32_t event)
{
	uint32_t begin = causal_step_of(w->trace, event);
	const struct causal_event *e = &w->trace->events.at[begin];
	enum simulate_result result;

	if (!is_access(w->trace, event) ||
	    simulation_progress(&w->state, e->thread) != e->position)
		return false;
	result = walk_step(w, begin, CAUSAL_NOBODY, false);
	return result == SIMULATE_DONE || result == SIMULATE_OTHER;
}

static void look(struct walk *w, void *to)
{
	struct pairs *p = to;
	bool next[EVENTS], done[EVENTS];
	uint32_t count = (uint32_t)w->trace->events.count;

	for (uint32_t i = 0; i < count; i++) {
		const struct causal_event *e = &w->trace->events.at[i];

		next[i] = is_next(w, i);
		done[i] = simulation_progress(&w->state, e->thread) >
			  e->position;
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < count && next[i]; k++) {
			p->together[i][k] |= next[k];
			p->after[i][k] |= done[k];
		}
}

static bool is_predicted(struct causal *m, uint32_t next, uint32_t other,
			 bool is_done)
{
	const uint32_t both[] = { next, other };
	struct causal_state s = { .next = both, .next_count = 2 };
	struct causal_schedule schedule = { 0 };
	enum solver_answer answer;

	if (is_done)
		s = (struct causal_state){ &other, &next, 1, 1 };
	answer = causal_ask_state(m, &s, 0, &schedule);
	assert_int_not_equal(answer, SOLVER_UNKNOWN);
	if (causal_is_hopeless(m, &s))
		assert_int_equal(answer, SOLVER_NO);
	vec_free(&schedule);
	return answer == SOLVER_YES;
}

struct tally {
	uint32_t yes, no;
};

static void compare(const struct causal_trace *t, struct tally *tally)
{
	struct pairs *p = xcalloc(1, sizeof(*p));
	struct walk w = { .at_state = look, .to = p };
	struct err err;
	struct causal *m = causal_new(t, SOLVER_ORDER, &err);
	const struct causal_event *e = t->events.at;

	assert_non_null(m);
	assert_true(t->events.count <= EVENTS);
	walk_all(&w, t);
	for (uint32_t i = 0; i < t->events.count; i++)
		for (uint32_t k = 0; k < t->events.count; k++) {
			bool race;

			if (!is_access(t, i) || e[i].thread == e[k].thread)
				continue;
			assert_int_equal(is_predicted(m, i, k, true),
					 p->after[i][k]);
			if (k > i || !is_access(t, k))
				continue;
			race = is_predicted(m, i, k, false);
			assert_int_equal(race, p->together[i][k]);
			tally->yes += race;
			tally->no += !race;
		}
	assert_int_equal(causal_counts(m)->wrong, 0);
	causal_free(m);
	free(p);
}

static void compare_many(struct run_size size, uint64_t rounds)
{
	struct tally tally = { 0 };

	for (uint64_t seed = 0; seed < rounds; seed++) {
		struct causal_trace t;

		run_make(&t, size, seed);
		compare(&t, &tally);
		causal_trace_done(&t);
	}
	print_message("%u race, %u cannot\n", tally.yes, tally.no);
	assert_true(tally.yes > rounds && tally.no > rounds);
}

static void races_among_locks_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 3,
					.events = 6,
					.locations = 2,
					.values = 3,
					.locks = 2 },
		     150);
}

static void races_among_all_synchronisation_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 3,
					.events = 7,
					.locations = 2,
					.values = 3,
					.locks = 2,
					.sync = true },
		     150);
}

static void races_of_a_family_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 4,
					.events = 4,
					.locations = 2,
					.values = 3,
					.locks = 1,
					.sync = true,
					.family = true,
					.wide = true },
		     150);
}

static void races_of_steps_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 3,
					.events = 6,
					.locations = 2,
					.values = 3,
					.locks = 1,
					.sync = true,
					.steps = true },
		     150);
}

/* The flag is read as set, so what is behind the read comes after what is
 * before the write; the flag itself is what races. */
static void what_a_flag_orders_does_not_race(void **state)
{
	struct causal_trace t;
	struct tally tally = { 0 };
	struct err err;
	struct causal *m;
	uint32_t data, set, seen, use;

	(void)state;
	written_init(&t, 2, 0, 2);
	data = written_write(&t, 0, 0, 1);
	set = written_write(&t, 0, 1, 1);
	seen = written_read(&t, 1, 1, 1);
	use = written_read(&t, 1, 0, 1);
	m = causal_new(&t, SOLVER_ORDER, &err);
	assert_false(is_predicted(m, data, use, false));
	assert_true(is_predicted(m, set, seen, false));
	causal_free(m);
	compare(&t, &tally);
	causal_trace_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(races_among_locks_are_exact),
		cmocka_unit_test(races_among_all_synchronisation_are_exact),
		cmocka_unit_test(races_of_a_family_are_exact),
		cmocka_unit_test(races_of_steps_are_exact),
		cmocka_unit_test(what_a_flag_orders_does_not_race),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
