/* SPDX-License-Identifier: Apache-2.0 */
/* The search over w and d, against programs that answer by rule. */
#include "regress/widen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "format/rng.h"

/* A program in which event k is met from w = need[k] on, by calls that differ
 * by far[k]; the bug is triggered only if no w is above `most`. */
struct program {
	uint32_t need[HUNT_EVENTS], far[HUNT_EVENTS], most;
};

static bool run(const struct program *p, const struct widening *w,
		struct hunt_report *r)
{
	bool is_narrow = true;

	*r = (struct hunt_report){ .reached = w->count };
	for (uint32_t k = w->count; k-- > 0;) {
		const struct hunt_width *width = &w->now.widths[k];

		r->least_distance[k] = UINT32_MAX;
		is_narrow &= width->w <= p->most;
		if (width->w >= p->need[k] && width->d >= p->far[k]) {
			r->similar[k] = 1;
			continue;
		}
		r->reached = k;
		if (width->w < p->need[k])
			continue;
		r->other_stack[k] = 1;
		r->least_distance[k] = p->far[k];
	}
	return r->reached == w->count && is_narrow;
}

static uint32_t search(const struct program *p, uint32_t count, uint32_t most)
{
	struct signature s = { .count = count };
	struct widening w;
	struct hunt_report r;

	widening_begin(&w, &s);
	for (uint32_t i = 1; i <= most; i++) {
		if (run(p, &w, &r))
			return i;
		widening_learn(&w, &r);
		if (w.is_over)
			widening_renew(&w);
	}
	return 0;
}

static void nothing_to_widen(void **state)
{
	(void)state;
	assert_int_equal(search(&(struct program){ .most = 0 }, 3, 9), 1);
}

static void jumps(void **state)
{
	const struct program p = { .need = { 0, 12, 60 }, .most = 4096 };

	(void)state;
	assert_int_equal(search(&p, 3, 20), 3);
}

/* d comes when the place is right and the calls are not. */
static void goes_further_after_w(void **state)
{
	const struct program p = { .need = { 0, 12 },
				   .far = { 2, 3 },
				   .most = 4096 };

	(void)state;
	assert_int_equal(search(&p, 2, 20), 3);
}

static void cuts(void **state)
{
	const struct program p = { .need = { 0, 20 }, .most = 40 };

	(void)state;
	assert_in_range(search(&p, 2, 20), 1, 8);
}

/* Wherever the bug is, within the limits, it is found. */
static void always_finds(void **state)
{
	struct rng rng = rng_fork(5, 1);

	(void)state;
	for (int i = 0; i < 2000; i++) {
		uint32_t count = 2 + rng_below(&rng, 3), top = 0;
		struct program p = { 0 };

		for (uint32_t k = 0; k < count; k++) {
			p.need[k] = rng_below(&rng, 3) ? rng_below(&rng, 200) :
							 0;
			p.far[k] = rng_below(&rng, 4);
			if (p.need[k] > top)
				top = p.need[k];
		}
		p.most = 4 * top + 16;
		assert_in_range(search(&p, count, 20), 1, 20);
	}
}

static void ends(void **state)
{
	struct signature s = { .count = 2 };
	struct hunt_report r = { .reached = 0 };
	struct widening w;
	uint32_t runs = 0;

	(void)state;
	widening_begin(&w, &s);
	while (!w.is_over && runs++ < 100)
		widening_learn(&w, &r);
	assert_in_range(runs, 1, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_widen),	cmocka_unit_test(jumps),
		cmocka_unit_test(goes_further_after_w), cmocka_unit_test(cuts),
		cmocka_unit_test(always_finds),		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
