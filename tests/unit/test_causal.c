/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The causal model against the definition: every interleaving of the trace's
 * threads, each of which goes on as long as it reads what it read. What a read
 * can get at some point of some interleaving is what the model must find, no
 * more and no less.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>

#include "explore/causal.h"
#include "random_run.h"
#include "walked_run.h"
#include "written_run.h"

/* ---- All interleavings ---- */

struct reached {
	uint32_t event;
	uint64_t values[2];
};

struct all_reached {
	struct reached *at;
	size_t count, room;
};

static void note_reached(struct walk *w, struct all_reached *to, uint32_t event)
{
	const struct causal_event *e = &w->trace->events.at[event];
	const struct causal_part *p = &w->trace->parts.at[e->part];
	struct reached r = { .event = event };

	assert_true(e->parts <= 2);
	for (uint32_t i = 0; i < e->parts; i++)
		r.values[i] = simulation_value(&w->state, p[i].location);
	for (size_t i = 0; i < to->count; i++)
		if (!memcmp(&to->at[i], &r, sizeof(r)))
			return;
	vec_push(to, r);
}

/* Is this thread about to come to a barrier at which all are but itself and the
 * one that was the last? Then they may come the other way round. */
static bool may_be_last(const struct walk *w, uint32_t event)
{
	const struct causal_event *e = &w->trace->events.at[event];
	uint32_t turned = causal_turned(w->trace, event);
	const struct causal_event *other;
	uint64_t size;

	if (turned == CAUSAL_NOBODY)
		return false;
	other = &w->trace->events.at[turned];
	if (simulation_progress(&w->state, other->thread) != other->position ||
	    w->state.words[w->state.living + e->thread] != 1 ||
	    w->state.words[w->state.living + other->thread] != 1)
		return false;
	size = w->trace->barriers.at[e->object];
	return w->state.words[w->state.barriers + e->object] + 2 ==
	       (e->round + 1) * size;
}

static void look(struct walk *w, uint32_t event, enum simulate_result result,
		 void *to)
{
	const struct causal_event *e = &w->trace->events.at[event];

	if ((result == SIMULATE_OTHER &&
	     (causal_reads(e) || causal_tries(e))) ||
	    may_be_last(w, event))
		note_reached(w, to, event);
}

/* ---- The model ---- */

static bool is_reached(const struct causal_trace *trace,
		       const struct all_reached *all,
		       const struct causal_target *t)
{
	uint32_t parts = trace->events.at[t->event].parts;

	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].event == t->event &&
		    !memcmp(all->at[i].values, t->values,
			    parts * sizeof(*t->values)))
			return true;
	return false;
}

struct tally {
	uint64_t asked, yes;
};

/* Asks everything there is to ask about a trace. */
static void compare(const struct causal_trace *t, enum solver_kind kind,
		    struct tally *tally)
{
	struct causal_schedule schedule = { 0 };
	const struct causal_target *targets;
	struct err err;
	struct causal *m = causal_new(t, kind, &err);
	struct all_reached reached = { 0 };
	struct walk w = { .at_event = look, .to = &reached };
	size_t count, yes = 0;

	assert_non_null(m);
	walk_all(&w, t);
	count = causal_targets(m, &targets);
	for (size_t i = 0; i < count; i++) {
		enum solver_answer answer =
			causal_ask(m, &targets[i], NULL, 0, &schedule);

		if (answer != (is_reached(t, &reached, &targets[i]) ?
				       SOLVER_YES :
				       SOLVER_NO))
			fail_msg("event %u, value %" PRIu64 ": %d",
				 targets[i].event, targets[i].values[0],
				 answer);
		yes += answer == SOLVER_YES;
	}
	assert_int_equal(yes, reached.count);
	assert_int_equal(causal_counts(m)->wrong, 0);
	tally->asked += count;
	tally->yes += yes;
	vec_free(&schedule);
	vec_free(&reached);
	causal_free(m);
}

