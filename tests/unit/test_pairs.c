/* SPDX-License-Identifier: Apache-2.0 */
#include "lone_pairs.h"

/*
 * The guest's own collector of pairs. One thread at a time, it finds exactly
 * the pairs of the definition: the transitive reduction, byte by byte, of each
 * thread's own order and the order of conflicting accesses.
 */

/* ---- the definition ---- */

enum { ACCESSES = 40 };

static bool covers(const struct access *a, uint32_t byte)
{
	return byte >= a->from && byte < a->from + a->size;
}

/* Is i, which came first, directly ordered before j at a byte of both? */
static bool is_ordered(const struct access *i, const struct access *j)
{
	return i->thread == j->thread || i->is_write || j->is_write;
}

/* At this byte: a pair, with no way round? All orders of the closure are
 * chains of direct ones, and of such a chain the first or the last link tells:
 * it is enough to look for one access between. */
static bool is_pair(const struct access *all, int i, int j, uint32_t byte,
		    bool before[ACCESSES][ACCESSES])
{
	if (all[i].thread == all[j].thread ||
	    !(all[i].is_write || all[j].is_write))
		return false;
	for (int k = i + 1; k < j; k++)
		if (covers(&all[k], byte) && before[i][k] && before[k][j])
			return false;
	return true;
}

static void close_order(const struct access *all, int n, uint32_t byte,
			bool before[ACCESSES][ACCESSES])
{
	for (int j = 0; j < n; j++)
		for (int i = j - 1; i >= 0; i--) {
			before[i][j] = false;
			if (!covers(&all[i], byte) || !covers(&all[j], byte))
				continue;
			before[i][j] = is_ordered(&all[i], &all[j]);
			for (int k = i + 1; k < j && !before[i][j]; k++)
				before[i][j] = is_ordered(&all[i], &all[k]) &&
					       covers(&all[k], byte) &&
					       before[k][j];
		}
}

static uint64_t word_of(const struct access *a)
{
	return (uint64_t)(a->thread + 1) << PAIR_THREAD_SHIFT |
	       (uint64_t)a->site << PAIR_PLACE_SHIFT |
	       (uint64_t)(a->is_write ? PAIR_WRITE : PAIR_READ)
		       << PAIR_KIND_SHIFT;
}

struct known {
	uint64_t head, tail;
};

static size_t add(struct known *all, size_t n, uint64_t head, uint64_t tail)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].head == head && all[i].tail == tail)
			return n;
	all[n] = (struct known){ .head = head, .tail = tail };
	return n + 1;
}

static size_t expected(const struct access *all, int n, struct known *out)
{
	static bool before[ACCESSES][ACCESSES];
	size_t count = 0;

	for (uint32_t byte = 0; byte < BYTES; byte++) {
		close_order(all, n, byte, before);
		for (int i = 0; i < n; i++)
			for (int j = i + 1; j < n; j++)
				if (covers(&all[i], byte) &&
				    covers(&all[j], byte) &&
				    is_pair(all, i, j, byte, before))
					count = add(out, count,
						    word_of(&all[i]),
						    word_of(&all[j]));
	}
	return count;
}

/* How often pairs are told: once for each two accesses and granule. */
static uint64_t expected_times(const struct access *all, int n)
{
	static bool before[ACCESSES][ACCESSES];
	uint64_t times = 0;

	for (uint32_t from = 0; from < BYTES; from += 8) {
		bool is[ACCESSES][ACCESSES] = { 0 };

		for (uint32_t byte = from; byte < from + 8; byte++) {
			close_order(all, n, byte, before);
			for (int i = 0; i < n; i++)
				for (int j = i + 1; j < n; j++)
					is[i][j] |= covers(&all[i], byte) &&
						    covers(&all[j], byte) &&
						    is_pair(all, i, j, byte,
							    before);
		}
		for (int i = 0; i < n; i++)
			for (int j = i + 1; j < n; j++)
				times += is[i][j];
	}
	return times;
}

static size_t collected(struct known *out)
{
	const struct pair_block *b = &region->pairs;
	size_t count = 0;

	for (uint32_t i = 0; i < b->count; i++)
		if (b->pairs[i].head)
			count = add(out, count, b->pairs[i].head,
				    b->pairs[i].tail);
	return count;
}

static void access_make(const struct access *a, bool by_hook)
{
	if (by_hook && a->from % 8 + a->size <= 8)
		access_by_hook(a);
	else
		pairs_access(&threads[a->thread], (uintptr_t)&memory[a->from],
			     a->size, a->is_write ? PAIR_WRITE : PAIR_READ,
			     a->site);
}

