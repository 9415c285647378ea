/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/unserial.h"
#include "base/vec.h"
#include "seeds.h"
#include "small_program.h"

/* ---- runs by hand ---- */

#define X UINT64_C(0x1000)
#define Y UINT64_C(0x1010)
#define Z UINT64_C(0x1020)
#define LOCK UINT64_C(0x2000)
#define OTHER UINT64_C(0x2040)

static VEC(struct event) run;

/* Stamps go up by ten; a site is the number of the event, from 1. */
static void did(uint32_t thread, unsigned int kind, uint64_t addr, uint64_t arg)
{
	struct event e = { .kind = (uint8_t)kind,
			   .thread = thread,
			   .addr = addr,
			   .arg = arg,
			   .stack = (uint32_t)run.count + 1,
			   .stamp = 10 * (run.count + 1) };

	if (event_fields(kind) & FIELD_SIZE)
		e.size = 4;
	vec_push(&run, e);
}

static struct unserial_result *found(enum unserial_rank rank)
{
	struct unserial *u = unserial_new(&(struct unserial_inputs){ 0 });

	for (size_t i = 0; i < run.count; i++)
		unserial_foresee(u, &run.at[i]);
	for (size_t i = 0; i < run.count; i++)
		unserial_feed(u, &run.at[i]);
	run.count = 0;
	return unserial_end(u, rank);
}

static const struct unserial_candidate *candidate(
	const struct unserial_result *r, uint32_t p, uint32_t c, uint32_t of)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->at[i].p.site == p && r->at[i].c.site == c &&
		    r->at[i].r.site == of)
			return &r->at[i];
	return NULL;
}

/* The only one there is, of a run whose result is let go. */
static struct unserial_candidate only(void)
{
	struct unserial_result *r = found(UNSERIAL_BY_GAP);
	struct unserial_candidate f;

	assert_int_equal(r->count, 1);
	f = r->at[0];
	unserial_free(r);
	return f;
}

/* ---- the four patterns (Figure 3) ---- */

static int pattern(unsigned int p, unsigned int r, unsigned int c)
{
	struct unserial_result *all;
	int is = -1;

	did(1, p, X, 0);
	did(2, r, X, 0);
	did(1, c, X, 0);
	all = found(UNSERIAL_BY_GAP);
	if (all->count) {
		is = (int)all->at[0].pattern;
		assert_int_equal(all->at[0].status, UNSERIAL_EXERCISED);
	}
	unserial_free(all);
	return is;
}

static void four_patterns_are_unserializable(void **state)
{
	const unsigned int r = EVENT_READ, w = EVENT_WRITE;

	(void)state;
	assert_int_equal(pattern(r, w, r), UNSERIAL_RWR);
	assert_int_equal(pattern(w, w, r), UNSERIAL_WWR);
	assert_int_equal(pattern(w, r, w), UNSERIAL_WRW);
	assert_int_equal(pattern(r, w, w), UNSERIAL_RWW);
	assert_int_equal(pattern(r, r, r), -1);
	assert_int_equal(pattern(w, r, r), -1);
	assert_int_equal(pattern(r, r, w), -1);
	assert_int_equal(pattern(w, w, w), -1);
	assert_int_equal(pattern(r, EVENT_ATOMIC_RMW, r), UNSERIAL_RWR);
	assert_int_equal(pattern(w, EVENT_ATOMIC_RMW, w), UNSERIAL_WRW);
	assert_int_equal(pattern(r, w, EVENT_ATOMIC_RMW), UNSERIAL_RWW);
	assert_int_equal(pattern(EVENT_ATOMIC_RMW, r, EVENT_ATOMIC_RMW),
			 UNSERIAL_WRW);
}

static void what_did_not_come_between_is_open(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(1, EVENT_READ, X, 0);
	did(1, EVENT_WRITE, X, 0);
	did(2, EVENT_WRITE, X, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_OPEN);
	assert_int_equal(f.gap, 10);
	assert_int_equal(f.distance, 10);
	assert_int_equal(f.exercised, 0);
}

static void other_bytes_are_another_location(void **state)
{
	struct unserial_result *r;

	(void)state;
	did(1, EVENT_READ, X, 0);
	did(2, EVENT_WRITE, X + 4, 0);
	did(1, EVENT_READ, X, 0);
	r = found(UNSERIAL_BY_GAP);
	assert_int_equal(r->count, 0);
	unserial_free(r);
}