static void compare_many(struct run_size size, uint64_t rounds)
{
	struct tally tally = { 0 };

	for (uint64_t seed = 0; seed < rounds; seed++) {
		struct causal_trace t;

		run_make(&t, size, seed);
		compare(&t, SOLVER_ORDER, &tally);
		causal_trace_done(&t);
	}
	print_message("%" PRIu64 " asked, %" PRIu64 " yes\n", tally.asked,
		      tally.yes);
	assert_true(tally.yes > rounds && tally.yes < tally.asked);
}

static void accesses_and_locks_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 3,
					.events = 5,
					.locations = 2,
					.values = 3,
					.locks = 2 },
		     300);
}

static void all_synchronisation_is_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 3,
					.events = 7,
					.locations = 2,
					.values = 3,
					.locks = 2,
					.sync = true },
		     400);
}

static void tries_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 3,
					.events = 7,
					.locations = 2,
					.values = 3,
					.locks = 2,
					.sync = true,
					.tries = true },
		     400);
	compare_many((struct run_size){ .threads = 4,
					.events = 4,
					.locations = 1,
					.values = 3,
					.locks = 1,
					.sync = true,
					.tries = true,
					.family = true },
		     300);
}

static void created_and_joined_threads_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 4,
					.events = 4,
					.locations = 2,
					.values = 3,
					.locks = 1,
					.sync = true,
					.family = true },
		     300);
}

static void accesses_of_several_parts_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 3,
					.events = 5,
					.locations = 3,
					.values = 2,
					.locks = 1,
					.sync = true,
					.wide = true },
		     200);
}

static void steps_are_exact(void **state)
{
	(void)state;
	compare_many((struct run_size){ .threads = 3,
					.events = 5,
					.locations = 2,
					.values = 3,
					.locks = 1,
					.steps = true },
		     300);
	compare_many((struct run_size){ .threads = 3,
					.events = 6,
					.locations = 3,
					.values = 2,
					.locks = 2,
					.sync = true,
					.wide = true,
					.steps = true },
		     200);
}

/* ---- Schedules that end where no complete one can pass ---- */

enum { A, B };

/* Asks whether a read can get that value; everything else that the trace
 * allows is compared with all interleavings. */
static enum solver_answer ask(const struct causal_trace *t, uint32_t event,
			      uint64_t value)
{
	struct causal_schedule schedule = { 0 };
	struct tally tally = { 0 };
	struct err err;
	struct causal *m = causal_new(t, SOLVER_ORDER, &err);
	struct causal_target target = { event, &value };
	enum solver_answer answer;

	assert_non_null(m);
	answer = causal_ask(m, &target, NULL, 0, &schedule);
	assert_int_equal(causal_counts(m)->wrong, 0);
	compare(t, SOLVER_ORDER, &tally);
	vec_free(&schedule);
	causal_free(m);
	return answer;
}

/* Between the two writes thread 0 holds A and wants B; the reader holds B and
 * will want A. No order of all sections has the read there. */
static void a_schedule_may_end_in_a_deadlock(void **state)
{
	struct causal_trace t;
	uint32_t read;

	(void)state;
	written_init(&t, 2, 2, 1);
	written_sync(&t, 0, CAUSAL_LOCK, A);
	written_write(&t, 0, 0, 1);
	written_sync(&t, 0, CAUSAL_LOCK, B);
	written_write(&t, 0, 0, 2);
	written_sync(&t, 0, CAUSAL_UNLOCK, B);
	written_sync(&t, 0, CAUSAL_UNLOCK, A);
	written_sync(&t, 1, CAUSAL_LOCK, B);
	read = written_read(&t, 1, 0, 2);
	written_sync(&t, 1, CAUSAL_LOCK, A);
	written_sync(&t, 1, CAUSAL_UNLOCK, A);
	written_sync(&t, 1, CAUSAL_UNLOCK, B);
	assert_int_equal(ask(&t, read, 1), SOLVER_YES);
	assert_int_equal(ask(&t, read, 0), SOLVER_YES);
	causal_trace_done(&t);
}

/* The reader's own section, after the read, must be over before thread 0 can
 * leave its own: so the schedule stops before that section. */