static void make(struct rng *rng, struct access *all, uint32_t sites,
		 bool by_hook)
{
	static const uint32_t sizes[] = { 1, 2, 4, 8, 3, 16 };

	begin();
	for (int i = 0; i < ACCESSES; i++) {
		struct access *a = &all[i];

		a->thread = rng_below(rng, THREADS);
		a->site = sites ? 1 + rng_below(rng, sites) : (uint32_t)i + 1;
		a->size = sizes[rng_below(rng, 6)];
		a->from = rng_below(rng, BYTES - a->size);
		a->is_write = rng_below(rng, 3) == 0;
		access_make(a, by_hook);
	}
}

static void compare(const struct access *all)
{
	static struct known want[ACCESSES * ACCESSES];
	static struct known have[ACCESSES * ACCESSES];
	size_t wanted, had;

	wanted = expected(all, ACCESSES, want);
	had = collected(have);
	for (size_t i = 0; i < wanted; i++)
		assert_int_equal(add(have, had, want[i].head, want[i].tail),
				 had);
	assert_int_equal(had, wanted);
	assert_int_equal(pairs_times(&region->pairs),
			 expected_times(all, ACCESSES));
}

static void test_definition(void **state)
{
	static struct access all[ACCESSES];
	struct rng rng = rng_fork(1, 1);

	(void)state;
	controlled = true;
	for (int i = 0; i < 2000; i++) {
		make(&rng, all, i % 2 ? 3 : 0, false);
		compare(all);
	}
	controlled = false;
}

/* By the hooks of a free run, where no place is given up: two or three threads,
 * whole granules, the same places again and again. */
static void test_hooks(void **state)
{
	static struct access all[ACCESSES];
	struct rng rng = rng_fork(3, 1);

	(void)state;
	for (int n = 0; n < 2000; n++) {
		begin();
		for (int i = 0; i < ACCESSES; i++) {
			all[i] = (struct access){
				.thread = rng_below(&rng, 2 + n % 2),
				.site = 1 + rng_below(&rng, 3),
				.size = 8,
				.from = 8 * rng_below(&rng, BYTES / 8),
				.is_write = rng_below(&rng, 3) == 0
			};
			access_by_hook(&all[i]);
		}
		compare(all);
	}
}

/* Halves of granules, read by one thread only and written by the other or by
 * both: reads and writes take two places each, so that all four are needed and
 * none is given up. */
static struct access half_access(struct rng *rng, uint32_t site, bool by_both)
{
	struct access a = { .thread = rng_below(rng, 2), .site = site };

	a.is_write = a.thread == 0 || (by_both && rng_below(rng, 2));
	a.size = rng_below(rng, 3) ? 4 : 8;
	a.from = 8 * rng_below(rng, BYTES / 8);
	if (a.size == 4)
		a.from += 4 * rng_below(rng, 2);
	return a;
}

/* Near places and far ones, by the hooks: reads that come again change places
 * with writes, and writes of whole granules close what was open. */
static void test_halves(void **state)
{
	static struct access all[ACCESSES];
	struct rng rng = rng_fork(4, 1);

	(void)state;
	for (int n = 0; n < 2000; n++) {
		begin();
		for (int i = 0; i < ACCESSES; i++) {
			all[i] = half_access(&rng, 1 + rng_below(&rng, 2),
					     n % 2);
			access_make(&all[i], rng_below(&rng, 4));
		}
		compare(all);
	}
}

/* A write that comes again takes of an earlier read only its own bytes. */
static void test_half_taken(void **state)
{
	const struct access all[] = {
		{ .thread = 1, .site = 1, .size = 4, .is_write = true },
		{ .thread = 1, .site = 2, .size = 8 },
		{ .thread = 1, .site = 1, .size = 4, .is_write = true },
		{ .thread = 0, .site = 3, .size = 8, .is_write = true },
	};

	(void)state;
	begin();
	for (int i = 0; i < 4; i++)
		access_by_hook(&all[i]);
	assert_true(has(2, 3) && has(1, 3));
	assert_int_equal(pairs_times(&region->pairs), 2);
}

