/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "heap_blocks.h"

/*
 * What is said of a program that misuses a block: what it did, which block it
 * was, who made it and who ended it.
 */

static struct heap_misuse misuse_at(const void *p, size_t size)
{
	struct heap_misuse m;

	assert_false(heap_may_touch((uintptr_t)p, size));
	heap_misuse_find((uintptr_t)p, size, &m);
	assert_int_equal(m.addr, (uintptr_t)p);
	assert_int_equal(m.size, size);
	return m;
}

static void about_block(const struct heap_misuse *m, const void *p, size_t size)
{
	assert_int_equal(m->block, (uintptr_t)p);
	assert_int_equal(m->block_size, size);
}

static void about_nothing(const struct heap_misuse *m)
{
	about_block(m, NULL, 0);
	assert_int_equal(m->alloc_stack, 0);
	assert_int_equal(m->free_stack, NO_STACK);
	assert_int_equal(m->free_thread, NO_THREAD);
}

static void freed_by(const struct heap_misuse *m, uint32_t thread)
{
	assert_int_equal(m->free_thread, thread);
	assert_int_equal(m->free_stack, thread + 1000);
}

static void misuse_of_size(size_t size)
{
	uint8_t *a = block_new(70, size), *b = block_new(70, size);
	struct heap_misuse m;

	/* Beyond one, before the next; with the access half in the block. */
	m = misuse_at(a + size, 1);
	assert_int_equal(m.kind, HEAP_BEYOND);
	about_block(&m, a, size);
	m = misuse_at(a + size - 2, 8);
	assert_int_equal(m.kind, HEAP_BEYOND);
	about_block(&m, a, size);
	assert_int_equal(m.alloc_thread, 70);
	assert_int_equal(m.alloc_stack, 1070);
	assert_int_equal(m.free_thread, NO_THREAD);
	assert_int_equal(m.free_stack, NO_STACK);
	m = misuse_at(b - 1, 1);
	assert_int_equal(m.kind, HEAP_BEFORE);
	about_block(&m, b, size);
	m = misuse_at(b - 4, 8);
	assert_int_equal(m.kind, HEAP_BEFORE);
	about_block(&m, b, size);
	/* The last one of all has an end as well. */
	m = misuse_at(b + size, 8);
	assert_int_equal(m.kind, HEAP_BEYOND);
	about_block(&m, b, size);

	block_free(71, a);
	for (size_t i = 0; i < size; i += 1 + size / 100) {
		m = misuse_at(a + i, 1);
		assert_int_equal(m.kind, HEAP_USE_AFTER_FREE);
		about_block(&m, a, size);
		assert_int_equal(m.alloc_thread, 70);
		freed_by(&m, 71);
	}
	assert_false(heap_own_end(by(72), a, &m));
	assert_int_equal(m.kind, HEAP_DOUBLE_FREE);
	about_block(&m, a, size);
	freed_by(&m, 71);
	assert_false(heap_own_end(by(72), b + 16, &m));
	assert_int_equal(m.kind, HEAP_INVALID_FREE);
	about_block(&m, b, size);
	assert_int_equal(m.free_thread, NO_THREAD);
	assert_true(heap_may_touch((uintptr_t)b, size));
}

