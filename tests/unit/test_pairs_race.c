/* SPDX-License-Identifier: Apache-2.0 */
#include "lone_pairs.h"

#include <pthread.h>

/*
 * The collector of pairs in parallel: exact where something orders the
 * accesses, and sane where nothing does.
 */

enum { ROUNDS = 20000 };
static _Atomic uint32_t whose;

static void *alternate(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		while (atomic_load(&whose) != me)
			sched_yield();
		touch(me, me + 1, true);
		atomic_store(&whose, !me);
	}
	return NULL;
}

static void *collide(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;

	for (int i = 0; i < ROUNDS; i++)
		pairs_access(&threads[me],
			     (uintptr_t)&memory[i % 3 ? 0 : i % 2], 2,
			     i % 4 ? PAIR_WRITE : PAIR_READ, me + 1);
	return NULL;
}

/* By the hooks, two halves each: four places, half of them far. */
static void *alternate_halves(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		while (atomic_load(&whose) != me)
			sched_yield();
		for (uint32_t k = 0; k < 2; k++)
			access_by_hook(&(struct access){ .thread = me,
							 .site = me + 1,
							 .from = 4 * k,
							 .size = 4,
							 .is_write = !me });
		atomic_store(&whose, !me);
	}
	return NULL;
}

/* The same, of whole granules too, and nobody waits. */
static void *collide_halves(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;
	struct rng rng = rng_fork(6, me);

	for (int i = 0; i < ROUNDS; i++) {
		uint32_t size = rng_below(&rng, 3) ? 4 : 8;

		access_by_hook(&(struct access){
			.thread = me,
			.site = me + 1,
			.from = size == 4 ? 4 * rng_below(&rng, 2) : 0,
			.size = size,
			.is_write = rng_below(&rng, 3) == 0 });
	}
	return NULL;
}

/* Two threads come to pages that nobody has touched, at the same moment. No
 * memory is used but its shadow. */
enum { PAGES = 1000, PAGE = 1 << 20, FRESH = 1 << 30 };
static _Atomic uint32_t arrived;

static void meet(uint32_t *meetings)
{
	uint32_t all = 2 * ++*meetings;

	atomic_fetch_add(&arrived, 1);
	while (atomic_load(&arrived) < all)
		sched_yield();
}

static void *read_first(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg, meetings = 0;

	for (uintptr_t i = 0; i < PAGES; i++) {
		uintptr_t at = FRESH + i * PAGE;

		meet(&meetings);
		pairs_access(&threads[me], at, 4, PAIR_READ, me + 1);
		meet(&meetings);
		if (!me)
			pairs_access(&threads[2], at, 4, PAIR_WRITE, 3);
	}
	return NULL;
}

static void run_some(uint32_t count, void *(*body)(void *))
{
	pthread_t t[THREADS];

	begin();
	atomic_store(&whose, 0);
	for (uintptr_t i = 0; i < count; i++)
		assert_int_equal(pthread_create(&t[i], NULL, body, (void *)i),
				 0);
	for (uint32_t i = 0; i < count; i++)
		pthread_join(t[i], NULL);
}

/* Accesses that something orders: each pair, once each, none turned round. */
static void test_ordered(void **state)
{
	(void)state;
	run_some(2, alternate);
	assert_int_equal(pairs_times(&region->pairs), 2 * ROUNDS - 1);
	assert_true(has(1, 2) && has(2, 1));
	run_some(2, alternate_halves);
	assert_int_equal(pairs_times(&region->pairs), 2 * (2 * ROUNDS - 1));
	assert_true(has(1, 2) && has(2, 1));
}

/* What came first is not lost, whoever comes with it. */
static void test_first(void **state)
{
	(void)state;
	run_some(2, read_first);
	assert_int_equal(pairs_times(&region->pairs), 2 * PAGES);
	assert_true(has(1, 3) && has(2, 3));
}

/* For each access a pair with each that its granule has, at most; and none of
 * accesses that there are not. */
static void check_sane(uint32_t count)
{
	const struct pair_block *b = &region->pairs;

	assert_true(pairs_times(b) <=
		    UINT64_C(1) * count * GRANULE_ENTRIES * ROUNDS);
	for (uint32_t i = 0; i < b->count; i++) {
		const struct access_pair *p = &b->pairs[i];

		if (!p->head)
			continue;
		assert_true(pair_thread(p->head) < count);
		assert_int_equal(pair_place(p->head), pair_thread(p->head) + 1);
		assert_int_equal(pair_place(p->tail), pair_thread(p->tail) + 1);
		assert_int_not_equal(pair_thread(p->head),
				     pair_thread(p->tail));
		assert_true(pair_kind(p->head) || pair_kind(p->tail));
		assert_in_range(p->head_at >> 32, 1, ROUNDS);
		assert_in_range(p->tail_at >> 32, 1, ROUNDS);
	}
}

/* Accesses that nothing orders: some pairs may be missed or turned round. */
static void test_unordered(void **state)
{
	(void)state;
	run_some(2, collide);
	check_sane(2);
	run_some(3, collide_halves);
	check_sane(3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordered),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_unordered),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
