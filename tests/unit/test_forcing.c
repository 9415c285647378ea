/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "format/rng.h"
#include "runtime/forcing.h"

/* forcing.c is part of the guest; what it needs of the rest stands here. */
struct region *region;

static uint64_t ticks;

static uint64_t clock_of_test(void)
{
	return ++ticks;
}

static int set_up(void **state)
{
	(void)state;
	region = mmap(NULL, sizeof(*region), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	force_clock = clock_of_test;
	return region == MAP_FAILED ? -1 : 0;
}

enum { READ = 100, WRITE = 200, LAST = 201, LOCK = 300 };

static const struct force_rule lost_update = {
	.count = 3,
	.hold_us = FORCE_HOLD_US,
	.holds = 3,
	.events = {
		{ .site = READ, .kinds = FORCE_READ },
		{ .site = WRITE, .kinds = FORCE_WRITE, .thread = 1,
		  .flags = FORCE_HOLD },
		{ .site = WRITE, .kinds = FORCE_WRITE, .flags = FORCE_HOLD },
	},
};

static void rules_set(const struct force_rule *rules, uint32_t count)
{
	memset(&region->force, 0, offsetof(struct force, patches));
	memcpy(region->force.rules, rules, count * sizeof(*rules));
	region->force.rule_count = count;
	force_begin(0);
}

static struct force_stop stop(uint32_t thread, uint32_t site, uint64_t addr)
{
	return (struct force_stop){
		.thread = thread,
		.site = site,
		.addr = addr,
		.size = 4,
		.kinds = site == READ ? FORCE_READ :
			 site == LOCK ? FORCE_ACQUIRE :
					FORCE_WRITE,
	};
}

/* Comes to a place and is not held. */
static void goes(uint32_t thread, uint32_t site, uint64_t addr)
{
	struct force_stop s = stop(thread, site, addr);

	assert_int_equal(force_look(&s).rule, FORCE_NONE);
	force_pass(&s);
}

static struct force_hold waits(uint32_t thread, uint32_t site, uint64_t addr)
{
	struct force_stop s = stop(thread, site, addr);
	struct force_hold h = force_look(&s);

	assert_int_not_equal(h.rule, FORCE_NONE);
	force_held(&s, h);
	assert_false(force_is_released(h));
	return h;
}

static void test_update_is_lost(void **state)
{
	struct force_stop s = stop(1, WRITE, 64);
	struct force_hold h;

	(void)state;
	rules_set(&lost_update, 1);
	assert_true(force_names(READ));
	assert_false(force_names(LOCK));
	goes(1, READ, 64);
	h = waits(1, WRITE, 64);
	goes(2, READ, 64);
	goes(2, WRITE, 64);
	assert_true(force_is_released(h));
	force_released(&s, h);
	force_pass(&s);
	assert_int_equal(region->force.tallies[0].forced, 1);
	assert_int_equal(region->force.tallies[0].held, 1);
	assert_int_equal(region->force.tallies[0].expired, 0);
}

/* The other side may come first, and waits for the beginning. */
static void test_remote_waits(void **state)
{
	struct force_stop s = stop(2, WRITE, 64);
	struct force_hold h;

	(void)state;
	rules_set(&lost_update, 1);
	h = waits(2, WRITE, 64);
	assert_false(h.has_begun);
	goes(1, READ, 64);
	assert_true(force_is_released(h));
	/* Until the other is there, the one that began is held. */
	waits(1, WRITE, 64);
	force_released(&s, h);
	force_pass(&s);
	s = stop(1, WRITE, 64);
	force_pass(&s);
	assert_int_equal(region->force.tallies[0].forced, 1);
}

/* What was waited for is not a new beginning, though it is at its place. */
static void test_both_at_one_place(void **state)
{
	static const struct force_rule seen_twice = {
		.count = 3,
		.hold_us = FORCE_HOLD_US,
		.holds = 3,
		.events = {
			{ .site = WRITE, .kinds = FORCE_WRITE },
			{ .site = WRITE, .kinds = FORCE_WRITE, .thread = 1,
			  .flags = FORCE_HOLD },
			{ .site = READ, .kinds = FORCE_READ,
			  .flags = FORCE_HOLD },
		},
	};
	struct force_stop r = stop(2, WRITE, 64), c = stop(1, READ, 64);
	struct force_hold h;

	(void)state;
	rules_set(&seen_twice, 1);
	h = waits(2, WRITE, 64);
	goes(1, WRITE, 64);
	assert_true(force_is_released(h));
	h = waits(1, READ, 64);
	force_pass(&r);
	assert_true(force_is_released(h));
	force_released(&c, h);
	force_pass(&c);
	assert_int_equal(region->force.tallies[0].forced, 1);
}

/* Who comes through the gate first need not be the one that is waited for. */
static void test_gate_binds_nobody(void **state)
{
	static const struct force_rule rule = {
		.count = 4,
		.hold_us = FORCE_HOLD_US,
		.holds = 3,
		.events = {
			{ .site = READ, .kinds = FORCE_READ },
			{ .site = LOCK, .kinds = FORCE_ACQUIRE, .thread = 1,
			  .object = FORCE_ANY_OBJECT,
			  .flags = FORCE_HOLD | FORCE_GATE },
			{ .site = WRITE, .kinds = FORCE_WRITE, .thread = 1 },
			{ .site = READ, .kinds = FORCE_READ },
		},
	};
	struct force_stop s = stop(2, LOCK, 128);
	struct force_hold h;

	(void)state;
	rules_set(&rule, 1);
	h = waits(2, LOCK, 128);
	goes(1, READ, 64);
	assert_true(force_is_released(h));
	force_released(&s, h);
	assert_true(force_is_due(&s));
	force_pass(&s);
	goes(3, LOCK, 128);
	s = stop(3, WRITE, 64);
	assert_true(force_is_due(&s));
	goes(3, WRITE, 64);
	goes(1, READ, 64);
	assert_int_equal(region->force.tallies[0].forced, 1);
}

static void test_objects_must_agree(void **state)
{
	(void)state;
	rules_set(&lost_update, 1);
	goes(1, READ, 64);
	goes(1, WRITE, 128);
	waits(1, WRITE, 66);
	goes(2, WRITE, 128);
	goes(2, WRITE, 60);
	assert_int_equal(region->force.tallies[0].forced, 0);
}

static void test_patience_grows(void **state)
{
	struct force_stop s = stop(1, WRITE, 64), late = stop(2, WRITE, 64);
	struct force_hold h;
	uint32_t before;

	(void)state;
	rules_set(&lost_update, 1);
	before = force_patience(0);
	for (int i = 0; i < 3; i++) {
		goes(1, READ, 64);
		h = waits(1, WRITE, 64);
		force_released(&s, h);
		force_pass(&s);
		ticks += 1000;
		force_pass(&late);
	}
	assert_int_equal(region->force.tallies[0].expired, 3);
	assert_true(region->force.tallies[0].late_us >= 1000);
	assert_true(force_patience(0) > before);
	/* It was held as often as it may be. */
	goes(1, READ, 64);
	goes(1, WRITE, 64);
}

static void test_windows(void **state)
{
	struct force_rule rules[5];
	uint32_t count;

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		rules[i] = lost_update;
		for (int e = 0; e < 3; e++)
			rules[i].events[e].site += i * 1000;
	}
	rules_set(rules, 5);
	region->force.window = 2;
	assert_int_equal(force_window(&region->force, 5, &count), 4);
	assert_int_equal(count, 1);
	assert_int_equal(force_window(&region->force, 7, &count), 2);
	assert_int_equal(count, 2);
	region->force.rule_count = 0;
	assert_int_equal(force_window(&region->force, 7, &count), 0);
	assert_int_equal(count, 0);
}

