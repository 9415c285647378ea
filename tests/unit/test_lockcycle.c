/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analysis/lockcycle.h"
#include "base/vec.h"
#include "random_truth.h"
#include "seeds.h"

/*
 * Cycles against their definition: all tuples of acquisitions of a world, one
 * of each of two to four threads, tried one by one.
 */

enum { WORLDS = 500 };

static struct world w;
static uint64_t seed;

/* ---- the definition ---- */

/* An acquisition that may block, with one of those held then, by the events
 * that took them. */
struct pair {
	size_t want, held;
};

static VEC(struct pair) pairs;
static VEC(size_t) held_at[RANDOM_EVENTS + 8]; /* by event: all held then */

static bool is_lock(const struct event *e)
{
	return e->kind == EVENT_MUTEX_LOCK || e->kind == EVENT_SPIN_LOCK ||
	       e->kind == EVENT_RWLOCK_RDLOCK || e->kind == EVENT_RWLOCK_WRLOCK;
}

static bool is_unlock(const struct event *e)
{
	return e->kind == EVENT_MUTEX_UNLOCK || e->kind == EVENT_SPIN_UNLOCK ||
	       e->kind == EVENT_RWLOCK_UNLOCK;
}

static bool is_same_lock(size_t i, size_t j)
{
	return i == j || (i < j ? random_same_object(&w, i, j) :
				  random_same_object(&w, j, i));
}

static bool excludes(size_t i, size_t j)
{
	return w.at[i].kind != EVENT_RWLOCK_RDLOCK ||
	       w.at[j].kind != EVENT_RWLOCK_RDLOCK;
}

/* Is the acquisition at i still in force just before j, by the same thread?
 * Recursive ones are counted. */
static bool is_held(size_t i, size_t j)
{
	int depth = 0;

	for (size_t k = i; k < j; k++) {
		const struct event *e = &w.at[k];

		if (e->thread != w.at[i].thread || e->addr != w.at[i].addr)
			continue;
		depth += is_lock(e);
		depth -= is_unlock(e);
		if (depth == 0)
			return false;
	}
	return true;
}

/* Was the lock already held when event i took it? */
static bool is_recursive(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_lock(&w.at[k]) && w.at[k].thread == w.at[i].thread &&
		    w.at[k].addr == w.at[i].addr && is_held(k, i))
			return true;
	return false;
}

static void find_pairs(void)
{
	pairs.count = 0;
	for (size_t j = 0; j < w.count; j++) {
		held_at[j].count = 0;
		if (!is_lock(&w.at[j]) || is_recursive(j))
			continue;
		for (size_t i = 0; i < j; i++)
			if (is_lock(&w.at[i]) && !is_recursive(i) &&
			    w.at[i].thread == w.at[j].thread && is_held(i, j))
				vec_push(&held_at[j], i);
		for (size_t n = 0; n < held_at[j].count; n++)
			if (!lock_was_tried(&w.at[j]))
				vec_push(&pairs,
					 (struct pair){ j, held_at[j].at[n] });
	}
}

static bool have_gate(size_t i, size_t j)
{
	for (size_t a = 0; a < held_at[i].count; a++)
		for (size_t b = 0; b < held_at[j].count; b++)
			if (is_same_lock(held_at[i].at[a], held_at[j].at[b]) &&
			    excludes(held_at[i].at[a], held_at[j].at[b]))
				return true;
	return false;
}

static bool can_meet(const struct pair *p, const struct pair *q)
{
	size_t i = p->want < q->want ? p->want : q->want;
	size_t j = p->want < q->want ? q->want : p->want;

	return w.at[i].thread != w.at[j].thread && !w.before[i][j] &&
	       !have_gate(i, j) && !is_same_lock(p->held, q->held);
}

static bool leads_to(const struct pair *p, const struct pair *q)
{
	return is_same_lock(p->want, q->held) && excludes(p->want, q->held);
}

/* A cycle as numbers that do not depend on where it begins: of each edge, the
 * stacks of held and wanted, smallest edge first. */
struct cycle {
	uint64_t edges[RANDOM_THREADS];
};

static VEC(struct cycle) wanted;

static struct cycle rotated(const uint64_t *edges, size_t n)
{
	struct cycle c = { { 0 } };
	size_t least = 0;

	for (size_t i = 1; i < n; i++)
		if (edges[i] < edges[least])
			least = i;
	for (size_t i = 0; i < n; i++)
		c.edges[i] = edges[(least + i) % n];
	return c;
}

