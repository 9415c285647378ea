/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator takes what happened, and refuses what cannot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "random_run.h"
#include "written_run.h"

/* Tries the events in that order; CAUSAL_NOBODY ends it. */
static int try_order(const struct causal_trace *t, const uint32_t *order,
		     const uint64_t *values, struct err *err)
{
	struct causal_step steps[16];
	size_t count = 0;

	for (; order[count] != CAUSAL_NOBODY; count++)
		steps[count] = (struct causal_step){
			order[count], t->events.at[order[count]].wakes
		};
	return simulate(t, steps, count, values, err);
}

#define assert_passes(t, ...)                                                  \
	assert_int_equal(try_order(t,                                          \
				   (uint32_t[]){ __VA_ARGS__, CAUSAL_NOBODY }, \
				   NULL, &err),                                \
			 0)
#define assert_refused(t, words, ...)                                          \
	do {                                                                   \
		assert_int_equal(                                              \
			try_order(t,                                           \
				  (uint32_t[]){ __VA_ARGS__, CAUSAL_NOBODY },  \
				  NULL, &err),                                 \
			-1);                                                   \
		assert_non_null(strstr(err.text, words));                      \
	} while (0)

static void what_happened_passes(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct causal_step *steps;
		struct causal_trace t;
		struct err err;

		run_make(&t,
			 (struct run_size){ .threads = 4,
					    .events = 12,
					    .locations = 3,
					    .values = 3,
					    .locks = 2,
					    .sync = true,
					    .wide = true,
					    .steps = true,
					    .family = seed % 2 },
			 seed);
		steps = xcalloc(t.events.count + 1, sizeof(*steps));
		for (uint32_t i = 0; i < t.events.count; i++)
			steps[i] =
				(struct causal_step){ i, t.events.at[i].wakes };
		assert_int_equal(
			simulate(&t, steps, t.events.count, NULL, &err), 0);
		free(steps);
		causal_trace_done(&t);
	}
}

static void reads_must_get_their_values(void **state)
{
	struct causal_trace t;
	struct err err;
	uint64_t zero = 0, one = 1;

	(void)state;
	written_init(&t, 2, 0, 1);
	written_write(&t, 0, 0, 1);
	written_read(&t, 1, 0, 1);
	assert_passes(&t, 0, 1);
	assert_refused(&t, "another result", 1, 0);
	assert_int_equal(try_order(&t, (uint32_t[]){ 1, CAUSAL_NOBODY }, &zero,
				   &err),
			 0);
	assert_int_equal(try_order(&t, (uint32_t[]){ 1, CAUSAL_NOBODY }, &one,
				   &err),
			 -1);
	causal_trace_done(&t);
}

static void locks_exclude_but_readers_share(void **state)
{
	struct causal_trace t;
	struct err err;

	(void)state;
	written_init(&t, 3, 1, 0);
	written_sync(&t, 0, CAUSAL_LOCK, 0);
	written_sync(&t, 0, CAUSAL_UNLOCK, 0);
	t.events.at[written_sync(&t, 1, CAUSAL_LOCK, 0)].shared = true;
	t.events.at[written_sync(&t, 2, CAUSAL_LOCK, 0)].shared = true;
	t.events.at[written_sync(&t, 1, CAUSAL_UNLOCK, 0)].shared = true;
	t.events.at[written_sync(&t, 2, CAUSAL_UNLOCK, 0)].shared = true;
	assert_passes(&t, 2, 3, 4, 5, 0, 1);
	assert_refused(&t, "step 1: event 2 cannot", 0, 2);
	assert_refused(&t, "step 2: event 0 cannot", 2, 3, 0);
	assert_refused(&t, "not the next", 1);
	causal_trace_done(&t);
}

static void signals_wake_who_waits_and_nobody_else(void **state)
{
	struct causal_trace t;
	struct err err;
	uint32_t signal;

	(void)state;
	written_init(&t, 2, 1, 0);
	written_sync(&t, 0, CAUSAL_LOCK, 0);
	written_sync(&t, 0, CAUSAL_WAIT, 0);
	signal = written_sync(&t, 1, CAUSAL_SIGNAL, 0);
	written_sync(&t, 0, CAUSAL_WAKE, 0);
	t.events.at[signal].wakes = 0;
	assert_passes(&t, 0, 1, 2, 3);
	assert_refused(&t, "event 3 cannot", 0, 1, 3);
	assert_refused(&t, "event 2 would get another", 2);
	t.events.at[signal].wakes = CAUSAL_NOBODY;
	assert_passes(&t, 2, 0, 1);
	assert_refused(&t, "event 2 would get another", 0, 1, 2);
	causal_trace_done(&t);
}

static void threads_live_between_creation_and_join(void **state)
{
	struct causal_trace t;
	struct err err;

	(void)state;
	written_init(&t, 2, 0, 0);
	written_sync(&t, 0, CAUSAL_CREATE, 1);
	written_sync(&t, 1, CAUSAL_BEGIN, 0);
	written_sync(&t, 1, CAUSAL_END, 0);
	written_sync(&t, 0, CAUSAL_JOIN, 1);
	assert_passes(&t, 0, 1, 2, 3);
	assert_refused(&t, "event 1 cannot", 1);
	assert_refused(&t, "event 3 cannot", 0, 1, 3);
	causal_trace_done(&t);
}

static void counts_and_rounds_are_kept(void **state)
{
	struct causal_trace t;
	struct err err;

	(void)state;
	written_init(&t, 2, 0, 0);
	vec_push(&t.semaphores, 1);
	vec_push(&t.barriers, 2);
	written_sync(&t, 0, CAUSAL_SEM_WAIT, 0);
	written_sync(&t, 1, CAUSAL_SEM_POST, 0);
	written_sync(&t, 1, CAUSAL_SEM_WAIT, 0);
	written_sync(&t, 0, CAUSAL_BARRIER_ENTER, 0);
	t.events.at[written_sync(&t, 1, CAUSAL_BARRIER_ENTER, 0)].serial = true;
	written_sync(&t, 0, CAUSAL_BARRIER_LEAVE, 0);
	assert_passes(&t, 1, 2, 0, 3, 4, 5);
	assert_refused(&t, "event 4 would get another", 1, 2, 0, 4);
	assert_refused(&t, "event 5 cannot", 0, 3, 5);
	assert_passes(&t, 0, 1, 2);
	t.semaphores.at[0] = 0;
	assert_refused(&t, "event 0 cannot", 0);
	causal_trace_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_happened_passes),
		cmocka_unit_test(reads_must_get_their_values),
		cmocka_unit_test(locks_exclude_but_readers_share),
		cmocka_unit_test(signals_wake_who_waits_and_nobody_else),
		cmocka_unit_test(threads_live_between_creation_and_join),
		cmocka_unit_test(counts_and_rounds_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