/* ---- against all histories ---- */

enum { THREADS = 3, STEPS = 60, SITES = 4 };

struct passed {
	struct force_stop stop;
};

static struct passed history[STEPS];
static uint32_t history_count;

static bool fits(const struct force_event *e, const struct force_stop *s,
		 const uint32_t *threads, const uint64_t *objects)
{
	if (e->site != s->site)
		return false;
	for (uint32_t i = 0; i < FORCE_EVENTS; i++)
		if (i == e->thread ? threads[i] != FORCE_NONE &&
					     threads[i] != s->thread :
				     threads[i] == s->thread)
			return false;
	return e->object == FORCE_ANY_OBJECT || !objects[e->object] ||
	       objects[e->object] == s->addr;
}

/* Is there any way to read the rule into what has passed, ending with the last
 * of it? */
static bool is_in_history(const struct force_rule *rule, uint32_t event,
			  uint32_t from, uint32_t *threads, uint64_t *objects)
{
	while (event && event < rule->count &&
	       rule->events[event].flags & FORCE_GATE)
		event++;
	if (event == rule->count)
		return from == history_count;
	for (uint32_t i = from; i < history_count; i++) {
		const struct force_event *e = &rule->events[event];
		const struct force_stop *s = &history[i].stop;
		uint32_t thread = threads[e->thread];
		uint64_t object =
			e->object == FORCE_ANY_OBJECT ? 0 : objects[e->object];

		if (!fits(e, s, threads, objects))
			continue;
		threads[e->thread] = s->thread;
		if (e->object != FORCE_ANY_OBJECT)
			objects[e->object] = s->addr;
		if (is_in_history(rule, event + 1, i + 1, threads, objects))
			return true;
		threads[e->thread] = thread;
		if (e->object != FORCE_ANY_OBJECT)
			objects[e->object] = object;
	}
	return false;
}