static void a_schedule_may_stop_before_a_section(void **state)
{
	struct causal_trace t;
	uint32_t read;

	(void)state;
	written_init(&t, 2, 1, 1);
	vec_push(&t.semaphores, 0);
	read = written_read(&t, 1, 0, 0);
	written_sync(&t, 1, CAUSAL_LOCK, A);
	written_sync(&t, 1, CAUSAL_UNLOCK, A);
	written_sync(&t, 1, CAUSAL_SEM_POST, 0);
	written_sync(&t, 0, CAUSAL_LOCK, A);
	written_write(&t, 0, 0, 1);
	written_sync(&t, 0, CAUSAL_SEM_WAIT, 0);
	written_write(&t, 0, 0, 2);
	written_sync(&t, 0, CAUSAL_UNLOCK, A);
	assert_int_equal(ask(&t, read, 1), SOLVER_YES);
	assert_int_equal(ask(&t, read, 2), SOLVER_NO);
	causal_trace_done(&t);
}

static void a_lock_that_is_never_left_keeps_others_out(void **state)
{
	struct causal_trace t;
	uint32_t read;

	(void)state;
	written_init(&t, 2, 1, 1);
	written_sync(&t, 1, CAUSAL_LOCK, A);
	read = written_read(&t, 1, 0, 0);
	written_sync(&t, 1, CAUSAL_UNLOCK, A);
	written_sync(&t, 0, CAUSAL_LOCK, A);
	written_write(&t, 0, 0, 1);
	assert_int_equal(ask(&t, read, 1), SOLVER_NO);
	causal_trace_done(&t);
}

/* x = 1 is read before y = 1 is: a read that must come first keeps its
 * value, and so do those behind the writes that are chosen. */
static void reads_before_the_target_keep_their_values(void **state)
{
	struct causal_trace t;
	uint32_t read;

	(void)state;
	written_init(&t, 3, 0, 3);
	written_write(&t, 0, 0, 1);
	written_read(&t, 1, 0, 1);
	written_write(&t, 1, 1, 1);
	written_write(&t, 0, 0, 2);
	read = written_read(&t, 2, 1, 1);
	written_read(&t, 2, 0, 2);
	assert_int_equal(ask(&t, read, 0), SOLVER_YES);
	/* thread 1 has read 1, so thread 0 had written it */
	assert_int_equal(ask(&t, read + 1, 1), SOLVER_YES);
	assert_int_equal(ask(&t, read + 1, 0), SOLVER_NO);
	causal_trace_done(&t);
}

/* Three threads count to eight, one after the other. What a thread counts to
 * depends on all that was counted before, so its first read alone can get
 * something else: what those before it may have come to. */
static void questions_that_values_settle_are_not_asked(void **state)
{
	enum { THREADS = 3, TURNS = 8 };
	struct causal_trace t;
	struct causal *m;
	struct err err;
	const struct causal_target *targets;
	size_t count;

	(void)state;
	written_init(&t, THREADS, 1, 1);
	for (uint32_t i = 0; i < THREADS * TURNS; i++) {
		written_sync(&t, i / TURNS, CAUSAL_LOCK, A);
		written_read(&t, i / TURNS, 0, i);
		written_write(&t, i / TURNS, 0, i + 1);
		written_sync(&t, i / TURNS, CAUSAL_UNLOCK, A);
	}
	m = causal_new(&t, SOLVER_ORDER, &err);
	assert_non_null(m);
	count = causal_targets(m, &targets);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(t.events.at[targets[i].event].position, 1);
	assert_int_equal(count, TURNS + 2 * TURNS);
	causal_free(m);
	causal_trace_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_and_locks_are_exact),
		cmocka_unit_test(all_synchronisation_is_exact),
		cmocka_unit_test(tries_are_exact),
		cmocka_unit_test(created_and_joined_threads_are_exact),
		cmocka_unit_test(accesses_of_several_parts_are_exact),
		cmocka_unit_test(steps_are_exact),
		cmocka_unit_test(a_schedule_may_end_in_a_deadlock),
		cmocka_unit_test(a_schedule_may_stop_before_a_section),
		cmocka_unit_test(a_lock_that_is_never_left_keeps_others_out),
		cmocka_unit_test(reads_before_the_target_keep_their_values),
		cmocka_unit_test(questions_that_values_settle_are_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
