/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/unserial.h"
#include "base/vec.h"

/*
 * How long R may come between P and C, and how far it was: Figure 8 and section
 * 5.3 of the paper (unserial.h). test_unserial_truth.c has the definition, on
 * runs drawn at random.
 */

#define X UINT64_C(0x1000)
#define L UINT64_C(0x2000)
#define M UINT64_C(0x2040)

enum { P = 1, C, R, OTHER };

static VEC(struct event) run;

static void did(uint64_t stamp, uint32_t thread, unsigned int kind,
		uint64_t addr, uint32_t site)
{
	struct event e = { .kind = (uint8_t)kind,
			   .thread = thread,
			   .addr = addr,
			   .stack = site,
			   .stamp = stamp };

	if (event_fields(kind) & FIELD_SIZE)
		e.size = 4;
	vec_push(&run, e);
}

static void takes(uint64_t stamp, uint32_t thread, uint64_t lock)
{
	did(stamp, thread, EVENT_MUTEX_LOCK, lock, OTHER);
}

static void gives(uint64_t stamp, uint32_t thread, uint64_t lock)
{
	did(stamp, thread, EVENT_MUTEX_UNLOCK, lock, OTHER);
}

static struct unserial_result *found(void)
{
	struct unserial *u = unserial_new(&(struct unserial_inputs){ 0 });

	for (size_t i = 0; i < run.count; i++)
		unserial_foresee(u, &run.at[i]);
	for (size_t i = 0; i < run.count; i++)
		unserial_feed(u, &run.at[i]);
	run.count = 0;
	return unserial_end(u, UNSERIAL_BY_GAP);
}

/* Of P, R and C. */
static void is(uint64_t gap, uint64_t distance)
{
	struct unserial_result *r = found();
	const struct unserial_candidate *f = NULL;

	for (size_t i = 0; i < r->count; i++)
		if (r->at[i].p.site == P && r->at[i].c.site == C &&
		    r->at[i].r.site == R)
			f = &r->at[i];
	assert_non_null(f);
	assert_int_equal(f->gap, gap);
	assert_int_equal(f->distance, distance);
	unserial_free(r);
}

/* ---- Figure 8 ---- */

static void figure_8a(void **state)
{
	(void)state;
	did(100, 1, EVENT_READ, X, P);
	did(130, 1, EVENT_WRITE, X, C);
	did(175, 2, EVENT_WRITE, X, R);
	is(30, 45);
}

/* Each of the three is protected by one lock, separately. */
static void three_sections(void)
{
	takes(100, 1, L);
	did(107, 1, EVENT_READ, X, P);
	gives(120, 1, L);
	takes(160, 1, L);
	did(171, 1, EVENT_WRITE, X, C);
	gives(190, 1, L);
	takes(200, 2, L);
	did(208, 2, EVENT_WRITE, X, R);
	gives(210, 2, L);
}

static void figure_8b(void **state)
{
	(void)state;
	three_sections();
	is(160 - 120, 208 - 160);
}

/* What does not keep R out does not count. */
static void only_what_keeps_r_out_narrows(void **state)
{
	(void)state;
	takes(90, 1, M);
	takes(100, 1, L);
	did(107, 1, EVENT_READ, X, P);
	gives(120, 1, L);
	gives(130, 1, M);
	takes(150, 1, L);
	takes(160, 1, M);
	did(171, 1, EVENT_WRITE, X, C);
	gives(180, 1, M);
	gives(190, 1, L);
	takes(200, 2, M);
	did(208, 2, EVENT_WRITE, X, R);
	gives(210, 2, M);
	is(160 - 130, 208 - 160);
}

/* One side alone is protected. */
static void half_protected(void **state)
{
	(void)state;
	takes(100, 1, L);
	did(107, 1, EVENT_READ, X, P);
	gives(120, 1, L);
	did(171, 1, EVENT_WRITE, X, C);
	takes(200, 2, L);
	did(208, 2, EVENT_WRITE, X, R);
	gives(210, 2, L);
	is(171 - 120, 208 - 171);
}

/* Who waits for a condition lets the lock go and takes it again. */
static void waiting_opens_a_section(void **state)
{
	(void)state;
	takes(100, 1, L);
	did(107, 1, EVENT_READ, X, P);
	did(119, 1, EVENT_COND_WAIT, X + 64, OTHER);
	gives(120, 1, L);
	did(170, 1, EVENT_COND_WAKE, X + 64, OTHER);
	takes(172, 1, L);
	did(180, 1, EVENT_WRITE, X, C);
	gives(190, 1, L);
	takes(200, 2, L);
	did(208, 2, EVENT_WRITE, X, R);
	gives(210, 2, L);
	is(172 - 120, 208 - 172);
}

/* Instances add up, each with its own sections; one in which a section holds
 * both is none. */
static void instances_add_up(void **state)
{
	uint64_t at = 0;

	(void)state;
	for (uint64_t gap = 10; gap <= 30; gap += 10) {
		takes(at + 100, 1, L);
		did(at + 107, 1, EVENT_READ, X, P);
		gives(at + 120, 1, L);
		takes(at + 120 + gap, 1, L);
		did(at + 171, 1, EVENT_WRITE, X, C);
		gives(at + 190, 1, L);
		at += 100;
	}
	takes(at + 100, 1, L);
	did(at + 107, 1, EVENT_READ, X, P);
	did(at + 171, 1, EVENT_WRITE, X, C);
	gives(at + 190, 1, L);
	takes(at + 200, 2, L);
	did(at + 208, 2, EVENT_WRITE, X, R);
	gives(at + 210, 2, L);
	is(10 + 20 + 30, (at + 208) - (at - 100 + 150));
}

/* Two threads at the place of R, one with the lock and one without: the wider
 * time counts, and once. */
static void many_remote_threads_count_once(void **state)
{
	(void)state;
	three_sections();
	did(220, 3, EVENT_WRITE, X, R);
	is(171 - 107, 208 - 160);
}

/* Structures are copied: one P and one C on four granules are one instance. */
static void wide_accesses_count_once(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		did(100 + 100 * i, 1, EVENT_READ, X, P);
		run.at[run.count - 1].size = 32;
		did(130 + 100 * i, 1, EVENT_WRITE, X, C);
		run.at[run.count - 1].size = 32;
	}
	for (uint64_t i = 0; i < 4; i++)
		did(275 + i, 2, EVENT_WRITE, X + 8 * i, R);
	is(30 + 30, 45);
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
		cmocka_unit_test(figure_8a),
		cmocka_unit_test(figure_8b),
		cmocka_unit_test(only_what_keeps_r_out_narrows),
		cmocka_unit_test(half_protected),
		cmocka_unit_test(waiting_opens_a_section),
		cmocka_unit_test(instances_add_up),
		cmocka_unit_test(many_remote_threads_count_once),
		cmocka_unit_test(wide_accesses_count_once),
	};

	return cmocka_run_group_tests(tests, NULL, let_go);
}
