/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analysis/wakeup.h"
#include "format/rng.h"

enum { MUTEX = 0x100, OTHER = 0x200, COND = 0x300, CONDS = 2 };

/* A stack is a site with its calls in the upper half. */
static struct wakeup_place place_of(const void *self, uint32_t stack)
{
	(void)self;
	return (struct wakeup_place){ stack & 0xffff, stack >> 16 };
}

struct run {
	struct locksets *locks;
	struct wakeups *wakeups;
	struct wakeup_finding *found;
	size_t count;
};

static void run_begin(struct run *r)
{
	*r = (struct run){ .locks = locksets_new(NULL) };
	r->wakeups = wakeups_new(&(struct wakeup_inputs){
		.locks = r->locks, .place_of = place_of });
}

static void happens(struct run *r, unsigned int kind, uint32_t thread,
		    uint64_t addr, uint64_t arg, uint32_t stack)
{
	const struct event e = { .kind = (uint8_t)kind,
				 .thread = thread,
				 .addr = addr,
				 .arg = arg,
				 .stack = stack };

	locksets_feed(r->locks, &e);
	wakeups_feed(r->wakeups, &e);
}

/* Locks, waits, is woken, and lets go. */
static void waits(struct run *r, uint32_t thread, uint64_t cond, uint32_t at)
{
	happens(r, EVENT_MUTEX_LOCK, thread, MUTEX, 0, at);
	happens(r, EVENT_COND_WAIT, thread, cond, MUTEX, at + 1);
	happens(r, EVENT_MUTEX_UNLOCK, thread, MUTEX, 0, at + 1);
	happens(r, EVENT_COND_WAKE, thread, cond, 0, at + 1);
	happens(r, EVENT_MUTEX_LOCK, thread, MUTEX, 0, at + 1);
	happens(r, EVENT_MUTEX_UNLOCK, thread, MUTEX, 0, at + 2);
}

static void signals(struct run *r, uint32_t thread, uint64_t mutex,
		    uint64_t cond, uint32_t at)
{
	happens(r, EVENT_MUTEX_LOCK, thread, mutex, 0, at);
	happens(r, EVENT_COND_BROADCAST, thread, cond, 0, at + 1);
	happens(r, EVENT_MUTEX_UNLOCK, thread, mutex, 0, at + 2);
}

static void run_end(struct run *r)
{
	r->found = wakeups_find(r->wakeups, &r->count);
}

static void run_done(struct run *r)
{
	free(r->found);
	wakeups_free(r->wakeups);
	locksets_free(r->locks);
}

static void test_without_the_mutex(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r);
	waits(&r, 1, COND, 10);
	signals(&r, 2, OTHER, COND, 20);
	signals(&r, 2, OTHER, COND, 20);
	run_end(&r);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.found[0].cond, COND);
	assert_int_equal(r.found[0].locked.site, 10);
	assert_int_equal(r.found[0].wait.site, 11);
	assert_int_equal(r.found[0].prior.site, 20);
	assert_int_equal(r.found[0].signal.site, 21);
	assert_int_equal(r.found[0].thread, 2);
	run_done(&r);
}

/* With the mutex of the wait, by the thread itself, or of another condition. */
static void test_what_cannot_be_lost(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r);
	waits(&r, 1, COND, 10);
	signals(&r, 2, MUTEX, COND, 20);
	signals(&r, 1, OTHER, COND, 30);
	signals(&r, 2, OTHER, COND + 64, 40);
	run_end(&r);
	assert_int_equal(r.count, 0);
	run_done(&r);
}

/* The same place by other calls is another place. */
static void test_calls_tell_apart(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r);
	waits(&r, 1, COND, 10);
	signals(&r, 2, OTHER, COND, 1 << 16 | 20);
	signals(&r, 2, OTHER, COND, 2 << 16 | 20);
	run_end(&r);
	assert_int_equal(r.count, 2);
	assert_int_equal(r.found[0].signal.calls, 1);
	assert_int_equal(r.found[1].signal.calls, 2);
	assert_false(wakeup_is_at(&r.found[0].signal, &r.found[1].signal));
	assert_true(wakeup_is_at(&r.found[0].wait, &r.found[1].wait));
	run_done(&r);
}

/* Random waits and signals against all pairs of them. */
static void test_all_pairs(void **state)
{
	enum { STEPS = 12, SEEDS = 300, THREADS = 3 };
	struct step {
		uint32_t thread;
		uint64_t cond;
		bool waits, holds;
	} steps[STEPS];

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct rng g = rng_seeded(seed);
		size_t wanted = 0;
		struct run r;

		run_begin(&r);
		for (uint32_t i = 0; i < STEPS; i++) {
			struct step *s = &steps[i];

			*s = (struct step){ rng_below(&g, THREADS),
					    COND + 64 * rng_below(&g, CONDS),
					    rng_below(&g, 2),
					    rng_below(&g, 2) };
			/* Every step has places of its own. */
			if (s->waits)
				waits(&r, s->thread, s->cond, 10 + 10 * i);
			else
				signals(&r, s->thread, s->holds ? MUTEX : OTHER,
					s->cond, 10 + 10 * i);
		}
		for (uint32_t i = 0; i < STEPS; i++)
			for (uint32_t k = 0; k < STEPS; k++)
				wanted += steps[i].waits && !steps[k].waits &&
					  !steps[k].holds &&
					  steps[i].cond == steps[k].cond &&
					  steps[i].thread != steps[k].thread;
		run_end(&r);
		assert_int_equal(r.count, wanted);
		for (size_t i = 0; i < r.count; i++) {
			const struct step *w =
				&steps[r.found[i].wait.site / 10 - 1];
			const struct step *s =
				&steps[r.found[i].signal.site / 10 - 1];

			assert_true(w->waits && !s->waits && !s->holds);
			assert_true(w->cond == s->cond &&
				    w->thread != s->thread);
		}
		run_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_the_mutex),
		cmocka_unit_test(test_what_cannot_be_lost),
		cmocka_unit_test(test_calls_tell_apart),
		cmocka_unit_test(test_all_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
