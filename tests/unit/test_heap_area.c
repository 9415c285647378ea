/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap_blocks.h"

/*
 * Areas of the heap under control: when freed blocks serve again, what happens
 * when there is no room, and that threads do not disturb each other, even
 * those that run while another has the turn.
 */

/* ---- quarantine ---- */

static void quarantine_keeps_the_last_blocks(void **state)
{
	void *first = block_new(60, 64);

	(void)state;
	block_free(60, first);
	for (int i = 1; i < QUARANTINE_BLOCKS; i++) {
		void *p = block_new(60, 64);

		assert_ptr_not_equal(p, first);
		block_free(60, p);
	}
	assert_ptr_not_equal(block_new(60, 64), first);
	block_free(60, block_new(60, 200));
	/* Now it has left, and others go before the frontier moves on. */
	assert_ptr_equal(block_new(60, 64), first);
}

static void quarantine_is_bounded_by_bytes(void **state)
{
	const size_t size = 1 << 20;
	void *first = block_new(61, size);
	int rounds = 0;
	void *p;

	(void)state;
	block_free(61, first);
	while ((p = block_new(61, size)) != first) {
		block_free(61, p);
		rounds++;
	}
	assert_in_range(rounds, QUARANTINE_BYTES / size - 2,
			QUARANTINE_BYTES / size);
}

static void blocks_come_back_to_their_area(void **state)
{
	void *first = block_new(62, 64);

	(void)state;
	block_free(63, first);
	assert_false(heap_may_touch((uintptr_t)first, 1));
	for (int i = 0; i < QUARANTINE_BLOCKS; i++) {
		void *p = block_new(62, 64);

		assert_ptr_not_equal(p, first);
		block_free(63, p);
	}
	assert_ptr_equal(block_new(62, 64), first);
}

static void memory_is_used_again(void **state)
{
	uintptr_t low = (uintptr_t)block_new(64, 100), high = low;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		void *p = heap_own_new(by(64), 100, i % 3 ? 16 : 64, false);

		high = (uintptr_t)p > high ? (uintptr_t)p : high;
		block_free(64, p);
	}
	assert_in_range(high - low, 0, 3 * QUARANTINE_BLOCKS * 256);
}

/* ---- room ---- */

static void what_is_too_large_is_refused(void **state)
{
	const size_t most = (size_t)1 << HUGE_MOST_LOG;

	(void)state;
	assert_null(heap_own_new(by(65), SIZE_MAX, 16, false));
	assert_null(heap_own_new(by(65), SIZE_MAX - 4096, 16, false));
	assert_null(heap_own_new(by(65), most + 1, 16, false));
	assert_null(heap_own_new(by(65), 1, most * 2, false));
	assert_null(heap_own_new(by(65), most, 8192, false));
}

static void full_zones_go_on_in_the_commons(void **state)
{
	const size_t size = (size_t)1 << 31;
	uint8_t *here = block_new(66, size), *p;

	(void)state;
	assert_int_equal(area_of((uintptr_t)here), 66);
	p = block_new(66, size);
	assert_int_equal(area_of((uintptr_t)p), AREA_COMMONS);
	p[0] = p[size - 1] = 1;
	assert_true(heap_may_touch((uintptr_t)p, size));
	assert_false(heap_may_touch((uintptr_t)p + 1, size));
	block_free(66, p);
	assert_false(heap_may_touch((uintptr_t)p, 1));
	/* It is larger than the quarantine. */
	assert_ptr_equal(block_new(2000, size), p);
	block_free(3000, p);
	block_free(3000, here);
}

