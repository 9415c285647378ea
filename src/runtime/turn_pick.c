/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/schedule.h"
#include "runtime/strategy.h"
#include "runtime/turn.h"

/*
 * Choices other than who goes on: which waiter is woken, whether a wait ends
 * without cause, which signal is delivered. Chance makes them, or the plan.
 */

uint32_t turn_pick(struct thread *t, enum step_what what, uint32_t n)
{
	uint32_t chosen;

	if (n < 2)
		return 0;
	if (!is_following())
		chosen = rng_below(&turn_chance, n);
	else if (!follow_pick(t->number, what, &chosen) || chosen >= n)
		chosen = 0;
	schedule_step(t->number, what, chosen, n);
	return chosen;
}

void turn_signal(struct thread *t, int signal)
{
	uint32_t planned;

	if (follow_is_strict())
		follow_pick(t->number, STEP_SIGNAL, &planned);
	else if (is_following())
		follow_finds(t->number, STEP_SIGNAL);
	schedule_step(t->number, STEP_SIGNAL, (uint32_t)signal, 1);
}

/* A plan names the thread, which must be among them. */
static uint32_t follow_among(struct thread *t, enum step_what what,
			     const uint32_t *among, uint32_t n)
{
	uint32_t planned;

	if (!follow_pick(t->number, what, &planned))
		return among[0];
	for (uint32_t i = 0; i < n; i++)
		if (among[i] == planned)
			return planned;
	return among[0];
}

uint32_t turn_pick_thread(struct thread *t, enum step_what what,
			  const uint32_t *among, uint32_t n)
{
	uint32_t chosen;

	if (n < 2)
		return n ? among[0] : NO_THREAD;
	chosen = is_ordered()	? order_pick(among, n) :
		 is_following() ? follow_among(t, what, among, n) :
				  among[rng_below(&turn_chance, n)];
	schedule_step(t->number, what, chosen, n);
	return chosen;
}
