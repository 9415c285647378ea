/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/granules.h"

/* A model: the same numbers in a plain array of 64 pages. */
enum { PAGES = 64, SLOTS = PAGES * GRANULE_PAGE_SLOTS };

static uint32_t model[SLOTS];
static uint64_t seed = 11;

static uint64_t draw(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (seed >> 33) % n;
}

struct sum {
	uint64_t numbers, places;
};

static void add(void *self, uint64_t addr, uint32_t *slot)
{
	struct sum *s = self;

	s->numbers += *slot;
	s->places += addr / GRANULE_BYTES;
}

static struct sum model_sum(uint64_t addr, uint64_t end)
{
	struct sum s = { 0, 0 };

	for (uint64_t i = 0; i < SLOTS; i++)
		if (model[i] && (i + 1) * GRANULE_BYTES > addr &&
		    i * GRANULE_BYTES < end) {
			s.numbers += model[i];
			s.places += i;
		}
	return s;
}

static void check_walk(struct granules *g, uint64_t addr, uint64_t size)
{
	struct sum got = { 0, 0 }, want = model_sum(addr, addr + size);

	granules_walk(g, addr, size, add, &got);
	assert_int_equal(got.numbers, want.numbers);
	assert_int_equal(got.places, want.places);
}

static void drop(struct granules *g, uint64_t addr, uint64_t size)
{
	const uint64_t page = 1 << GRANULE_PAGE_SHIFT;

	granules_drop(g, addr, size);
	for (uint64_t p = 0; p < PAGES; p++)
		if (p * page >= addr && (p + 1) * page <= addr + size)
			for (uint64_t i = 0; i < GRANULE_PAGE_SLOTS; i++)
				model[p * GRANULE_PAGE_SLOTS + i] = 0;
}

static void numbers_are_those_of_a_plain_array(void **state)
{
	const uint64_t bytes = (uint64_t)SLOTS * GRANULE_BYTES;
	struct granules g;

	(void)state;
	granules_init(&g);
	for (int i = 0; i < 4000; i++) {
		uint64_t addr = draw(bytes), at = addr / GRANULE_BYTES;
		uint32_t *slot;

		if (draw(3)) {
			model[at] = (uint32_t)draw(100);
			*granule_at(&g, addr) = model[at];
		}
		slot = granule_peek(&g, addr);
		assert_int_equal(slot ? *slot : 0, model[at]);
		if (draw(50) == 0)
			check_walk(&g, addr, 1 + draw(bytes - addr));
		if (draw(200) == 0)
			drop(&g, addr, draw(bytes - addr));
	}
	check_walk(&g, 0, bytes);
	granules_done(&g);
}

static void the_whole_address_space_can_be_walked_and_dropped(void **state)
{
	struct granules g;
	struct sum s = { 0, 0 };

	(void)state;
	granules_init(&g);
	granules_walk(&g, 0, UINT64_MAX, add, &s);
	granules_drop(&g, 0, UINT64_MAX);
	*granule_at(&g, 0x7ffff0000000) = 3;
	*granule_at(&g, 0x1000) = 4;
	*granule_at(&g, UINT64_MAX - 15) = 5;
	granules_walk(&g, 0, UINT64_MAX, add, &s);
	assert_int_equal(s.numbers, 12);
	granules_walk(&g, UINT64_MAX - 12, 100, add, &s);
	assert_int_equal(s.numbers, 17);
	granules_walk(&g, UINT64_MAX - 3, 100, add, &s);
	assert_int_equal(s.numbers, 17);
	granules_drop(&g, 1, UINT64_MAX);
	assert_null(granule_peek(&g, 0x1000));
	assert_null(granule_peek(&g, 0x7ffff0000000));
	granules_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_a_plain_array),
		cmocka_unit_test(
			the_whole_address_space_can_be_walked_and_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