static void misuse_is_told_exactly(void **state)
{
	const size_t sizes[] = { 17,   24,    32,	  33,	   100,
				 4096, 20000, SMALL_MOST, 3 << 20, 70001 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		misuse_of_size(sizes[i]);
}

static void every_byte_between_blocks_belongs_to_the_nearer(void **state)
{
	for (size_t size = 1; size < 100; size++) {
		uint8_t *a = block_new(73, size), *b = block_new(73, 8);
		uint8_t *end = a + size;

		for (uint8_t *p = end; p < b; p++) {
			struct heap_misuse m = misuse_at(p, 1);

			if (b - p <= p - end) {
				assert_int_equal(m.kind, HEAP_BEFORE);
				about_block(&m, b, 8);
			} else {
				assert_int_equal(m.kind, HEAP_BEYOND);
				about_block(&m, a, size);
			}
		}
	}
	(void)state;
}

static void blocks_of_no_bytes_can_be_freed_once(void **state)
{
	uint8_t *p = block_new(74, 0), *q = block_new(74, 0);
	struct heap_misuse m;

	(void)state;
	assert_ptr_not_equal(p, q);
	m = misuse_at(p, 1);
	assert_int_equal(m.kind, HEAP_BEYOND);
	about_block(&m, p, 0);
	block_free(74, p);
	assert_int_equal(misuse_at(p, 1).kind, HEAP_USE_AFTER_FREE);
	assert_false(heap_own_end(by(74), p, &m));
	assert_int_equal(m.kind, HEAP_DOUBLE_FREE);
	assert_true(heap_may_touch((uintptr_t)p, 0));
}

static void what_was_never_allocated_is_said_to_be(void **state)
{
	uint8_t *p = block_new(75, 8), *large = block_new(75, 1 << 20);
	void *nowhere[] = { p + 100000,
			    p - 200, /* within struct area */
			    large + (1 << 24),
			    area_at(76),
			    (void *)HEAP_AREAS,
			    (void *)(HEAP_AREAS + 4096),
			    (void *)(HEAP_END - 16),
			    (void *)HEAP_BASE,
			    (void *)(HEAP_ZONES +
				     (UINT64_C(900) << ZONE_LOG)) };
	struct heap_misuse m;

	(void)state;
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++) {
		m = misuse_at(nowhere[i], 8);
		if (nowhere[i] == (void *)HEAP_BASE)
			continue; /* near a large block of the commons */
		assert_int_equal(m.kind, HEAP_NEVER);
		about_nothing(&m);
		assert_false(heap_own_end(by(75), nowhere[i], &m));
		assert_int_equal(m.kind, HEAP_INVALID_FREE);
		about_nothing(&m);
	}
	assert_true(heap_may_touch((uintptr_t)&m, sizeof(m)));
	assert_true(heap_may_touch(HEAP_BASE - 1, 1));
	assert_true(heap_may_touch(HEAP_END, 1));
	assert_false(heap_may_touch(HEAP_END - 1, 2));
}

static void what_is_resized_or_measured_must_live(void **state)
{
	uint8_t *p = block_new(77, 50);
	struct heap_misuse m;
	bool is_done;
	size_t size;

	(void)state;
	assert_true(heap_own_fit(by(78), p, 60, &is_done, &m));
	assert_true(is_done);
	assert_true(heap_own_size(p, &size, &m));
	assert_int_equal(size, 60);
	assert_int_equal(misuse_at(p + 60, 1).alloc_thread, 78);
	assert_true(heap_own_fit(by(77), p, 70, &is_done, &m));
	assert_false(is_done);
	block_free(77, p);
	assert_false(heap_own_fit(by(77), p, 60, &is_done, &m));
	assert_int_equal(m.kind, HEAP_DOUBLE_FREE);
	assert_false(heap_own_size(p, &size, &m));
	assert_false(heap_own_size(p + 16, &size, &m));
	assert_int_equal(m.kind, HEAP_INVALID_FREE);
}

static void aligned_blocks_are_found_in_their_rooms(void **state)
{
	(void)state;
	for (size_t alignment = 32; alignment <= 1 << 20; alignment *= 2) {
		uint8_t *p = heap_own_new(by(79), 40, alignment, false);
		uint8_t *q = heap_own_new(by(79), 40, alignment, false);
		struct heap_misuse m;

		assert_int_equal((uintptr_t)p % alignment, 0);
		m = misuse_at(q - 1, 1);
		assert_int_equal(m.kind, HEAP_BEFORE);
		about_block(&m, q, 40);
		m = misuse_at(p + 40, 1);
		assert_int_equal(m.kind, HEAP_BEYOND);
		about_block(&m, p, 40);
		assert_false(heap_own_end(by(79), q - 16, &m));
		assert_int_equal(m.kind, HEAP_INVALID_FREE);
		block_free(79, p);
		m = misuse_at(p, 1);
		assert_int_equal(m.kind, HEAP_USE_AFTER_FREE);
		about_block(&m, p, 40);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misuse_is_told_exactly),
		cmocka_unit_test(
			every_byte_between_blocks_belongs_to_the_nearer),
		cmocka_unit_test(blocks_of_no_bytes_can_be_freed_once),
		cmocka_unit_test(what_was_never_allocated_is_said_to_be),
		cmocka_unit_test(what_is_resized_or_measured_must_live),
		cmocka_unit_test(aligned_blocks_are_found_in_their_rooms),
	};

	return cmocka_run_group_tests(tests, heap_start, NULL);
}
