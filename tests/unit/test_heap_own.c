/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "heap_blocks.h"
#include "runtime/shadow.h"

/*
 * The heap under control against a model that knows every block: none overlap,
 * each is aligned and keeps what was written, and every byte in and around it
 * may be touched exactly if it should be. And the same steps get the same
 * addresses.
 */

/* ---- chance ---- */

static uint64_t chance_state;

static uint32_t chance(uint32_t below)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (uint32_t)(chance_state >> 33) % below;
}

static size_t size_chosen(void)
{
	switch (chance(20)) {
	case 0:
		return 0;
	case 1:
		return chance(3 * SMALL_MOST);
	case 2:
		return SMALL_MOST - 40 + chance(80);
	case 3:
		return chance(8) ? chance(5000) : chance(1 << 20);
	default:
		return chance(chance(2) ? 40 : 600);
	}
}

static size_t alignment_chosen(void)
{
	return chance(6) ? 16 : (size_t)1 << chance(chance(8) ? 9 : 17);
}

/* ---- the model ---- */

enum { MODEL_BLOCKS = 96, MODEL_THREADS = 5, MARGIN = 40 };

struct model_block {
	uint8_t *at;
	size_t size;
	uint8_t fill;
};

static struct model_block model[MODEL_BLOCKS];
static size_t model_count;

static bool model_has(uintptr_t byte)
{
	for (size_t i = 0; i < model_count; i++)
		if (byte - (uintptr_t)model[i].at < model[i].size)
			return true;
	return false;
}

/* Every byte of a short range, the ends of a long one. */
static void bytes_compare(uintptr_t from, uintptr_t to)
{
	for (uintptr_t at = from; at < to; at++) {
		if (heap_may_touch(at, 1) != model_has(at))
			fail_msg("byte %#lx may%s be touched", (long)at,
				 model_has(at) ? " not" : "");
		if (at - from == 1024 && to - at > 2048)
			at = to - 1024;
	}
}

static void surroundings_compare(const uint8_t *at, size_t size)
{
	bytes_compare((uintptr_t)at - MARGIN, (uintptr_t)at + size + MARGIN);
}

static uint8_t pattern(const struct model_block *b, size_t i)
{
	return (uint8_t)(b->fill + i * 7);
}

static void block_fill(struct model_block *b)
{
	b->fill = (uint8_t)chance(256);
	for (size_t i = 0; i < b->size; i++)
		b->at[i] = pattern(b, i);
}

static void block_compare(const struct model_block *b, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (b->at[i] != pattern(b, i))
			fail_msg("byte %zu of %zu changed", i, b->size);
}

/* The block is new: nothing of it is in another. */
static void block_add(uint8_t *at, size_t size)
{
	uintptr_t low = (uintptr_t)at, high = low + (size ? size : 1);

	for (size_t i = 0; i < model_count; i++) {
		uintptr_t other = (uintptr_t)model[i].at;

		assert_true(high + 16 <= other ||
			    other + model[i].size + 16 <= low);
	}
	assert_true(model_count < MODEL_BLOCKS);
	model[model_count] = (struct model_block){ .at = at, .size = size };
	block_fill(&model[model_count++]);
	surroundings_compare(at, size);
}

static void block_remove(size_t i)
{
	struct model_block b = model[i];

	model[i] = model[--model_count];
	surroundings_compare(b.at, b.size);
}

static void step_new(uint32_t thread)
{
	size_t size = size_chosen(), alignment = alignment_chosen();
	bool is_zeroed = !chance(4);
	uint8_t *p = heap_own_new(by(thread), size, alignment, is_zeroed);

	assert_non_null(p);
	assert_true(heap_is_own(p));
	assert_int_equal((uintptr_t)p % alignment, 0);
	assert_int_equal((uintptr_t)p % 16, 0);
	for (size_t i = 0; is_zeroed && i < size; i++)
		assert_int_equal(p[i], 0);
	block_add(p, size);
}

static void step_free(uint32_t thread, size_t i)
{
	size_t size;
	struct heap_misuse m;

	assert_true(heap_own_size(model[i].at, &size, &m));
	assert_int_equal(size, model[i].size);
	block_compare(&model[i], size);
	block_free(thread, model[i].at);
	block_remove(i);
}

static void step_fit(uint32_t thread, size_t i)
{
	struct model_block *b = &model[i];
	size_t had = b->size,
	       size = chance(2) ? size_chosen() : had + chance(9);
	struct heap_misuse m;
	bool is_done;

	assert_true(heap_own_fit(by(thread), b->at, size, &is_done, &m));
	if (!is_done)
		return;
	block_compare(b, had < size ? had : size);
	b->size = size;
	surroundings_compare(b->at, had > size ? had : size);
	block_fill(b);
}

/* A range may be touched if all its bytes may. */
static void step_probe(void)
{
	const struct model_block *b = &model[chance((uint32_t)model_count)];
	uintptr_t at = (uintptr_t)b->at - MARGIN +
		       chance((uint32_t)b->size + 2 * MARGIN);
	size_t size = chance(chance(4) ? 18 : 700), good = 0;

	while (good < size && model_has(at + good))
		good++;
	assert_int_equal(heap_may_touch(at, size), good == size);
	assert_int_equal(poison_first(at, size), at + good);
}