/* ---- order (Figure 7b) ---- */

static void creation_orders(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(0, EVENT_READ, X, 0);
	did(0, EVENT_WRITE, X, 0);
	did(0, EVENT_THREAD_CREATE, 0, 1);
	did(1, EVENT_THREAD_BEGIN, 0, 0);
	did(1, EVENT_WRITE, X, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_PRUNED);
	assert_int_equal(f.why, UNSERIAL_AFTER);
}

static void joining_orders(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(1, EVENT_WRITE, X, 0);
	did(1, EVENT_THREAD_END, 0, 0);
	did(0, EVENT_THREAD_JOIN, 0, 1);
	did(0, EVENT_READ, X, 0);
	did(0, EVENT_WRITE, X, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_PRUNED);
	assert_int_equal(f.why, UNSERIAL_BEFORE);
}

static void barriers_order(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(1, EVENT_BARRIER_INIT, LOCK, 2);
	did(1, EVENT_READ, X, 0);
	did(1, EVENT_WRITE, X, 0);
	did(1, EVENT_BARRIER_ENTER, LOCK, 0);
	did(2, EVENT_BARRIER_ENTER, LOCK, 0);
	did(1, EVENT_BARRIER_LEAVE, LOCK, 0);
	did(2, EVENT_BARRIER_LEAVE, LOCK, 0);
	did(2, EVENT_WRITE, X, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_PRUNED);
}

static void only_one_side_ordered_is_feasible(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(0, EVENT_READ, X, 0);
	did(0, EVENT_THREAD_CREATE, 0, 1);
	did(1, EVENT_THREAD_BEGIN, 0, 0);
	did(0, EVENT_WRITE, X, 0);
	did(1, EVENT_WRITE, X, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_OPEN);
}

/* ---- locks (Figure 7c) ---- */

static void one_section_protects(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(1, EVENT_MUTEX_LOCK, LOCK, 0);
	did(1, EVENT_READ, X, 0);
	did(1, EVENT_WRITE, X, 0);
	did(1, EVENT_MUTEX_UNLOCK, LOCK, 0);
	did(2, EVENT_MUTEX_LOCK, LOCK, 0);
	did(2, EVENT_WRITE, X, 0);
	did(2, EVENT_MUTEX_UNLOCK, LOCK, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_PRUNED);
	assert_int_equal(f.why, UNSERIAL_LOCKED);
	assert_int_equal(f.lock.addr, LOCK);
}

/* And the gap is that of Figure 8b: from the end of the one section to the
 * beginning of the other. */
static void two_sections_of_a_lock_do_not_protect(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(1, EVENT_MUTEX_LOCK, LOCK, 0);
	did(1, EVENT_READ, X, 0);
	did(1, EVENT_MUTEX_UNLOCK, LOCK, 0); /* 30 */
	did(1, EVENT_TIME, 0, 0);
	did(1, EVENT_TIME, 0, 0);
	did(1, EVENT_MUTEX_LOCK, LOCK, 0); /* 60 */
	did(1, EVENT_WRITE, X, 0);
	did(1, EVENT_MUTEX_UNLOCK, LOCK, 0);
	did(2, EVENT_MUTEX_LOCK, LOCK, 0);
	did(2, EVENT_WRITE, X, 0); /* 100 */
	did(2, EVENT_MUTEX_UNLOCK, LOCK, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_OPEN);
	assert_int_equal(f.gap, 30);
	assert_int_equal(f.distance, 40);
}

static void another_lock_does_not_protect(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(1, EVENT_MUTEX_LOCK, LOCK, 0);
	did(1, EVENT_READ, X, 0);
	did(1, EVENT_WRITE, X, 0);
	did(1, EVENT_MUTEX_UNLOCK, LOCK, 0);
	did(2, EVENT_MUTEX_LOCK, OTHER, 0);
	did(2, EVENT_WRITE, X, 0);
	did(2, EVENT_MUTEX_UNLOCK, OTHER, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_OPEN);
	assert_int_equal(f.gap, 10);
}

