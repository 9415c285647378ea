/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ranking against a look at all entries: ranks that fall behind its back, and
 * entries that go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/ranking.h"
#include "format/rng.h"

#include <stdbool.h>

enum { ENTRIES = 50, ROUNDS = 2000 };

struct entry {
	uint32_t rank;
	bool is_gone;
};

/* The highest rank, the lowest number; ENTRIES: all are gone. */
static uint32_t first_of(const struct entry *e)
{
	uint32_t best = ENTRIES;

	for (uint32_t i = 0; i < ENTRIES; i++)
		if (!e[i].is_gone &&
		    (best == ENTRIES || e[i].rank > e[best].rank))
			best = i;
	return best;
}

static uint32_t first_by(struct ranking *r, const struct entry *e)
{
	const struct ranked *first;

	while ((first = ranking_first(r))) {
		const struct entry *now = &e[first->number];

		if (now->is_gone)
			ranking_drop(r);
		else if (now->rank != first->rank)
			ranking_lower(r, now->rank);
		else
			return first->number;
	}
	return ENTRIES;
}

/* Something happens to one of them. */
static void change(struct entry *e, struct rng *rng)
{
	struct entry *one = &e[rng_below(rng, ENTRIES)];

	if (rng_below(rng, 20) == 0)
		one->is_gone = true;
	else
		one->rank -= rng_below(rng, one->rank + 1);
}

static void the_first_is_the_one_that_a_look_at_all_finds(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct rng rng = rng_seeded(seed);
		struct ranking r = { 0 };
		struct entry e[ENTRIES] = { 0 };

		for (uint32_t i = 0; i < ENTRIES; i++) {
			e[i].rank = rng_below(&rng, 40);
			ranking_add(&r, i, e[i].rank);
		}
		for (int i = 0; i < ROUNDS; i++) {
			change(e, &rng);
			assert_int_equal(first_by(&r, e), first_of(e));
		}
		ranking_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_the_one_that_a_look_at_all_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
