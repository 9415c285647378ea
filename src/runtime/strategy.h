/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STRATEGY_H
#define HEDDLE_STRATEGY_H

/*
 * A strategy chooses the next thread at every point. One page each, in
 * strategy_<name>.c, listed in format/strategy.def.
 *
 * A strategy sees what every thread stands before: control->threads[n] (kind,
 * object, site), and who is READY (turn.h). It may keep a number or two for
 * each thread in `rank` and `count` of its control_thread, which are 0 when
 * the thread is born. Its randomness is the struct rng it is given, and nothing
 * else: same seed, same choices. State of its own is static and set up by
 * `begin`, for a run is a fresh process.
 */

#include "format/rng.h"
#include "runtime/turn.h"

#pragma GCC visibility push(hidden)

struct strategy {
	/* The run begins; only the main thread is there. */
	void (*begin)(struct rng *rng);

	/* Thread `number` stands before a new event, or was born. May be
	 * NULL. Called before the choice. */
	void (*stands)(uint32_t number);

	/* One of turn_eligible (of which there is at least one). `current`
	 * had the turn until now; it need not be eligible. */
	uint32_t (*choose)(uint32_t current);

	/* `current` asked for others to go first, or spins: not it, if there
	 * is another. NULL: choose is asked, and if it insists another one is
	 * taken. */
	uint32_t (*yield)(uint32_t current);
};

#define STRATEGY(name, symbol, text, meaning)                                  \
	extern const struct strategy strategy_##symbol;
#include "format/strategy.def"
#undef STRATEGY

extern const struct strategy *const strategies[STRATEGIES];

/* strategy_follow.c: the plan's other choices. What the plan says at this
 * place, which the caller checks; false: the plan says nothing here. */
bool follow_pick(uint32_t thread, enum step_what what, uint32_t *chosen);

/* Does the plan have such a step here? It is done then. */
bool follow_finds(uint32_t thread, enum step_what what);

/* Is there a step left that must be done as it stands? */
bool follow_is_strict(void);

/* Was the whole plan done? */
bool follow_is_behind(void);

/* Real calls in the plan: does it say that one is over here, in a decision of
 * `me`, by arrival or by time? The step is taken. */
bool follow_arrival(uint32_t me, enum step_what *what, uint32_t *thread);

/* Does `me`, which stands before such a call, have to wait? */
bool follow_is_away(uint32_t me);

/* The run does not fit the plan. */
_Noreturn void follow_diverge(uint32_t thread, const char *text);

/* The same without doing it: `to` is what the step says. */
bool follow_peek(uint32_t thread, enum step_what what, uint32_t *to);

/* strategy_order.c: who could have gone on where this thread did, by bit; for
 * its line of the trace. And whom the tool wants to be woken, of these n. */
uint64_t order_options(uint32_t thread);
uint32_t order_pick(const uint32_t *among, uint32_t n);

/* Does the tool say who makes which event? */
static inline bool is_ordered(void)
{
	return control->ask.strategy == STRATEGY_ORDER;
}

/* Is a plan being followed? */
static inline bool is_following(void)
{
	return control->ask.strategy == STRATEGY_FOLLOW;
}

#pragma GCC visibility pop

#endif