/* Wherever an access is moved to, its moment goes with it. */
static void test_moments(void **state)
{
	static struct access all[ACCESSES];
	const struct pair_block *b = &region->pairs;
	uint32_t counts[ACCESSES];
	struct rng rng = rng_fork(5, 1);

	(void)state;
	for (int n = 0; n < 2000; n++) {
		begin();
		for (int i = 0; i < ACCESSES; i++) {
			all[i] = half_access(&rng, (uint32_t)i + 1, n % 2);
			/* Now and then the one before it, again. */
			if (i && all[i].thread == all[i - 1].thread &&
			    rng_below(&rng, 2))
				all[i] = all[i - 1];
			access_make(&all[i], true);
			counts[i] = threads[all[i].thread].pair_count;
		}
		for (uint32_t k = 0; k < b->count; k++) {
			const struct access_pair *p = &b->pairs[k];
			uint32_t head = pair_place(p->head) - 1;
			uint32_t tail = pair_place(p->tail) - 1;

			/* Of an access that came again, the last as a head and
			 * the first as a tail. */
			while (head + 1 < ACCESSES &&
			       all[head + 1].site == all[head].site)
				head++;
			assert_int_equal(p->head_at >> 32, counts[head]);
			assert_int_equal(p->tail_at >> 32, counts[tail]);
		}
	}
}

/* Is there a byte that i and j, of two threads, have in conflict, with no
 * write between? */
static bool is_conflict(const struct access *all, int i, int j)
{
	for (uint32_t byte = 0; byte < BYTES; byte++) {
		bool is = covers(&all[i], byte) && covers(&all[j], byte);

		for (int k = i + 1; k < j; k++)
			is &= !covers(&all[k], byte) || !all[k].is_write;
		if (is)
			return true;
	}
	return false;
}

/* As a free run collects, which gives places up: every access is of a site of
 * its own, so that a pair names its two accesses. What is told is a conflict,
 * in its order, with its moments; a pair of the definition is missing only
 * where a place was given up, and that is seldom. */
static void test_places_given_up(void **state)
{
	static struct access all[ACCESSES];
	static struct known want[ACCESSES * ACCESSES];
	static struct known have[ACCESSES * ACCESSES];
	const struct pair_block *b = &region->pairs;
	struct rng rng = rng_fork(2, 1);
	size_t wanted = 0, found = 0, had;

	(void)state;
	for (int n = 0; n < 500; n++) {
		size_t count;

		make(&rng, all, 0, n % 2);
		count = expected(all, ACCESSES, want);
		wanted += count;
		for (uint32_t k = 0; k < b->count; k++) {
			const struct access_pair *p = &b->pairs[k];
			int i = (int)pair_place(p->head) - 1;
			int j = (int)pair_place(p->tail) - 1;

			assert_true(i < j);
			assert_int_equal(p->head, word_of(&all[i]));
			assert_int_equal(p->tail, word_of(&all[j]));
			assert_int_not_equal(all[i].thread, all[j].thread);
			assert_true(all[i].is_write || all[j].is_write);
			assert_true(is_conflict(all, i, j));
		}
		had = collected(have);
		for (size_t k = 0; k < count; k++)
			found += add(have, had, want[k].head, want[k].tail) ==
				 had;
	}
	assert_true(found < wanted && found * 10 >= wanted * 9);
}

/* ---- Table 1 of the paper ---- */

/* Row 4: W a and R c of one thread, W b of another. */
static void test_row_four(void **state)
{
	enum { A = 1, B, C };

	(void)state;
	begin();
	touch(0, A, true);
	touch(0, C, false);
	touch(1, B, true);
	assert_true(has(C, B));
	assert_int_equal(region->pairs.count, 1);
	begin();
	touch(1, B, true);
	touch(0, A, true);
	touch(0, C, false);
	assert_true(has(B, A));
	assert_int_equal(region->pairs.count, 1);
	begin();
	touch(0, A, true);
	touch(1, B, true);
	touch(0, C, false);
	assert_true(has(A, B) && has(B, C));
	/* The second comes back to the thread of the first. */
	assert_int_equal(pair_place(region->pairs.pairs[1].before), A);
}

static void test_counts(void **state)
{
	const struct access_pair *p = &region->pairs.pairs[0];

	(void)state;
	begin();
	for (int i = 0; i < 5; i++) {
		touch(0, 1, true);
		touch(1, 2, false);
	}
	assert_int_equal(p->count + region->pairs.pairs[2].count, 5);
	assert_int_equal(p->head_at >> 32, 1);
	assert_true(p->last >= p->first);
	/* A new life of the memory forgets. */
	pairs_forget((uintptr_t)memory, 8);
	touch(2, 3, false);
	assert_false(has(1, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition),
		cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_half_taken),
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_places_given_up),
		cmocka_unit_test(test_row_four),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