static bool is_among_wanted(const struct cycle *c)
{
	for (size_t i = 0; i < wanted.count; i++)
		if (memcmp(&wanted.at[i], c, sizeof(*c)) == 0)
			return true;
	return false;
}

static void try_tuple(const struct pair *tuple, size_t n)
{
	uint64_t edges[RANDOM_THREADS];
	struct cycle c;

	for (size_t i = 0; i < n; i++)
		edges[i] = (uint64_t)w.at[tuple[i].held].stack << 32 |
			   w.at[tuple[i].want].stack;
	c = rotated(edges, n);
	if (!is_among_wanted(&c))
		vec_push(&wanted, c);
}

static void extend_tuple(struct pair *tuple, size_t n)
{
	if (n > 1 && leads_to(&tuple[n - 1], &tuple[0]))
		try_tuple(tuple, n);
	if (n == w.threads)
		return;
	for (size_t i = 0; i < pairs.count; i++) {
		const struct pair *next = &pairs.at[i];
		bool can = n == 0 || leads_to(&tuple[n - 1], next);

		for (size_t k = 0; k < n && can; k++)
			can = can_meet(&tuple[k], next);
		if (!can)
			continue;
		tuple[n] = *next;
		extend_tuple(tuple, n + 1);
	}
}

/* ---- comparing ---- */

static struct lockcycle_finding *find(const struct event *events, size_t count,
				      size_t *found)
{
	struct happens *order = happens_new(HAPPENS_ORDER);
	struct locksets *locks = locksets_new(NULL);
	struct lockcycle_inputs in = { .order = order, .locks = locks };
	struct lockcycles *c = lockcycles_new(&in);
	struct lockcycle_finding *f;

	for (size_t i = 0; i < count; i++) {
		happens_feed(order, &events[i]);
		lockcycles_feed(c, &events[i],
				locksets_feed(locks, &events[i]));
	}
	f = lockcycles_find(c, found);
	assert_false(lockcycles_were_cut(c));
	lockcycles_free(c);
	locksets_free(locks);
	happens_free(order);
	return f;
}

static void free_all(struct lockcycle_finding *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		lockcycle_done(&f[i]);
	free(f);
}

static void check_shape(const struct lockcycle_finding *f)
{
	for (size_t i = 0; i < f->edge_count; i++)
		assert_int_equal(f->edges[i].wanted.lock,
				 f->edges[(i + 1) % f->edge_count].held.lock);
}

static size_t compare_world(void)
{
	struct pair tuple[RANDOM_THREADS];
	struct lockcycle_finding *f;
	size_t n;

	random_close(&w, true, true);
	find_pairs();
	wanted.count = 0;
	extend_tuple(tuple, 0);
	f = find(w.at, w.count, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t edges[RANDOM_THREADS];
		struct cycle c;

		check_shape(&f[i]);
		for (size_t k = 0; k < f[i].edge_count; k++)
			edges[k] = (uint64_t)f[i].edges[k].held.stack << 32 |
				   f[i].edges[k].wanted.stack;
		c = rotated(edges, f[i].edge_count);
		if (!is_among_wanted(&c))
			fail_msg("seed %ju: a cycle that is none",
				 (uintmax_t)seed);
	}
	if (n != wanted.count)
		fail_msg("seed %ju: %zu cycles found, there are %zu",
			 (uintmax_t)seed, n, wanted.count);
	free_all(f, n);
	return n;
}

/* Some acquisitions are by a try function. */
static void make_tries(void)
{
	for (size_t i = 0; i < w.count; i++)
		if (w.at[i].kind == EVENT_MUTEX_LOCK && random_draw(&w, 5) == 0)
			w.at[i].arg = 0x100;
}

static void every_cycle_of_acquisitions_is_found_and_no_other(void **state)
{
	size_t cycles = 0;

	(void)state;
	for (seed = 1; seed <= seeds(WORLDS); seed++) {
		random_world(&w, seed,
			     WITH_LOCKS | WITH_MORE_LOCKS | WITH_HEAP |
				     WITH_BARRIERS);
		make_tries();
		cycles += compare_world();
	}
	assert_true(cycles > seeds(WORLDS));
}

/* With one stack for each lock, acquisitions are told apart by their moments
 * only, and cycles by their locks. */