static struct force_rule random_rule(struct rng *r)
{
	struct force_rule rule = { .count = 2 + rng_below(r, 3),
				   .hold_us = 100,
				   .holds = 4 };

	for (uint32_t e = 0; e < rule.count; e++)
		rule.events[e] = (struct force_event){
			.site = 1 + rng_below(r, SITES),
			.thread = (uint8_t)rng_below(r, 2),
			.object = rng_below(r, 4) ? 0 : FORCE_ANY_OBJECT,
			.flags = rng_below(r, 4) ? FORCE_HOLD : 0,
		};
	/* Neither the first nor the last. */
	for (uint32_t e = 1; e + 1 < rule.count; e++)
		if (rng_below(r, 4) == 0)
			rule.events[e].flags = FORCE_HOLD | FORCE_GATE;
	return rule;
}

static void passes(const struct force_rule *rule, const struct force_stop *s)
{
	uint32_t before = region->force.tallies[0].forced;
	uint32_t threads[FORCE_EVENTS];
	uint64_t objects[FORCE_EVENTS] = { 0 };

	memset(threads, 0xff, sizeof(threads));
	history[history_count++].stop = *s;
	force_pass(s);
	if (region->force.tallies[0].forced > before)
		assert_true(is_in_history(rule, 0, 0, threads, objects));
}

/* Threads come to places at random until the rule is forced; one that is held
 * stays until it is released or given up. */
static void random_run(const struct force_rule *rule, struct rng *r,
		       uint32_t objects)
{
	struct force_stop held_stop = { 0 };
	struct force_hold hold = { .rule = FORCE_NONE };

	history_count = 0;
	rules_set(rule, 1);
	while (history_count < STEPS - 1 && !region->force.tallies[0].forced) {
		struct force_stop s = {
			.thread = rng_below(r, THREADS),
			.site = 1 + rng_below(r, SITES),
			.addr = 64 + 8 * rng_below(r, objects),
			.size = 8,
			.kinds = FORCE_READ,
		};
		struct force_hold h;

		if (hold.rule != FORCE_NONE &&
		    (force_is_released(hold) || rng_below(r, 8) == 0)) {
			force_released(&held_stop, hold);
			hold.rule = FORCE_NONE;
			passes(rule, &held_stop);
			continue;
		}
		if (hold.rule != FORCE_NONE && s.thread == held_stop.thread)
			continue;
		h = force_look(&s);
		if (h.rule == FORCE_NONE) {
			passes(rule, &s);
			continue;
		}
		/* A thread that may go is not counted as held. */
		assert_true(hold.rule == FORCE_NONE || force_is_released(hold));
		if (hold.rule != FORCE_NONE) {
			force_released(&held_stop, hold);
			passes(rule, &held_stop);
		}
		force_held(&s, h);
		hold = h;
		held_stop = s;
	}
}

/* What is told as forced has happened, by the definition of a rule; and nobody
 * is held besides another. */
static void test_forced_is_true(void **state)
{
	uint32_t forced = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20000; seed++) {
		struct rng r = rng_seeded(seed);
		struct force_rule rule = random_rule(&r);

		random_run(&rule, &r, 2);
		forced += region->force.tallies[0].forced;
	}
	/* Most rules can be, in one way or the other. */
	assert_true(forced > 1000);
}

/* P, R and C by their numbers among the sites; where P and C are at the same
 * place, one is both. */
static bool is_shown(const uint32_t *sites)
{
	for (uint32_t i = 0; i < history_count; i++) {
		const struct force_stop *p = &history[i].stop;
		bool has_remote = false;

		if (p->site != sites[0])
			continue;
		for (uint32_t k = i + 1; k < history_count; k++) {
			const struct force_stop *s = &history[k].stop;
			bool is_own = s->thread == p->thread;

			if (s->addr != p->addr)
				continue;
			if (is_own && s->site == sites[2] && has_remote)
				return true;
			if (is_own &&
			    (s->site == sites[0] || s->site == sites[1] ||
			     s->site == sites[2]))
				break;
			has_remote |= !is_own && s->site == sites[1];
		}
	}
	return false;
}

/* Rules of P, R and C at random places, and their sites. */
static struct force_rule random_interleaving(struct rng *r, uint32_t *sites)
{
	struct force_rule rule = { .count = 3, .hold_us = 100, .holds = 4 };