static void readers_do_not_keep_readers_out(void **state)
{
	struct unserial_candidate f;

	(void)state;
	for (int is_write = 0; is_write < 2; is_write++) {
		did(1, EVENT_RWLOCK_RDLOCK, LOCK, 0);
		did(1, EVENT_READ, X, 0);
		did(1, EVENT_READ, X, 0);
		did(1, EVENT_RWLOCK_UNLOCK, LOCK, 0);
		did(2, is_write ? EVENT_RWLOCK_WRLOCK : EVENT_RWLOCK_RDLOCK,
		    LOCK, 0);
		did(2, EVENT_WRITE, X, 0);
		did(2, EVENT_RWLOCK_UNLOCK, LOCK, 0);
		f = only();
		assert_int_equal(f.status,
				 is_write ? UNSERIAL_PRUNED : UNSERIAL_OPEN);
	}
}

/* ---- semaphores ---- */

/* One thread posts: the first wait is after its first post. */
static void a_semaphore_of_one_poster_orders(void **state)
{
	struct unserial_candidate f;

	(void)state;
	for (uint64_t initial = 0; initial < 2; initial++) {
		did(0, EVENT_SEM_INIT, LOCK, initial);
		did(1, EVENT_READ, X, 0);
		did(1, EVENT_WRITE, X, 0);
		did(1, EVENT_SEM_POST, LOCK, 0);
		did(2, EVENT_SEM_WAIT, LOCK, 0);
		did(2, EVENT_WRITE, X, 0);
		f = only();
		assert_int_equal(f.status,
				 initial ? UNSERIAL_LIKELY : UNSERIAL_PRUNED);
	}
}

static void a_semaphore_of_many_posters_does_not(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(0, EVENT_SEM_INIT, LOCK, 0);
	did(1, EVENT_READ, X, 0);
	did(1, EVENT_WRITE, X, 0);
	did(1, EVENT_SEM_POST, LOCK, 0);
	did(3, EVENT_SEM_POST, LOCK, 0);
	did(2, EVENT_SEM_WAIT, LOCK, 0);
	did(2, EVENT_WRITE, X, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_LIKELY);
}

/* ---- memory ---- */

static void recycled_memory_is_another_location(void **state)
{
	struct unserial_result *r;

	(void)state;
	did(1, EVENT_ALLOC, X, 0);
	did(1, EVENT_READ, X, 0);
	did(1, EVENT_WRITE, X, 0);
	did(1, EVENT_FREE, X, 0);
	did(2, EVENT_ALLOC, X, 0);
	did(2, EVENT_WRITE, X, 0);
	r = found(UNSERIAL_BY_GAP);
	assert_int_equal(r->count, 0);
	unserial_free(r);
}

static void what_was_told_afterwards_counts(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(2, EVENT_EARLIER_READ, X, earlier_arg(1, 0));
	did(2, EVENT_WRITE, X, 0);
	did(1, EVENT_READ, X, 0);
	f = only();
	assert_int_equal(f.p.thread, 1);
	assert_int_equal(f.pattern, UNSERIAL_RWR);
	assert_int_equal(f.status, UNSERIAL_OPEN);
}

/* An access told afterwards, of before the thread was created. */
static void what_was_told_afterwards_is_ordered(void **state)
{
	struct unserial_candidate f;

	(void)state;
	did(0, EVENT_THREAD_CREATE, 0, 1);
	did(1, EVENT_THREAD_BEGIN, 0, 0);
	did(1, EVENT_EARLIER_WRITE, X, earlier_arg(0, 0));
	did(1, EVENT_READ, X, 0);
	did(1, EVENT_READ, X, 0);
	f = only();
	assert_int_equal(f.status, UNSERIAL_PRUNED);
	assert_int_equal(f.why, UNSERIAL_BEFORE);
}

/* ---- rank ---- */

static void gaps_of_all_instances_add_up(void **state)
{
	struct unserial_result *r;

	(void)state;
	for (int i = 0; i < 3; i++) {
		did(1, EVENT_READ, X, 0);
		run.at[run.count - 1].stack = 1;
		did(1, EVENT_WRITE, X, 0);
		run.at[run.count - 1].stack = 2;
	}
	did(2, EVENT_WRITE, X, 0);
	r = found(UNSERIAL_BY_GAP);
	assert_int_equal(candidate(r, 1, 2, 7)->instances, 3);
	assert_int_equal(candidate(r, 1, 2, 7)->gap, 30);
	unserial_free(r);
}