static void repeated_acquisitions_keep_all_their_moments(void **state)
{
	size_t cycles = 0;

	(void)state;
	for (seed = 1; seed <= seeds(WORLDS); seed++) {
		random_world(&w, seed,
			     WITH_LOCKS | WITH_MORE_LOCKS | WITH_BARRIERS);
		for (size_t i = 0; i < w.count; i++)
			w.at[i].stack = (uint32_t)w.at[i].addr;
		cycles += compare_world();
	}
	assert_true(cycles > seeds(WORLDS) / 2);
}

/* ---- by hand ---- */

#define E(k, t, a)                                                             \
	{                                                                      \
		.kind = EVENT_##k, .thread = (t), .addr = (a),                 \
		.stack = (a) + (t)                                             \
	}
#define X(k, t, x)                                                             \
	{                                                                      \
		.kind = EVENT_##k, .thread = (t), .arg = (x)                   \
	}
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static size_t cycles_in(const struct event *events, size_t count)
{
	size_t n;
	struct lockcycle_finding *f = find(events, count, &n);

	free_all(f, n);
	return n;
}

static void an_edge_tells_both_locks_and_both_stacks(void **state)
{
	const struct event events[] = {
		E(MUTEX_LOCK, 1, 0x10),	  E(MUTEX_LOCK, 1, 0x20),
		E(MUTEX_UNLOCK, 1, 0x20), E(MUTEX_UNLOCK, 1, 0x10),
		E(MUTEX_LOCK, 2, 0x20),	  E(MUTEX_LOCK, 2, 0x10),
	};
	size_t n;
	struct lockcycle_finding *f = find(events, COUNT(events), &n);

	(void)state;
	assert_int_equal(n, 1);
	assert_int_equal(f->edge_count, 2);
	assert_int_equal(f->edges[0].thread, 1);
	assert_int_equal(f->edges[0].held.addr, 0x10);
	assert_int_equal(f->edges[0].held.stack, 0x11);
	assert_int_equal(f->edges[0].wanted.addr, 0x20);
	assert_int_equal(f->edges[0].wanted.stack, 0x21);
	assert_int_equal(f->edges[1].thread, 2);
	assert_int_equal(f->edges[1].held.stack, 0x22);
	assert_int_equal(f->edges[1].wanted.stack, 0x12);
	free_all(f, n);
}

static void one_thread_alone_makes_no_cycle(void **state)
{
	const struct event events[] = {
		E(MUTEX_LOCK, 1, 0x10),	  E(MUTEX_LOCK, 1, 0x20),
		E(MUTEX_UNLOCK, 1, 0x20), E(MUTEX_UNLOCK, 1, 0x10),
		E(MUTEX_LOCK, 1, 0x20),	  E(MUTEX_LOCK, 1, 0x10),
	};

	(void)state;
	assert_int_equal(cycles_in(events, COUNT(events)), 0);
}

static void a_gate_opens_the_cycle(void **state)
{
	const struct event events[] = {
		E(MUTEX_LOCK, 1, 0x8),	  E(MUTEX_LOCK, 1, 0x10),
		E(MUTEX_LOCK, 1, 0x20),	  E(MUTEX_UNLOCK, 1, 0x20),
		E(MUTEX_UNLOCK, 1, 0x10), E(MUTEX_UNLOCK, 1, 0x8),
		E(MUTEX_LOCK, 2, 0x8),	  E(MUTEX_LOCK, 2, 0x20),
		E(MUTEX_LOCK, 2, 0x10),
	};

	(void)state;
	assert_int_equal(cycles_in(events, COUNT(events)), 0);
	assert_int_equal(cycles_in(events + 1, COUNT(events) - 1), 1);
}

static void a_joined_thread_cannot_deadlock_with_what_follows(void **state)
{
	const struct event events[] = {
		X(THREAD_BEGIN, 1, 0),	  E(MUTEX_LOCK, 1, 0x10),
		E(MUTEX_LOCK, 1, 0x20),	  E(MUTEX_UNLOCK, 1, 0x20),
		E(MUTEX_UNLOCK, 1, 0x10), X(THREAD_END, 1, 0),
		X(THREAD_JOIN, 2, 1),	  E(MUTEX_LOCK, 2, 0x20),
		E(MUTEX_LOCK, 2, 0x10),
	};

	(void)state;
	assert_int_equal(cycles_in(events, COUNT(events)), 0);
}

