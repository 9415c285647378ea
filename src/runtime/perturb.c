/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/perturb.h"

#include "format/rng.h"
#include "runtime/control.h"
#include "runtime/forcing.h"
#include "runtime/latch.h"
#include "runtime/pairs.h"
#include "runtime/process.h"
#include "runtime/sys.h"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <time.h>

bool perturbing;

static struct latch latch; /* of forcing.c; held by threads that are inside */

/* Raised when something passed that somebody may wait for. */
static _Atomic uint32_t bell;
static _Atomic uint32_t waiting;

/* ---- time ---- */

static uint64_t began;

static uint64_t now_us(void)
{
	struct timespec t = { 0 };

	SYS_2(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000 -
	       began;
}

static void sleep_us(uint64_t us)
{
	struct timespec t = { .tv_sec = (time_t)(us / 1000000),
			      .tv_nsec = (long)(us % 1000000) * 1000 };

	SYS_2(SYS_nanosleep, &t, NULL);
}

/* ---- holding ---- */

static void forcing_enter(struct thread *t)
{
	guest_enter(t);
	latch_take(&latch);
}

static void forcing_leave(struct thread *t)
{
	latch_give(&latch);
	guest_leave(t);
}

static void ring(void)
{
	if (!atomic_load(&waiting))
		return;
	atomic_fetch_add(&bell, 1);
	SYS_3(SYS_futex, &bell, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

static bool is_released(struct thread *t, struct force_hold h)
{
	bool is;

	forcing_enter(t);
	is = force_is_released(h);
	forcing_leave(t);
	return is;
}

static void hold(struct thread *t, const struct force_stop *s,
		 struct force_hold h, uint32_t patience)
{
	uint64_t end = now_us() + patience;

	atomic_fetch_add(&waiting, 1);
	for (;;) {
		uint32_t seen = atomic_load(&bell);
		uint64_t now = now_us(), left = end > now ? end - now : 0;
		struct timespec limit = { .tv_sec = (time_t)(left / 1000000),
					  .tv_nsec = (long)(left % 1000000) *
						     1000 };

		if (!left || is_released(t, h))
			break;
		SYS_4(SYS_futex, &bell, FUTEX_WAIT_PRIVATE, seen, &limit);
	}
	atomic_fetch_sub(&waiting, 1);
	forcing_enter(t);
	force_released(s, h);
	forcing_leave(t);
}

/* `passes`: it happens right afterwards, and not after another wait. */
static void stop_at(struct thread *t, const struct force_stop *s, bool passes)
{
	struct force_hold h;
	uint32_t patience = 0;

	forcing_enter(t);
	h = force_look(s);
	if (h.rule != FORCE_NONE) {
		force_held(s, h);
		patience = force_patience(h.rule);
	} else if (passes) {
		force_pass(s);
	}
	forcing_leave(t);
	if (h.rule != FORCE_NONE) {
		hold(t, s, h, patience);
		if (passes) {
			forcing_enter(t);
			force_pass(s);
			forcing_leave(t);
		}
	}
	if (passes)
		ring();
}

/* ---- what comes by ---- */

/* Recursion is folded, as in the tree of calls: a call that stands there
 * already leads back to it. Who called the first function is left out: that is
 * not the program, and for main it is another one in every way to run it. */
uint32_t perturb_stack(const struct thread *t)
{
	enum { DEEPEST = 64 };
	uint32_t sites[DEEPEST], count = 0, hash = 0;

	if (!(region->force.flags & FORCE_STACKS))
		return 0;
	for (const struct call *c = t->base + 2; c <= t->top; c++) {
		uint32_t site = control_site(c->pc), at = 0;

		while (at < count && sites[at] != site)
			at++;
		if (at < DEEPEST) {
			sites[at] = site;
			count = at + 1;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		hash = force_stack_hash(hash, sites[i]);
	return hash;
}

static struct force_stop stop_of(const struct thread *t, uintptr_t addr,
				 size_t size, uint8_t kinds, uint32_t site)
{
	return (struct force_stop){ .addr = addr,
				    .size = size ? size : 1,
				    .thread = t->number,
				    .site = site,
				    .stack = perturb_stack(t),
				    .kinds = kinds };
}

void perturb_access(struct thread *t, uintptr_t addr, size_t size,
		    enum event_kind kind, uintptr_t pc)
{
	uint32_t site = control_site(pc);
	struct force_stop s;

	if (likely(!force_names(site)) || !t->alive || t->inside || t->ignoring)
		return;
	s = stop_of(t, addr, size, force_kinds(kind, 0), site);
	stop_at(t, &s, true);
}

static __thread struct rng noise __attribute__((tls_model("initial-exec")));

/* What one thread draws depends on the seed and on what it drew before. */
static void make_noise(const struct thread *t)
{
	const struct force *f = &region->force;

	if (likely(!f->noise_chance))
		return;
	if (!noise.state)
		noise = rng_fork(region->control.run.seed, 77 + t->number);
	if ((rng_next(&noise) & 0xffff) < f->noise_chance)
		sleep_us(1 + rng_below(&noise, f->noise_us + 1));
}

void perturb_before(enum event_kind kind, const volatile void *object,
		    uintptr_t pc)
{
	struct thread *t = guest_self();
	struct force_stop s;
	uint32_t site;

	if (!t || t->ignoring)
		return;
	make_noise(t);
	site = control_site(pc);
	if (likely(!force_names(site)))
		return;
	s = stop_of(t, (uintptr_t)object, 1, force_kinds(kind, 0), site);
	stop_at(t, &s, false);
}

void perturb_event(struct thread *t, enum event_kind kind,
		   const volatile void *object, uint64_t arg, uintptr_t pc)
{
	uint8_t kinds = force_kinds(kind, arg);
	uint32_t site = control_site(pc);
	struct force_stop s;

	if (!(kinds & FORCE_ACQUIRE) && !t->inside && !t->ignoring)
		make_noise(t);
	if (likely(!force_names(site)) || t->ignoring)
		return;
	s = stop_of(t, (uintptr_t)object, 1, kinds, site);
	if (!(kinds & FORCE_ACQUIRE) && !t->inside) {
		stop_at(t, &s, true);
		return;
	}
	forcing_enter(t);
	force_pass(&s);
	forcing_leave(t);
	ring();
}

void perturb_poison(void *block, size_t size)
{
	/* libc has its own marks in the beginning, by which it knows a block
	 * that is freed twice. */
	enum { LEAVE = 16, MOST = 4096 };
	volatile uint8_t *at = block;

	if (!(region->force.flags & FORCE_POISON))
		return;
	for (size_t i = LEAVE; i < size && i < MOST; i++)
		at[i] = 0xa5;
}

/* ---- the run ---- */

/* Nothing is asked of the run: its hooks return at once. */
static bool is_left_alone(void)
{
	const struct force *f = &region->force;

	return !f->rule_count && !f->noise_chance && f->flags & FORCE_BARE &&
	       !pairs_are_asked();
}

void perturb_begin(void)
{
	control_reset();
	process_resides();
	recording = false;
	if (is_left_alone())
		return;
	began = 0;
	began = now_us();
	force_clock = now_us;
	force_begin(region->control.run.seed);
	/* What is to take 200 microseconds should not take 250. */
	SYS_2(SYS_prctl, PR_SET_TIMERSLACK, 1);
	if (!life_first())
		return;
	if (pairs_are_asked())
		pairs_begin();
	perturbing = true;
	steered = true;
	gate_open();
}