static void the_rarest_comes_first(void **state)
{
	struct unserial_result *r;

	(void)state;
	for (int first_come = 0; first_come < 2; first_come++) {
		did(1, EVENT_READ, X, 0);
		for (int i = 0; i < 20; i++)
			did(1, EVENT_TIME, 0, 0);
		did(1, EVENT_READ, X, 0);
		did(1, EVENT_READ, Y, 0);
		did(1, EVENT_READ, Y, 0);
		did(2, EVENT_WRITE, X, 0);
		did(2, EVENT_WRITE, Y, 0);
		r = found(first_come ? UNSERIAL_FIRST_COME : UNSERIAL_BY_GAP);
		assert_int_equal(r->count, 2);
		assert_int_equal(r->at[0].addr, first_come ? X : Y);
		unserial_free(r);
	}
}

/* Figure 4: three threads, two accesses each to each of two locations that
 * they share with one another. */
static void criteria_have_the_sizes_of_the_paper(void **state)
{
	static const uint64_t places[3][2] = { { X, Y }, { Y, Z }, { Z, X } };
	struct unserial_result *r;

	(void)state;
	for (uint32_t t = 0; t < 3; t++)
		for (int i = 0; i < 4; i++)
			did(t, EVENT_WRITE, places[t][i / 2], 0);
	r = found(UNSERIAL_BY_GAP);
	assert_int_equal(r->sizes.accesses, 12);
	assert_int_equal(r->sizes.threads, 3);
	assert_int_equal(lround(pow(10, r->sizes.all)), 34650);
	assert_int_equal(lround(pow(10, r->sizes.tpair)), 210);
	assert_int_equal(lround(pow(10, r->sizes.pi)), 12);
	assert_int_equal(lround(pow(10, r->sizes.ui)), 6);
	unserial_free(r);
	r = found(UNSERIAL_BY_GAP);
	assert_true(r->sizes.all < 0 && r->sizes.tpair < 0 && r->sizes.pi < 0);
	unserial_free(r);
}

/* ---- against all interleavings ---- */

static int small_pattern(const struct small_program *p, unsigned int t,
			 unsigned int pre, unsigned int c, unsigned int u,
			 unsigned int r)
{
	bool pw = p->op[t][pre].kind == SMALL_WRITE;
	bool cw = p->op[t][c].kind == SMALL_WRITE;
	bool rw = p->op[u][r].kind == SMALL_WRITE;

	if (rw)
		return pw ? (cw ? -1 : UNSERIAL_WWR) :
			    (cw ? UNSERIAL_RWW : UNSERIAL_RWR);
	return pw && cw ? UNSERIAL_WRW : -1;
}

struct verdicts {
	unsigned int feasible, pruned, spared; /* infeasible, not pruned */
};

static void compare_triple(const struct small_program *p, uint64_t seed,
			   const struct unserial_result *r,
			   const unsigned int *at, struct verdicts *v)
{
	unsigned int t = at[0], pre = at[1], c = at[2], u = at[3], of = at[4];
	const struct unserial_candidate *f = candidate(
		r, small_site(t, pre), small_site(t, c), small_site(u, of));
	bool is_shown = small_shows(p, t, pre, c, u, of);

	if (!f)
		fail_msg("seed %llu: %u: %u %u by %u: %u is not there",
			 (unsigned long long)seed, t, pre, c, u, of);
	if (is_shown && f->status == UNSERIAL_PRUNED)
		fail_msg("seed %llu: %u: %u %u by %u: %u was pruned (%d)",
			 (unsigned long long)seed, t, pre, c, u, of, f->why);
	if (f->exercised && !is_shown)
		fail_msg("seed %llu: exercised, yet impossible",
			 (unsigned long long)seed);
	v->feasible += is_shown;
	v->pruned += f->status == UNSERIAL_PRUNED;
	v->spared += !is_shown && f->status != UNSERIAL_PRUNED;
}