static void a_try_is_not_a_want_but_is_a_hold(void **state)
{
	struct event events[] = {
		E(MUTEX_LOCK, 1, 0x10),	  E(MUTEX_LOCK, 1, 0x20),
		E(MUTEX_UNLOCK, 1, 0x20), E(MUTEX_UNLOCK, 1, 0x10),
		E(MUTEX_LOCK, 2, 0x20),	  E(MUTEX_LOCK, 2, 0x10),
	};

	(void)state;
	events[1].arg = 0x100;
	assert_int_equal(cycles_in(events, COUNT(events)), 0);
	events[1].arg = 0;
	events[0].arg = 0x100;
	assert_int_equal(cycles_in(events, COUNT(events)), 1);
}

static void many_objects_of_one_pair_of_sites_are_one_finding(void **state)
{
	VEC(struct event) events = { 0 };
	struct lockcycle_finding *f;
	size_t n;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t a = 0x1000 + i * 0x100, b = a + 0x40;
		struct event e[] = {
			E(MUTEX_LOCK, 1, a),   E(MUTEX_LOCK, 1, b),
			E(MUTEX_UNLOCK, 1, b), E(MUTEX_UNLOCK, 1, a),
			E(MUTEX_LOCK, 2, b),   E(MUTEX_LOCK, 2, a),
			E(MUTEX_UNLOCK, 2, a), E(MUTEX_UNLOCK, 2, b),
		};

		for (size_t k = 0; k < COUNT(e); k++) {
			e[k].stack = 1 + (uint32_t)k;
			vec_push(&events, e[k]);
		}
	}
	f = find(events.at, events.count, &n);
	assert_int_equal(n, 1);
	assert_int_equal(f->count, 100);
	free_all(f, n);
	vec_free(&events);
}

/* Each thread takes its two locks in two of three phases, between barriers. */
static size_t cycles_of_phases(const bool takes[3][3])
{
	VEC(struct event) events = { 0 };
	size_t n;

	vec_push(&events, (struct event){ .kind = EVENT_BARRIER_INIT,
					  .addr = 0x900,
					  .arg = 3 });
	for (int phase = 0; phase < 3; phase++) {
		for (uint32_t t = 0; t < 3; t++) {
			uint32_t a = 0x100 + 0x10 * t;
			uint32_t b = 0x100 + 0x10 * ((t + 1) % 3);
			const struct event e[] = { E(MUTEX_LOCK, t, a),
						   E(MUTEX_LOCK, t, b),
						   E(MUTEX_UNLOCK, t, b),
						   E(MUTEX_UNLOCK, t, a) };

			for (int k = 0; k < 4 && takes[t][phase]; k++)
				vec_push(&events, e[k]);
		}
		for (uint32_t t = 0; t < 6; t++)
			vec_push(&events,
				 (struct event){
					 .kind = t < 3 ? EVENT_BARRIER_ENTER :
							 EVENT_BARRIER_LEAVE,
					 .thread = t % 3,
					 .addr = 0x900 });
	}
	n = cycles_in(events.at, events.count);
	vec_free(&events);
	return n;
}

static void all_of_a_cycle_must_meet_and_not_only_each_two(void **state)
{
	(void)state;
	assert_int_equal(cycles_of_phases((const bool[3][3]){
				 { 1, 1, 0 }, { 0, 1, 1 }, { 1, 0, 1 } }),
			 0);
	assert_int_equal(cycles_of_phases((const bool[3][3]){
				 { 1, 1, 0 }, { 0, 1, 1 }, { 0, 1, 0 } }),
			 1);
}

static int free_pairs(void **state)
{
	(void)state;
	vec_free(&pairs);
	vec_free(&wanted);
	for (size_t i = 0; i < RANDOM_EVENTS + 8; i++)
		vec_free(&held_at[i]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_cycle_of_acquisitions_is_found_and_no_other),
		cmocka_unit_test(repeated_acquisitions_keep_all_their_moments),
		cmocka_unit_test(an_edge_tells_both_locks_and_both_stacks),
		cmocka_unit_test(one_thread_alone_makes_no_cycle),
		cmocka_unit_test(a_gate_opens_the_cycle),
		cmocka_unit_test(
			a_joined_thread_cannot_deadlock_with_what_follows),
		cmocka_unit_test(a_try_is_not_a_want_but_is_a_hold),
		cmocka_unit_test(
			all_of_a_cycle_must_meet_and_not_only_each_two),
		cmocka_unit_test(
			many_objects_of_one_pair_of_sites_are_one_finding),
	};

	return cmocka_run_group_tests(tests, NULL, free_pairs);
}
