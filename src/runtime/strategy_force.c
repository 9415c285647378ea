/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/forcing.h"
#include "runtime/model.h"
#include "runtime/perturb.h"
#include "runtime/strategy.h"

/*
 * As the rules of forcing.h want it: a thread that comes to an event of a rule
 * too early does not get the turn while another can have it; one that stands
 * before the next event of an attempt gets it at once. Otherwise it is a random
 * walk, which changes threads at every point in some runs and rarely in others.
 *
 * Guarantee: none of its own; where the events of a rule can be brought into
 *   its order by holding one thread at a time, it takes few runs.
 * Finds: unserializable interleavings, wrong orders and lock cycles that an
 *   analysis has named (CTrigger: Lu, Park, Zhou, TSE 2012; RegressionMaple).
 * Misses: what needs several threads held at once.
 * Wrong when: never. Accesses are taken by the 8 bytes in which they begin, so
 *   a rule may find its order on neighbours within them.
 */

static struct rng *chance;
static uint32_t stay; /* of 256: go on with the same thread */
static uint32_t obey; /* of 16: hold who comes before an attempt has begun */

/* What a thread stands before; valid while rank is 1. */
static struct force_stop stops[CONTROL_THREADS];

/* The thread that is held, and why. */
static uint32_t held = NO_THREAD;
static struct force_hold hold;
static uint32_t patience; /* decisions until it goes on all the same */

static uint64_t points(void)
{
	return control->run.points;
}

static void begin(struct rng *rng)
{
	static const uint16_t stays[] = { 0, 128, 224, 252 };
	static const uint16_t obeys[] = { 0, 8, 15 };

	chance = rng;
	stay = stays[rng_below(chance, 4)];
	obey = obeys[rng_below(chance, 3)];
	held = NO_THREAD;
	force_clock = points;
	force_begin(control->run.seed);
}

static uint64_t size_of(uint8_t kind)
{
	return kind <= EVENT_ATOMIC_CAS_FAIL ? 8 : 1;
}

/* A thread stands twice where it waits for a condition: before it sleeps, and
 * when it is woken. Free threads tell the second as what it is. */
static uint8_t kinds_of(uint32_t number)
{
	enum event_kind kind = control->threads[number].kind;

	if (kind == EVENT_COND_WAIT && model_sleeps(number))
		kind = EVENT_COND_WAKE;
	return force_kinds(kind, 0);
}

static void stands(uint32_t number)
{
	struct control_thread *c = &control->threads[number];
	uint64_t size = size_of(c->kind);

	c->rank = force_names(c->site);
	if (!c->rank)
		return;
	stops[number] = (struct force_stop){
		.addr = size == 8 ? c->object & ~UINT64_C(7) : c->object,
		.size = size,
		.thread = number,
		.site = c->site,
		.stack = perturb_stack(self),
		.kinds = kinds_of(number),
	};
}

/* ---- holding ---- */

static void release(void)
{
	if (held == NO_THREAD)
		return;
	force_released(&stops[held], hold);
	held = NO_THREAD;
}

/* Others may go round and round waiting for the one that is held; they ask for
 * others to go first then. */
static void look_at_held(bool is_asked)
{
	if (held == NO_THREAD)
		return;
	if (is_asked)
		patience /= 2;
	if (force_is_released(hold) || !patience--)
		release();
}

static bool is_held(uint32_t n)
{
	struct force_hold h;

	if (n == held)
		return true;
	if (held != NO_THREAD || !control->threads[n].rank)
		return false;
	h = force_look(&stops[n]);
	if (h.rule == FORCE_NONE)
		return false;
	/* Now and then a rule is not obeyed, so that one which cannot be
	 * does not keep a program in the same corner for ever; and who comes
	 * first need not wait for the other side in every run. */
	if (rng_below(chance, 16) >= (h.has_begun ? 15 : obey))
		return false;
	force_held(&stops[n], h);
	held = n;
	hold = h;
	patience = 64U << rng_below(chance, 8);
	return true;
}

/* ---- choosing ---- */

static uint32_t due(void)
{
	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t n = turn_eligible(i);

		if (n != held && control->threads[n].rank &&
		    force_is_due(&stops[n]))
			return n;
	}
	return NO_THREAD;
}

/* One of those that may go on, at random. */
static uint32_t any(uint32_t current, uint32_t but)
{
	uint32_t chosen = NO_THREAD, seen = 0;
	bool goes_on = current != but && turn_is_ready(current) &&
		       rng_below(chance, 256) < stay;

	if (goes_on && !is_held(current))
		return current;
	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t n = turn_eligible(i);

		if (n != but && !is_held(n) && rng_below(chance, ++seen) == 0)
			chosen = n;
	}
	return chosen;
}

static uint32_t choose_but(uint32_t current, uint32_t but)
{
	uint32_t next;

	look_at_held(but != NO_THREAD);
	next = due();
	if (next == NO_THREAD || next == but)
		next = any(current, but);
	/* Nobody but the one that is held: it goes. */
	if (next == NO_THREAD && held != NO_THREAD) {
		next = held;
		release();
		if (!turn_is_ready(next) || next == but)
			next = NO_THREAD;
	}
	if (next == NO_THREAD)
		next = turn_eligible(rng_below(chance, turn_eligible_count));
	if (control->threads[next].rank) {
		if (next == held)
			release();
		force_pass(&stops[next]);
		control->threads[next].rank = 0;
	}
	return next;
}

static uint32_t choose(uint32_t current)
{
	return choose_but(current, NO_THREAD);
}

static uint32_t yield(uint32_t current)
{
	return choose_but(current, current);
}

const struct strategy strategy_force = {
	.begin = begin, .stands = stands, .choose = choose, .yield = yield
};
