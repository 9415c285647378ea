/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/signal_control.h"
#include "runtime/strategy.h"

/*
 * Follow: the schedule of an earlier run, given back as a plan.
 *
 * Each thread goes on until it stands where the next step of the plan says;
 * then what the step says is done. Where the plan does not fit, the run ends as
 * diverged, and tells what was expected and what was seen. With CONTROL_LOOSE
 * such steps are passed over instead: the plan is a wish, as in shrinking.
 * Behind the end of the plan each thread runs until it cannot, and the lowest
 * number comes next.
 *
 * Finds: what the plan found.
 * Misses: everything else.
 * Wrong when: what is not controlled (the world outside) differs.
 */

static uint32_t next_step;
static bool is_told; /* the last choice is the plan's */

static void loose_begin(void);

static void begin(struct rng *rng)
{
	(void)rng;
	next_step = 0;
	if (control->ask.flags & CONTROL_LOOSE)
		loose_begin();
}

static bool is_switch(const struct step *s)
{
	return s->what <= STEP_YIELD;
}

/* A plan may name a thread that this run does not have yet. */
static bool can_run(uint32_t n)
{
	uint8_t state = n < control->run.thread_count ?
				control->threads[n].state :
				THREAD_UNUSED;

	return state == THREAD_READY || state == THREAD_ASLEEP;
}

static bool stands_at(uint32_t thread, const struct step *s)
{
	return s->thread == thread && s->visit == turn_visit &&
	       s->site == control->threads[thread].site;
}

_Noreturn static void diverge(uint32_t thread, const char *text)
{
	const struct step *s = &control->plan[next_step];
	struct outcome *o = control_outcome();

	o->step = next_step;
	o->expected_thread = s->thread;
	o->expected_site = s->site;
	o->seen_thread = thread;
	o->seen_site = control->threads[thread].site;
	control_fail(self, OUTCOME_DIVERGED, text, control->threads[thread].pc);
}

void follow_diverge(uint32_t thread, const char *text)
{
	diverge(thread, text);
}

/* ---- real calls ---- */

bool follow_is_strict(void)
{
	return is_following() && !(control->ask.flags & CONTROL_LOOSE) &&
	       next_step < control->ask.plan_count;
}

bool follow_is_behind(void)
{
	return is_following() && !(control->ask.flags & CONTROL_LOOSE) &&
	       next_step >= control->ask.plan_count;
}

static bool is_arrival(const struct step *s)
{
	return s->what == STEP_ARRIVE || s->what == STEP_TIMEOUT;
}

bool follow_arrival(uint32_t me, enum step_what *what, uint32_t *thread)
{
	const struct step *s = &control->plan[next_step];

	if (!follow_is_strict() || !is_arrival(s) || !stands_at(me, s))
		return false;
	next_step++;
	*what = (enum step_what)s->what;
	*thread = s->to;
	return true;
}

bool follow_is_away(uint32_t me)
{
	uint32_t end = control->ask.plan_count;

	for (uint32_t k = next_step; k < end; k++) {
		const struct step *s = &control->plan[k];

		if (!stands_at(me, s))
			return false;
		if (s->what == STEP_BLOCK || (is_arrival(s) && s->to == me))
			return true;
		if (is_switch(s))
			return false;
	}
	return false;
}

/* Who goes on where the plan has nothing to say. */
static uint32_t by_default(uint32_t current)
{
	uint32_t lowest = NO_THREAD, sleeper = NO_THREAD;

	if (turn_is_ready(current))
		return current;
	for (uint32_t i = 0; i < turn_eligible_count; i++)
		if (turn_eligible(i) < lowest)
			lowest = turn_eligible(i);
	if (lowest != NO_THREAD)
		return lowest;
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		const struct control_thread *c = &control->threads[n];

		if (c->state == THREAD_ASLEEP &&
		    (sleeper == NO_THREAD ||
		     c->deadline < control->threads[sleeper].deadline))
			sleeper = n;
	}
	if (sleeper == NO_THREAD && signal_rescues())
		return by_default(current);
	if (sleeper == NO_THREAD)
		control_fail(self, OUTCOME_DEADLOCK, NULL,
			     control->threads[current].pc);
	return sleeper;
}

/* ---- loosely ---- */

/*
 * Every thread has its own steps, in their order: by_thread[t] is the next of
 * thread t, after[k] the one of the same thread behind step k. A step is done
 * when its thread stands there, whatever became of the steps of others.
 */
