/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "format/rng.h"
#include "runtime/control.h"
#include "runtime/pairs.h"

/*
 * The guest's own collector of pairs. One thread at a time, it finds exactly
 * the pairs of the definition: the transitive reduction, byte by byte, of each
 * thread's own order and the order of conflicting accesses. In parallel it is
 * exact where something orders the accesses, and sane where nothing does.
 */

/* ---- the rest of the guest ---- */

struct region *region;
struct control *control;
bool controlled, steered, gate;
uint32_t turn_live, turn_visit;
__thread struct thread *self;

void *guest_map(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

void guest_hide(void *at, size_t size)
{
	(void)at;
	(void)size;
}

void guest_note(const char *text)
{
	(void)text;
	fail();
}

void signal_deliver_pending(struct thread *t)
{
	(void)t;
}

uint32_t stack_node(struct thread *t, uintptr_t pc)
{
	(void)t;
	return (uint32_t)pc;
}

uint32_t control_site(uintptr_t pc)
{
	return (uint32_t)pc;
}

enum { THREADS = 4, BYTES = 24, ACCESSES = 40 };

static struct thread threads[THREADS];
static struct call calls[THREADS];
static struct stack_memo memos[THREADS][STACK_MEMO];
static uint8_t memory[BYTES] __attribute__((aligned(8)));

static int set_up(void **state)
{
	(void)state;
	region = guest_map(sizeof(*region));
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i].number = i;
		threads[i].alive = 1;
		threads[i].top = threads[i].base = &calls[i];
		threads[i].memo = memos[i];
	}
	return region && pairs_init() ? 0 : -1;
}

static void begin(void)
{
	pairs_begin();
	pairs_forget((uintptr_t)memory, sizeof(memory));
	for (int i = 0; i < THREADS; i++)
		threads[i].pair_count = 0;
}

/* ---- the definition ---- */

struct access {
	uint32_t thread, site;
	uint32_t from, size;
	bool is_write;
};

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

/* The way of the compiler's hooks in a free run, where the place of the access
 * is remembered. */
static void access_by_hook(const struct access *a)
{
	struct thread *t = &threads[a->thread];
	uintptr_t at = (uintptr_t)&memory[a->from];
	uint64_t bytes = (UINT64_C(0xff) >> (8 - a->size)) << (at & 7);

	t->memo[stack_memo_at(a->site, 0)] =
		(struct stack_memo){ .pc = a->site, .node = a->site };
	(a->is_write ? pairs_write : pairs_read)(t, at, bytes, a->site);
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

/* By the hooks of a free run, where no place is given up: two threads, whole
 * granules, the same places again and again. */
static void test_hooks(void **state)
{
	static struct access all[ACCESSES];
	struct rng rng = rng_fork(3, 1);

	(void)state;
	for (int n = 0; n < 2000; n++) {
		begin();
		for (int i = 0; i < ACCESSES; i++) {
			all[i] = (struct access){
				.thread = rng_below(&rng, 2),
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

static void touch(uint32_t thread, uint32_t site, bool is_write)
{
	pairs_access(&threads[thread], (uintptr_t)memory, 4,
		     is_write ? PAIR_WRITE : PAIR_READ, site);
}

static bool has(uint32_t head, uint32_t tail)
{
	const struct pair_block *b = &region->pairs;

	for (uint32_t i = 0; i < b->count; i++)
		if (pair_place(b->pairs[i].head) == head &&
		    pair_place(b->pairs[i].tail) == tail)
			return true;
	return false;
}

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

/* ---- in parallel ---- */

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

static void run_two(void *(*body)(void *))
{
	pthread_t t[2];

	begin();
	atomic_store(&whose, 0);
	for (uintptr_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, body, (void *)i),
				 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* Accesses that something orders: each pair, once each, none turned round. */
static void test_ordered(void **state)
{
	(void)state;
	run_two(alternate);
	assert_int_equal(pairs_times(&region->pairs), 2 * ROUNDS - 1);
	assert_true(has(1, 2) && has(2, 1));
}

/* Accesses that nothing orders: some pairs may be missed or turned round, none
 * is of accesses that there are not. */
static void test_unordered(void **state)
{
	const struct pair_block *b = &region->pairs;

	(void)state;
	run_two(collide);
	/* For each access a pair with each that its granule has, at most. */
	assert_true(pairs_times(b) <= UINT64_C(2) * GRANULE_ENTRIES * ROUNDS);
	for (uint32_t i = 0; i < b->count; i++) {
		const struct access_pair *p = &b->pairs[i];

		if (!p->head)
			continue;
		assert_true(pair_thread(p->head) < 2);
		assert_int_equal(pair_place(p->head), pair_thread(p->head) + 1);
		assert_int_equal(pair_place(p->tail), pair_thread(p->tail) + 1);
		assert_int_not_equal(pair_thread(p->head),
				     pair_thread(p->tail));
		assert_true(pair_kind(p->head) || pair_kind(p->tail));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition),
		cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_places_given_up),
		cmocka_unit_test(test_row_four),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_ordered),
		cmocka_unit_test(test_unordered),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
