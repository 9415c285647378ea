/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/learn.h"
#include "runtime/strategy.h"

/*
 * SURW, selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury:
 * Selectively Uniform Concurrency Testing, ASPLOS 2025). Each run draws one
 * object on which threads conflict; the events there are the interesting ones.
 * Learning runs have counted how many of them each thread has, with the threads
 * it creates. A thread is drawn in proportion to what it has left: it makes the
 * next interesting event, and others that stand before one are held back until
 * it has. In between everyone runs as in random walk.
 *
 * Guarantee: where the counts are right and interesting events do not block
 *   each other, every order of them is equally likely; and every schedule keeps
 *   a chance above 0.
 * Finds: bugs in the order of events on one object, among threads of very
 *   different length, at which random walk always lets the short ones win.
 * Misses: bugs that need an order on several objects at once; those remain
 *   random walk's.
 * Wrong when: never; counts that differ from run to run make it less even.
 *   Without learning runs it is random walk.
 *
 * `rank` of a thread is its name, `count` what it has left.
 */

static struct rng *chance;
static uint64_t object;	  /* 0: none */
static uint32_t intended; /* makes the next interesting event */

static void begin(struct rng *rng)
{
	const struct control_profile *p = &control->profile;

	chance = rng;
	intended = NO_THREAD;
	object = 0;
	if (p->object_count && !(control->ask.flags & CONTROL_LEARN))
		object = p->objects[rng_below(chance, p->object_count)];
}

/* What the creator was to do through this thread, it does itself now. */
static void born(uint32_t number, struct control_thread *c)
{
	uint32_t parent = region->threads[number].parent;
	struct control_thread *p;

	c->rank = learn_name(number);
	c->count = learn_count(object, c->rank);
	if (parent >= CONTROL_THREADS)
		return;
	p = &control->threads[parent];
	if (intended == parent && p->count &&
	    rng_below64(chance, p->count) < c->count)
		intended = number;
	p->count -= c->count < p->count ? c->count : p->count;
}

static void stands(uint32_t number)
{
	struct control_thread *c = &control->threads[number];

	if (object && !c->rank)
		born(number, c);
}

static bool is_interesting(uint32_t number)
{
	return learn_object(&control->threads[number]) == object;
}

static bool is_live(uint32_t number)
{
	uint8_t state = control->threads[number].state;

	return state != THREAD_UNUSED && state != THREAD_OVER;
}

/* In proportion to what is left; NO_THREAD when nothing is. */
static uint32_t intend(void)
{
	uint32_t count = control->run.thread_count;
	uint64_t left = 0, drawn;

	for (uint32_t n = 0; n < count; n++)
		left += is_live(n) ? control->threads[n].count : 0;
	if (!left)
		return NO_THREAD;
	drawn = rng_below64(chance, left);
	for (uint32_t n = 0; n < count; n++) {
		if (!is_live(n))
			continue;
		if (drawn < control->threads[n].count)
			return n;
		drawn -= control->threads[n].count;
	}
	return NO_THREAD;
}

/* May it go on before the intended one has done its event? */
static bool is_free(uint32_t number)
{
	return intended == NO_THREAD || number == intended ||
	       !is_interesting(number);
}

/* One of the eligible that are wanted, all alike, but not `but`. */
static uint32_t draw(uint32_t but, bool (*is_wanted)(uint32_t))
{
	uint32_t found = NO_THREAD, count = 0;

	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t n = turn_eligible(i);

		if (n != but && (!is_wanted || is_wanted(n)) &&
		    rng_below(chance, ++count) == 0)
			found = n;
	}
	return found;
}

static uint32_t choose_but(uint32_t but)
{
	uint32_t next;

	if (object && (intended == NO_THREAD || !is_live(intended) ||
		       !control->threads[intended].count))
		intended = intend();
	next = draw(but, is_free);
	/* The intended one waits for one of those that are held back. */
	if (next == NO_THREAD)
		next = draw(but, NULL);
	if (object && is_interesting(next)) {
		struct control_thread *c = &control->threads[next];

		c->count -= c->count != 0;
		intended = NO_THREAD;
	}
	return next;
}

static uint32_t choose(uint32_t current)
{
	(void)current;
	return choose_but(NO_THREAD);
}

static uint32_t yield(uint32_t current)
{
	return choose_but(current);
}

const struct strategy strategy_surw = {
	.begin = begin, .stands = stands, .choose = choose, .yield = yield
};