static void full_areas_go_on_in_the_commons(void **state)
{
	int status = -1;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		size_t here = 0;

		/* Only heads are touched: 64 Ki pages and their poison. */
		while (area_of((uintptr_t)block_new(67, SMALL_MOST)) == 67)
			here += SMALL_MOST;
		_exit(here > (size_t)7 << 28 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static void a_few_blocks_touch_few_pages(void **state)
{
	long before = faults();

	(void)state;
	for (uint32_t thread = 100; thread < 200; thread++)
		for (int i = 0; i < 10; i++)
			block_free(thread, block_new(thread, 100));
	/* For each thread one page of the heap and one of poison. */
	assert_in_range(faults() - before, 200, 220);
	before = faults();
	block_new(100, (size_t)1 << 30);
	assert_in_range(faults() - before, 0, 2);
}

/* ---- strangers, and threads that really run at once ---- */

static void strangers_change_nothing_of_others(void **state)
{
	void *p = block_new(80, 64), *own = block_new(HEAP_STRANGER, 64);
	struct heap_misuse m;

	(void)state;
	assert_int_equal(area_of((uintptr_t)own), AREA_STRANGERS);
	block_free(HEAP_STRANGER, p);
	assert_true(heap_may_touch((uintptr_t)p, 64));
	for (int i = 0; i < QUARANTINE_BLOCKS * 2; i++) {
		void *q = block_new(80, 64);

		assert_ptr_not_equal(q, p);
		block_free(80, q);
	}
	block_free(HEAP_STRANGER, own);
	/* Neither are they told what they did wrong. */
	block_free(HEAP_STRANGER, own);
	assert_false(heap_own_end(by(80), own, &m));
	assert_int_equal(m.kind, HEAP_DOUBLE_FREE);
	assert_int_equal(m.free_thread, NO_THREAD);
}

enum { RUNNERS = 4, EXCHANGES = 30000, SLOTS = 64 };

static void *_Atomic slots[SLOTS];
static atomic_bool is_spoiled;

static void run_fill(uint64_t *p, uint64_t words)
{
	p[0] = words;
	for (uint64_t i = 1; i < words; i++)
		p[i] = (uintptr_t)p ^ i;
}

static void run_end(uint32_t thread, uint64_t *p)
{
	struct heap_misuse m;

	for (uint64_t i = 1; i < p[0]; i++)
		if (p[i] != ((uintptr_t)p ^ i))
			is_spoiled = true;
	if (!heap_own_end(by(thread), p, &m))
		is_spoiled = true;
}

static void *runner(void *arg)
{
	uint32_t thread = (uint32_t)(uintptr_t)arg;
	uint64_t seed = thread * UINT64_C(0x9e3779b97f4a7c15) + 1;

	for (int i = 0; i < EXCHANGES; i++) {
		uint64_t words, *p;

		seed = seed * UINT64_C(6364136223846793005) + 1;
		words = 1 + (seed >> 40) % ((seed >> 33) % 50 ? 30 : 5000);
		p = heap_own_new(by(thread), words * sizeof(*p), 16, false);
		if (!p) {
			is_spoiled = true;
			break;
		}
		run_fill(p, words);
		p = atomic_exchange(&slots[(seed >> 50) % SLOTS], p);
		if (p)
			run_end(thread, p);
	}
	return NULL;
}

static void runners_go(const uint32_t *numbers)
{
	pthread_t threads[RUNNERS];

	for (uint32_t i = 0; i < RUNNERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, runner,
						(void *)(uintptr_t)numbers[i]),
				 0);
	for (uint32_t i = 0; i < RUNNERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (uint32_t i = 0; i < SLOTS; i++) {
		uint64_t *p = atomic_exchange(&slots[i], NULL);

		if (p)
			run_end(numbers[0], p);
	}
	assert_false(is_spoiled);
}

static void threads_at_once_do_not_spoil_blocks(void **state)
{
	(void)state;
	/* Owners, those without an area, strangers. */
	runners_go((const uint32_t[]){ 90, 91, 92, 93 });
	runners_go((const uint32_t[]){ 94, 2000, 3000, 95 });
	runners_go((const uint32_t[]){ HEAP_STRANGER, HEAP_STRANGER,
				       HEAP_STRANGER, HEAP_STRANGER });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_few_blocks_touch_few_pages),
		cmocka_unit_test(quarantine_keeps_the_last_blocks),
		cmocka_unit_test(quarantine_is_bounded_by_bytes),
		cmocka_unit_test(blocks_come_back_to_their_area),
		cmocka_unit_test(memory_is_used_again),
		cmocka_unit_test(what_is_too_large_is_refused),
		cmocka_unit_test(full_zones_go_on_in_the_commons),
		cmocka_unit_test(full_areas_go_on_in_the_commons),
		cmocka_unit_test(strangers_change_nothing_of_others),
		cmocka_unit_test(threads_at_once_do_not_spoil_blocks),
	};

	return cmocka_run_group_tests(tests, heap_start, NULL);
}