static void step_any(void)
{
	uint32_t thread = 30 + chance(MODEL_THREADS);
	uint32_t what = chance(10);

	if (!model_count || (what < 5 && model_count < MODEL_BLOCKS))
		step_new(thread);
	else if (what < 8)
		step_free(thread, chance((uint32_t)model_count));
	else if (what < 9)
		step_fit(thread, chance((uint32_t)model_count));
	else
		step_probe();
}

static void blocks_are_apart_aligned_kept_and_told_exactly(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		chance_state = seed * UINT64_C(0x9e3779b97f4a7c15);
		for (int i = 0; i < 3000; i++)
			step_any();
		while (model_count)
			step_free(30 + chance(MODEL_THREADS), 0);
	}
}

static void classes_hold_what_they_are_for(void **state)
{
	(void)state;
	for (size_t need = 0; need < 70000; need++) {
		uint32_t class = class_of(need);

		assert_true(class_room(class) >= need);
		assert_true(!class || class_room(class - 1) < need);
	}
	for (uint32_t log = 8; log <= HUGE_MOST_LOG; log++) {
		size_t need = (size_t)1 << log;

		assert_int_equal(class_room(class_of(need)), need);
		if (log < HUGE_MOST_LOG)
			assert_int_equal(class_of(need + 1),
					 class_of(need) + 1);
	}
	assert_int_equal(class_of((size_t)1 << HUGE_MOST_LOG),
			 HEAP_CLASSES - 1);
}

/* ---- the same in every run ---- */

struct walk {
	uint64_t seed;
	uint8_t *blocks[32];
};

static uint64_t walk_step(struct walk *w, uint32_t thread)
{
	uint32_t i;
	uint8_t *p;

	chance_state = w->seed;
	i = chance(32);
	if (w->blocks[i]) {
		block_free(thread, w->blocks[i]);
		p = w->blocks[i] = NULL;
	} else {
		size_t size = size_chosen();

		p = heap_own_new(by(thread), size, alignment_chosen(), false);
		w->blocks[i] = p;
	}
	w->seed = chance_state;
	return (uintptr_t)p;
}

/* In a child: what two threads got, when the turn changes every `often`
 * steps. */
static void walks_go(uint32_t often, uint64_t *told)
{
	struct walk walks[2] = { { .seed = 77 }, { .seed = 78 } };
	uint32_t steps[2] = { 0 };

	for (uint32_t turn = 0; steps[0] + steps[1] < 8000; turn++)
		for (uint32_t i = 0; i < often; i++) {
			uint32_t t = turn % 2;

			if (steps[t] < 4000)
				told[t * 4000 + steps[t]++] =
					walk_step(&walks[t], 50 + t);
		}
}

static uint64_t *shared_map(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	return at;
}

static void same_steps_of_a_thread_get_the_same_addresses(void **state)
{
	const uint32_t often[] = { 1, 1, 17, 4000 };
	const size_t size = 8000 * sizeof(uint64_t);
	uint64_t *told[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		int status = -1;
		pid_t pid;

		told[i] = shared_map(size);
		pid = fork();
		if (pid == 0) {
			walks_go(often[i], told[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		assert_memory_equal(told[i], told[0], size);
	}
	assert_int_not_equal(told[0][0], 0);
	for (int i = 0; i < 4; i++)
		munmap(told[i], size);
}

static void addresses_have_cells_of_their_own(void **state)
{
	static int global;
	int local;
	const void *elsewhere[] = { &global, &local, (void *)(uintptr_t)malloc,
				    sbrk(0), (void *)0x400000 };

	(void)state;
	for (uintptr_t at = HEAP_BASE; at < HEAP_END; at += UINT64_C(1) << 40)
		for (size_t i = 0; i < 5; i++)
			assert_int_not_equal(at >> 40 & 15,
					     (uintptr_t)elsewhere[i] >> 40 &
						     15);
	assert_true((uintptr_t)shadow_find(HEAP_END - 1) < HEAP_BASE);
	assert_true(HEAP_BASE >= SHADOW_BASE + (UINT64_C(2) << SHADOW_LOG));
}

/* ---- speed, told and not judged ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void tell_speed(void **state)
{
	enum { PAIRS = 1000000 };
	const size_t sizes[] = { 16, 64, 256, 1024 };

	(void)state;
	for (int k = 0; k < 4; k++) {
		double begin = now(), each;

		for (int i = 0; i < PAIRS; i++)
			block_free(96, block_new(96, sizes[k]));
		each = (now() - begin) / PAIRS;
		print_message("%4zu bytes: %.1f ns to allocate and free\n",
			      sizes[k], each);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_hold_what_they_are_for),
		cmocka_unit_test(
			blocks_are_apart_aligned_kept_and_told_exactly),
		cmocka_unit_test(same_steps_of_a_thread_get_the_same_addresses),
		cmocka_unit_test(addresses_have_cells_of_their_own),
		cmocka_unit_test(tell_speed),
	};

	return cmocka_run_group_tests(tests, heap_start, NULL);
}