	for (uint32_t e = 0; e < 3; e++) {
		sites[e] = 1 + rng_below(r, SITES);
		rule.events[e] = (struct force_event){ .site = sites[e],
						       .thread = e == 1 };
	}
	return rule;
}

/* Another C came between P and R: what R came between is C and C. The same of
 * an R of the thread that did P. */
static void test_used_up(void **state)
{
	struct force_rule rule = lost_update;

	(void)state;
	rule.events[1].flags = rule.events[2].flags = 0;
	rule.events[2].site = LAST;
	rules_set(&rule, 1);
	goes(1, READ, 64);
	goes(1, WRITE, 64);
	goes(2, WRITE, 64);
	goes(1, LAST, 64);
	assert_int_equal(region->force.tallies[0].forced, 0);
	rule.events[2].site = WRITE;
	rules_set(&rule, 1);
	goes(1, READ, 64);
	goes(1, WRITE, 64);
	goes(2, WRITE, 64);
	goes(1, WRITE, 64);
	assert_int_equal(region->force.tallies[0].forced, 0);
	goes(1, READ, 64);
	goes(1, WRITE, 128);
	goes(2, WRITE, 64);
	goes(1, WRITE, 64);
	assert_int_equal(region->force.tallies[0].forced, 1);
}

/* P is wide, and R and C are each on another part of it. */
static void test_parts_do_not_meet(void **state)
{
	struct force_rule rule = lost_update;
	struct force_stop whole = stop(1, READ, 64);

	(void)state;
	rule.events[1].flags = rule.events[2].flags = 0;
	whole.size = 32;
	rules_set(&rule, 1);
	force_pass(&whole);
	goes(2, WRITE, 64);
	goes(1, WRITE, 80);
	assert_int_equal(region->force.tallies[0].forced, 0);
	goes(1, WRITE, 64);
	assert_int_equal(region->force.tallies[0].forced, 1);
}

/* Nor does anybody wait for what cannot come about any more. */
static void test_used_up_holds_nobody(void **state)
{
	struct force_rule rule = lost_update;
	struct force_stop s = stop(1, WRITE, 64);
	struct force_hold h;

	(void)state;
	rule.events[1].flags = 0;
	rules_set(&rule, 1);
	goes(1, READ, 64);
	h = waits(1, WRITE, 64);
	force_released(&s, h);
	force_pass(&s);
	goes(1, WRITE, 64);
}

/* What is told as forced has come about with P and C one after the other, in
 * their thread, of all that is known of it. */
static void test_forced_is_consecutive(void **state)
{
	enum { RUNS = 20000, OBJECTS = 2 };
	uint32_t forced = 0;

	(void)state;
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		struct rng r = rng_seeded(seed);
		uint32_t sites[3];
		struct force_rule rule = random_interleaving(&r, sites);

		for (uint32_t e = 1; e < 3; e++)
			rule.events[e].flags = rng_below(&r, 2) ? FORCE_HOLD :
								  0;
		random_run(&rule, &r, OBJECTS);
		if (region->force.tallies[0].forced)
			assert_true(is_shown(sites));
		forced += region->force.tallies[0].forced;
	}
	assert_true(forced > RUNS / 10);
}

/* What came about is told, whoever else was at these places meanwhile. */
static void test_nothing_is_overlooked(void **state)
{
	enum { RUNS = 4000, OBJECTS = 4 };
	uint32_t shown = 0;

	(void)state;
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		struct rng r = rng_seeded(seed);
		uint32_t sites[3];
		struct force_rule rule = random_interleaving(&r, sites);

		rules_set(&rule, 1);
		history_count = 0;
		while (history_count < STEPS / 2) {
			const struct force_stop s = {
				.thread = rng_below(&r, THREADS),
				.site = 1 + rng_below(&r, SITES),
				.addr = 64 + 8 * rng_below(&r, OBJECTS),
				.size = 8,
				.kinds = FORCE_READ,
			};

			history[history_count++].stop = s;
			force_pass(&s);
		}
		if (is_shown(sites)) {
			shown++;
			assert_int_equal(region->force.tallies[0].forced, 1);
		}
	}
	assert_true(shown > RUNS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_update_is_lost),
		cmocka_unit_test(test_remote_waits),
		cmocka_unit_test(test_both_at_one_place),
		cmocka_unit_test(test_gate_binds_nobody),
		cmocka_unit_test(test_objects_must_agree),
		cmocka_unit_test(test_patience_grows),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_forced_is_true),
		cmocka_unit_test(test_used_up),
		cmocka_unit_test(test_parts_do_not_meet),
		cmocka_unit_test(test_used_up_holds_nobody),
		cmocka_unit_test(test_forced_is_consecutive),
		cmocka_unit_test(test_nothing_is_overlooked),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
