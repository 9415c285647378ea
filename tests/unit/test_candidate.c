/* SPDX-License-Identifier: Apache-2.0 */
/* Which events of a run are taken for its signature. */
#include "regress/candidate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "format/rng.h"

static struct event access(uint32_t thread, uint8_t kind, uint64_t addr,
			   uint32_t stack)
{
	return (struct event){ .thread = thread,
			       .kind = kind,
			       .addr = addr,
			       .size = 4,
			       .stack = stack };
}

static bool has(const struct candidates *c, uint32_t count, const size_t *at)
{
	for (size_t i = 0; i < c->all.count; i++) {
		bool is_it = c->all.at[i].count == count;

		for (uint32_t k = 0; is_it && k < count; k++)
			is_it = c->all.at[i].at[k] == at[k];
		if (is_it)
			return true;
	}
	return false;
}

/* R of A, W of B, W of A on one object. */
static void finds_lost_update(void **state)
{
	const struct event events[] = {
		access(1, EVENT_READ, 0x1000, 1),
		access(2, EVENT_READ, 0x1000, 3),
		access(2, EVENT_WRITE, 0x1000, 4),
		access(1, EVENT_WRITE, 0x1000, 2),
	};
	struct candidates c = { 0 };

	(void)state;
	candidates_find(events, 4, &c);
	assert_true(has(&c, 3, (size_t[]){ 0, 2, 3 }));
	assert_true(has(&c, 2, (size_t[]){ 0, 2 }));
	vec_free(&c.all);
}

/* Two objects: what A does to x and y should be one, B comes between. */
static void finds_two_objects(void **state)
{
	const struct event events[] = {
		access(1, EVENT_WRITE, 0x1000, 1),
		access(2, EVENT_WRITE, 0x1000, 1),
		access(2, EVENT_WRITE, 0x2000, 2),
		access(1, EVENT_WRITE, 0x2000, 2),
	};
	uint32_t objects[HUNT_EVENTS], threads[HUNT_EVENTS];
	struct candidates c = { 0 };

	(void)state;
	candidates_find(events, 4, &c);
	assert_true(has(&c, 4, (size_t[]){ 0, 1, 2, 3 }));
	candidate_pattern(&(struct candidate){ .at = { 0, 1, 2, 3 },
					       .count = 4 },
			  events, objects, threads);
	assert_int_equal(objects[1], 0);
	assert_int_equal(objects[2], 1);
	assert_int_equal(objects[3], 1);
	assert_int_equal(threads[1], 1);
	assert_int_equal(threads[2], 1);
	assert_int_equal(threads[3], 0);
	vec_free(&c.all);
}

/* The end of a block stands where its thread was last. */
static void finds_use_after_free(void **state)
{
	const struct event events[] = {
		access(0, EVENT_READ, 0x5000, 1),
		{ .thread = 0, .kind = EVENT_FREE, .addr = 0x1000, .size = 64 },
		access(1, EVENT_READ, 0x1010, 2),
	};
	struct candidates c = { 0 };

	(void)state;
	candidates_find(events, 3, &c);
	assert_true(has(&c, 2, (size_t[]){ 0, 2 }));
	vec_free(&c.all);
}

static void finds_cycle(void **state)
{
	const struct event events[] = {
		access(1, EVENT_MUTEX_LOCK, 0x10, 1),
		access(2, EVENT_MUTEX_LOCK, 0x20, 2),
	};
	struct control_thread threads[3] = {
		[1] = { .state = THREAD_BLOCKED,
			.kind = EVENT_MUTEX_LOCK,
			.object = 0x20,
			.hold_count = 1,
			.holds = { { .object = 0x10 } } },
		[2] = { .state = THREAD_BLOCKED,
			.kind = EVENT_MUTEX_LOCK,
			.object = 0x10,
			.hold_count = 1,
			.holds = { { .object = 0x20 } } },
	};
	struct candidates c = { 0 };

	(void)state;
	candidates_add_cycle(events, 2, threads, 3, &c);
	assert_int_equal(c.all.count, 1);
	assert_true(has(&c, 2, (size_t[]){ 0, 1 }));
	vec_free(&c.all);
}

/* Of whatever run: in order, of two threads, next to each other in conflict on
 * the ways out and back, and none twice. */
static void all_are_patterns(void **state)
{
	static const uint8_t kinds[] = { EVENT_READ,	  EVENT_WRITE,
					 EVENT_FREE,	  EVENT_MUTEX_LOCK,
					 EVENT_COND_WAIT, EVENT_COND_SIGNAL,
					 EVENT_THREAD_END };
	struct rng rng = rng_fork(3, 1);

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct event events[30];
		struct candidates c = { 0 };

		for (size_t k = 0; k < 30; k++)
			events[k] = access(rng_below(&rng, 3),
					   kinds[rng_below(&rng, 7)],
					   0x1000 + 8 * rng_below(&rng, 3),
					   1 + rng_below(&rng, 9));
		candidates_find(events, 30, &c);
		for (size_t k = 0; k < c.all.count; k++) {
			const struct candidate *one = &c.all.at[k];
			uint32_t a = events[one->at[0]].thread;

			assert_in_range(one->count, 2, HUNT_EVENTS);
			assert_true(events[one->at[1]].thread != a);
			for (uint32_t j = 1; j < one->count; j++)
				assert_true(one->at[j] > one->at[j - 1]);
			if (one->count > 2)
				assert_int_equal(
					events[one->at[one->count - 1]].thread,
					a);
			assert_true(!k || one[-1].cost <= one->cost);
		}
		vec_free(&c.all);
	}
}

/* Held inside its critical section, B would keep out others. */
static void adds_gates(void **state)
{
	const struct event events[] = {
		access(2, EVENT_MUTEX_LOCK, 0x2000, 1),
		access(2, EVENT_MUTEX_LOCK, 0x3000, 2),
		access(2, EVENT_MUTEX_UNLOCK, 0x2000, 3),
		access(1, EVENT_WRITE, 0x1000, 4),
		access(2, EVENT_READ, 0x1000, 5),
	};
	struct candidates found = { 0 };
	const struct candidate order = { .at = { 3, 4 }, .count = 2 };
	uint32_t objects[HUNT_EVENTS], threads[HUNT_EVENTS];

	(void)state;
	vec_push(&found.all, order);
	candidates_add_gates(events, 5, &found);
	assert_int_equal(found.all.count, 2);
	assert_int_equal(found.all.at[0].at[0], 3);
	assert_int_equal(found.all.at[0].at[1], 1);
	assert_int_equal(found.all.at[1].at[1], 4);
	candidate_pattern(&found.all.at[0], events, objects, threads);
	assert_int_equal(objects[1], HUNT_ANY_OBJECT);
	assert_int_equal(threads[1], 1);
	vec_free(&found.all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_lost_update),
		cmocka_unit_test(finds_two_objects),
		cmocka_unit_test(finds_use_after_free),
		cmocka_unit_test(finds_cycle),
		cmocka_unit_test(adds_gates),
		cmocka_unit_test(all_are_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