static void compare_current(const struct small_program *p, uint64_t seed,
			    const struct unserial_result *r, unsigned int t,
			    unsigned int c, struct verdicts *v)
{
	int pre = p->op[t][c].kind <= SMALL_WRITE ? small_preceding(p, t, c) :
						    -1;

	for (unsigned int u = 0; pre >= 0 && u < SMALL_THREADS; u++)
		for (unsigned int i = 0; u != t && i < p->count[u]; i++) {
			unsigned int at[] = { t, (unsigned int)pre, c, u, i };

			if (small_is_access(p, u, i, p->op[t][c].object) &&
			    small_pattern(p, t, at[1], c, u, i) >= 0)
				compare_triple(p, seed, r, at, v);
		}
}

static struct verdicts compare_programs(unsigned int with)
{
	struct verdicts v = { 0 };
	struct event out[80];
	struct small_program p;

	for (uint64_t seed = 1; seed <= seeds(150); seed++) {
		struct unserial_result *r;
		size_t n;

		small_make(&p, seed, with);
		n = small_run(&p, out);
		for (size_t i = 0; i < n; i++)
			vec_push(&run, out[i]);
		r = found(UNSERIAL_BY_GAP);
		for (unsigned int t = 0; n && t < SMALL_THREADS; t++)
			for (unsigned int c = 0; c < p.count[t]; c++)
				compare_current(&p, seed, r, t, c, &v);
		unserial_free(r);
	}
	print_message("with %u: %u feasible, %u pruned, %u spared\n", with,
		      v.feasible, v.pruned, v.spared);
	assert_true(v.feasible > seeds(100) && v.pruned > seeds(100));
	return v;
}

static void no_feasible_one_is_pruned(void **state)
{
	(void)state;
	/* of creating and joining alone, and of barriers, all is known */
	assert_int_equal(compare_programs(0).spared, 0);
	assert_int_equal(compare_programs(SMALL_BARRIER).spared, 0);
	compare_programs(SMALL_LOCKS);
	compare_programs(SMALL_SEMS);
	compare_programs(SMALL_LOCKS | SMALL_SEMS | SMALL_BARRIER);
}

/* ---- many events ---- */

/* Time is not asserted; the test would not end if it were not about linear. */
static void a_million_events_are_dealt_with(void **state)
{
	struct unserial_result *r;

	(void)state;
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t t = 1 + i % 4;

		did(t, EVENT_MUTEX_LOCK, LOCK, 0);
		did(t, EVENT_READ, X, 0);
		run.at[run.count - 1].stack = 1;
		did(t, EVENT_WRITE, X, 0);
		run.at[run.count - 1].stack = 2;
		did(t, EVENT_MUTEX_UNLOCK, LOCK, 0);
		did(t, EVENT_READ, X + 16 + 8 * (i % 5000), 0);
		run.at[run.count - 1].stack = 3;
	}
	r = found(UNSERIAL_BY_GAP);
	assert_int_equal(candidate(r, 1, 2, 2)->status, UNSERIAL_PRUNED);
	assert_int_equal(candidate(r, 2, 1, 2)->status, UNSERIAL_EXERCISED);
	unserial_free(r);
}

static int let_go(void **state)
{
	(void)state;
	vec_free(&run);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_patterns_are_unserializable),
		cmocka_unit_test(what_did_not_come_between_is_open),
		cmocka_unit_test(other_bytes_are_another_location),
		cmocka_unit_test(creation_orders),
		cmocka_unit_test(joining_orders),
		cmocka_unit_test(barriers_order),
		cmocka_unit_test(only_one_side_ordered_is_feasible),
		cmocka_unit_test(one_section_protects),
		cmocka_unit_test(two_sections_of_a_lock_do_not_protect),
		cmocka_unit_test(another_lock_does_not_protect),
		cmocka_unit_test(readers_do_not_keep_readers_out),
		cmocka_unit_test(a_semaphore_of_one_poster_orders),
		cmocka_unit_test(a_semaphore_of_many_posters_does_not),
		cmocka_unit_test(recycled_memory_is_another_location),
		cmocka_unit_test(what_was_told_afterwards_counts),
		cmocka_unit_test(what_was_told_afterwards_is_ordered),
		cmocka_unit_test(gaps_of_all_instances_add_up),
		cmocka_unit_test(the_rarest_comes_first),
		cmocka_unit_test(criteria_have_the_sizes_of_the_paper),
		cmocka_unit_test(no_feasible_one_is_pruned),
		cmocka_unit_test(a_million_events_are_dealt_with),
	};

	return cmocka_run_group_tests(tests, NULL, let_go);
}