static uint32_t *after;
static uint32_t by_thread[CONTROL_THREADS];
static uint32_t first_open; /* all steps before this one are done */

static void loose_begin(void)
{
	uint32_t count = control->ask.plan_count;

	after = guest_map((count + 1) * sizeof(*after));
	if (!after)
		control_fail(self, OUTCOME_LIMIT, "no memory for the plan", 0);
	for (uint32_t n = 0; n < CONTROL_THREADS; n++)
		by_thread[n] = count;
	for (uint32_t k = count; k-- > 0;) {
		uint32_t thread = control->plan[k].thread;

		if (thread >= CONTROL_THREADS || is_arrival(&control->plan[k]))
			continue;
		after[k] = by_thread[thread];
		by_thread[thread] = k;
	}
}

/* The step of this thread here, if there is one; it is done then. */
static const struct step *loose_take(uint32_t thread)
{
	uint32_t k = by_thread[thread];
	const struct step *s = &control->plan[k];

	if (k >= control->ask.plan_count || !stands_at(thread, s))
		return NULL;
	by_thread[thread] = after[k];
	return s;
}

/* Who has something left to do in the plan, in the plan's order. */
static uint32_t loose_next(uint32_t current)
{
	uint32_t count = control->ask.plan_count;

	while (first_open < count &&
	       by_thread[control->plan[first_open].thread] > first_open)
		first_open++;
	for (uint32_t k = first_open; k < count; k++) {
		uint32_t thread = control->plan[k].thread;

		if (by_thread[thread] <= k && turn_is_ready(thread))
			return thread;
	}
	return by_default(current);
}

static uint32_t choose_loosely(uint32_t current)
{
	const struct step *s = loose_take(current);

	is_told = s && is_switch(s) && can_run(s->to);
	if (s && is_switch(s) && can_run(s->to))
		return s->to;
	return turn_is_ready(current) ? current : loose_next(current);
}

/* ---- strictly ---- */

/* A thread that waited went on because of a signal that came from outside. */
static bool signal_wakes(uint32_t n, uint32_t k)
{
	const struct step *s = &control->plan[k];

	if (k >= control->ask.plan_count || s->thread != n ||
	    s->what != STEP_SIGNAL)
		return false;
	turn_disturb(n);
	return true;
}

static uint32_t choose(uint32_t current)
{
	const struct step *s = &control->plan[next_step];

	if (control->ask.flags & CONTROL_LOOSE)
		return choose_loosely(current);
	if (next_step >= control->ask.plan_count)
		return by_default(current);
	if (is_switch(s) && stands_at(current, s)) {
		if (!can_run(s->to) && !signal_wakes(s->to, next_step + 1))
			diverge(current, "the next thread cannot go on");
		is_told = true;
		next_step++;
		return s->to;
	}
	if (turn_is_ready(current) ||
	    (stands_at(current, s) && signal_wakes(current, next_step)))
		return current;
	diverge(current, "a thread stopped before its place in the plan");
}

static uint32_t yield(uint32_t current)
{
	uint32_t next;

	is_told = false;
	next = choose(current);
	if (next != current || is_told)
		return next;
	for (uint32_t i = 0; i < turn_eligible_count; i++)
		if (turn_eligible(i) != current)
			return turn_eligible(i);
	return current;
}

bool follow_pick(uint32_t thread, enum step_what what, uint32_t *chosen)
{
	const struct step *s = &control->plan[next_step];

	if (control->ask.flags & CONTROL_LOOSE) {
		s = loose_take(thread);
		if (s && s->what == what)
			*chosen = s->to;
		return s && s->what == what;
	}
	if (next_step < control->ask.plan_count && s->what == what &&
	    stands_at(thread, s)) {
		next_step++;
		*chosen = s->to;
		return true;
	}
	if (next_step >= control->ask.plan_count)
		return false;
	diverge(thread, "a choice the plan does not have");
}

bool follow_peek(uint32_t thread, enum step_what what, uint32_t *to)
{
	uint32_t k = control->ask.flags & CONTROL_LOOSE ? by_thread[thread] :
							  next_step;
	const struct step *s = &control->plan[k];

	if (k >= control->ask.plan_count || s->what != what ||
	    !stands_at(thread, s))
		return false;
	*to = s->to;
	return true;
}

bool follow_finds(uint32_t thread, enum step_what what)
{
	uint32_t chosen;

	return follow_peek(thread, what, &chosen) &&
	       follow_pick(thread, what, &chosen);
}

const struct strategy strategy_follow = { .begin = begin,
					  .choose = choose,
					  .yield = yield };
