/* SPDX-License-Identifier: Apache-2.0 */
#include "format/edit_distance.h"
#include "runtime/blocking.h"
#include "runtime/strategy.h"

/*
 * Hunt: brings about a short sequence of events that is like a known one
 * (format/hunt.h). It is the regression scheduler of Tsui, Wu and Chan (Toward
 * a Methodology to Expose Partially Fixed Concurrency Bugs, 2015, Algorithm 1),
 * with the active testing of Maple (Yu, Narayanasamy, Pereira, Pokam, OOPSLA
 * 2012), under control.
 *
 * A thread that stands before something like the next event of the sequence
 * goes on at once, and the sequence is one event further. One that stands
 * before a later event is *held*: others go first, as long as there are any.
 * Who is needed for the next event goes before those who are not; in
 * particular the thread of the last event stops right behind it when the next
 * one is another thread's. Where nobody else can go on, a thread is let go that
 * others wait for; if it had a part in the sequence, that begins anew. So it
 * does when all events have come: the first time may have done no harm.
 *
 * Finds: in one run, most often, what takes an order of two to four events.
 * Misses: bugs whose events do not happen with this input, and those that need
 *   more than the sequence has.
 * Wrong when: never; it chooses among threads that could go on.
 */

enum {
	MASK = (1 << HUNT_EVENTS) - 1,
	PASSED = 1 << HUNT_EVENTS, /* this one is let pass */
	SINCE = 16,		   /* from this bit on: the point of standing */
};

static struct rng *chance;
static struct hunt *hunt;
static struct hunt_report *report;
static uint64_t floor_rank;

/* The present attempt. By number of thread and object in the sequence. */
static uint32_t next_event;
static uint32_t threads[HUNT_EVENTS];
static uint64_t objects[HUNT_EVENTS];
static struct hunt_done done[HUNT_EVENTS];

static void attempt_begin(void)
{
	next_event = 0;
	for (uint32_t i = 0; i < HUNT_EVENTS; i++) {
		threads[i] = NO_THREAD;
		objects[i] = 0;
	}
}

static void begin(struct rng *rng)
{
	chance = rng;
	hunt = &control->hunt;
	report = &hunt->report;
	floor_rank = UINT64_C(1) << 32;
	*report = (struct hunt_report){ 0 };
	for (uint32_t i = 0; i < HUNT_EVENTS; i++)
		report->least_distance[i] = UINT32_MAX;
	attempt_begin();
}

/* ---- is it like that event? ---- */

/* The functions of an instruction, or none. */
static const struct hunt_span *span_find(uint32_t site)
{
	uint32_t from = 0, to = hunt->span_count;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (hunt->spans[middle].high <= site)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == hunt->span_count || hunt->spans[from].low > site)
		return NULL;
	return &hunt->spans[from];
}

/* Calls from code of which nothing is known are no frames. */
static uint32_t frames_of(uint32_t node, uint32_t *frames)
{
	uint32_t count = 0;

	while (node && node < REGION_STACKS) {
		const struct region_stack *at = &region->stacks[node];
		const struct hunt_span *s = at->site ? span_find(at->site - 1) :
						       NULL;

		for (uint32_t i = 0; s && i < s->count; i++)
			if (count < HUNT_FRAMES)
				frames[count++] = hunt->functions[s->first + i];
		node = at->parent;
	}
	return count;
}

static uint32_t distance_of(uint32_t n, const struct hunt_event *e)
{
	uint32_t frames[HUNT_FRAMES], count;
	struct thread *t = turn_thread(n);

	if (!t || !e->frame_count || hunt->flags & HUNT_ANY_STACK)
		return 0;
	count = frames_of(stack_node(t, control->threads[n].pc), frames);
	return edit_distance(frames, count, e->frames, e->frame_count);
}

static bool is_similar(uint32_t n, uint32_t k)
{
	const struct hunt_event *e = &hunt->events[k];
	const struct control_thread *c = &control->threads[n];
	uint32_t distance;

	if (hunt_operation(c->kind) != e->operation ||
	    (e->high && (c->object < e->low || c->object >= e->high))) {
		report->other_operation[k]++;
		return false;
	}
	distance = distance_of(n, e);
	if (distance > e->distance) {
		report->other_stack[k]++;
		if (distance < report->least_distance[k])
			report->least_distance[k] = distance;
		return false;
	}
	report->similar[k]++;
	return true;
}

static uint32_t similar_events(uint32_t n, uint32_t mask)
{
	uint32_t found = 0;

	for (uint32_t k = 0; k < hunt->count; k++)
		if (mask >> k & 1 && is_similar(n, k))
			found |= 1U << k;
	return found;
}

static void stands(uint32_t n)
{
	struct control_thread *c = &control->threads[n];
	uint32_t mask = control->sites[c->site] >> SITE_EVENTS;

	if (!c->rank)
		c->rank = rng_next(chance) | UINT64_C(1) << 63;
	c->count = 0;
	if (likely(!mask) || c->kind == EVENT_THREAD_BEGIN)
		return;
	c->count = similar_events(n, mask);
	if (c->count && rng_below(chance, 256) < hunt->pass)
		c->count |= PASSED;
	c->count |= control->run.points << SINCE;
}

/* ---- does it agree with what has come so far? ---- */

static bool has_part(uint32_t n)
{
	for (uint32_t i = 0; i < HUNT_EVENTS; i++)
		if (threads[i] == n)
			return true;
	return false;
}

static bool thread_agrees(uint32_t n, uint32_t k)
{
	uint32_t bound = threads[hunt->events[k].thread % HUNT_EVENTS];

	return bound == NO_THREAD ? !has_part(n) : bound == n;
}

/* Objects by the 8 bytes in which they begin: what one access of two words is
 * in one version of a program may be two in another. */
static bool object_agrees(uint64_t object, uint32_t k)
{
	uint32_t number = hunt->events[k].object % HUNT_EVENTS;

	if (hunt->events[k].object == HUNT_ANY_OBJECT)
		return true;
	if (objects[number])
		return objects[number] >> 3 == object >> 3;
	for (uint32_t i = 0; i < HUNT_EVENTS; i++)
		if (objects[i] && objects[i] >> 3 == object >> 3)
			return hunt->flags & HUNT_ANY_OBJECTS;
	return true;
}

static bool agrees(uint32_t n, uint32_t k)
{
	const struct control_thread *c = &control->threads[n];

	if (!(c->count >> k & 1) || !thread_agrees(n, k))
		return false;
	if (object_agrees(c->object, k))
		return true;
	report->other_object[k]++;
	return false;
}

static bool is_held(uint32_t n)
{
	uint64_t count = control->threads[n].count;

	if (!(count & MASK) || count & PASSED ||
	    control->run.points - (count >> SINCE) > hunt->patience)
		return false;
	for (uint32_t k = next_event + 1; k < hunt->count; k++)
		if (agrees(n, k))
			return true;
	return false;
}

/* ---- going on ---- */

static void bring_about(uint32_t n)
{
	const struct control_thread *c = &control->threads[n];
	const struct hunt_event *e = &hunt->events[next_event];

	report->attempts += next_event == 0;
	threads[e->thread % HUNT_EVENTS] = n;
	if (e->object < HUNT_EVENTS)
		objects[e->object] = c->object;
	done[next_event++] = (struct hunt_done){
		.site = c->site,
		.thread = n,
		.stack = stack_node(turn_thread(n), c->pc),
		.distance = distance_of(n, e),
		.object = c->object,
		.point = control->run.points,
	};
	if (next_event <= report->reached)
		return;
	report->reached = next_event;
	for (uint32_t i = 0; i < next_event; i++)
		report->done[i] = done[i];
}

/* The first event once more, by the thread that had it: what it did meanwhile
 * was nothing of ours. */
static bool is_again(uint32_t n)
{
	const struct control_thread *c = &control->threads[n];

	return next_event == 1 && c->count & 1 && !(c->count & PASSED) &&
	       threads[hunt->events[0].thread % HUNT_EVENTS] == n;
}

/* Who stands before the next event. */
static uint32_t find_next(uint32_t but)
{
	uint32_t best = NO_THREAD;

	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t n = turn_eligible(i);

		if (n == but || control->threads[n].count & PASSED ||
		    !agrees(n, next_event))
			continue;
		if (best == NO_THREAD ||
		    control->threads[n].rank > control->threads[best].rank)
			best = n;
	}
	return best;
}

/* Does somebody wait for this thread's end, or for what it holds? */
static bool is_awaited(uint32_t n)
{
	const struct control_thread *c = &control->threads[n];

	for (uint32_t m = 0; m < control->run.thread_count; m++) {
		const struct control_thread *w = &control->threads[m];

		if (w->state != THREAD_BLOCKED)
			continue;
		if (w->kind == EVENT_THREAD_JOIN && w->object == n)
			return true;
		for (uint32_t i = 0; i < c->hold_count && i < CONTROL_HELD; i++)
			if (c->holds[i].object == w->object)
				return true;
	}
	return false;
}

enum { HELD = 0, HELD_AWAITED, FREE, WANTED };

static uint32_t worth(uint32_t n)
{
	uint32_t wanted;

	if (next_event >= hunt->count)
		return FREE;
	if (is_held(n))
		return is_awaited(n) ? HELD_AWAITED : HELD;
	wanted = threads[hunt->events[next_event].thread % HUNT_EVENTS];
	if (wanted == NO_THREAD ? !has_part(n) : wanted == n)
		return WANTED;
	return FREE;
}

/* Among equals the present one goes on, or else the one of highest rank. */
static uint32_t pick(uint32_t current, uint32_t but)
{
	uint32_t best = NO_THREAD, best_worth = 0;
	bool stays = rng_below(chance, 256) >= hunt->noise;

	if (!stays)
		control->threads[current].rank = rng_next(chance) |
						 UINT64_C(1) << 63;
	for (uint32_t i = 0; i < turn_eligible_count; i++) {
		uint32_t n = turn_eligible(i), w;

		if (n == but)
			continue;
		w = 2 * worth(n) + (stays && n == current);
		if (best == NO_THREAD || w > best_worth ||
		    (w == best_worth &&
		     control->threads[n].rank > control->threads[best].rank)) {
			best = n;
			best_worth = w;
		}
	}
	return best;
}

static void let_go(uint32_t n)
{
	report->releases++;
	if (has_part(n))
		attempt_begin();
}

static uint32_t choose_but(uint32_t current, uint32_t but)
{
	uint32_t n;

	/* What came once may have to come again to do harm. */
	if (hunt->count && next_event == hunt->count)
		attempt_begin();
	n = next_event < hunt->count ? find_next(but) : NO_THREAD;
	if (n != NO_THREAD) {
		bring_about(n);
		return n;
	}
	n = pick(current, but);
	if (next_event < hunt->count && is_again(n)) {
		attempt_begin();
		bring_about(n);
	} else if (next_event < hunt->count && is_held(n)) {
		let_go(n);
	}
	return n;
}

static uint32_t choose(uint32_t current)
{
	return choose_but(current, NO_THREAD);
}

static uint32_t yield(uint32_t current)
{
	control->threads[current].rank = --floor_rank;
	return choose_but(current, current);
}

const struct strategy strategy_hunt = {
	.begin = begin, .stands = stands, .choose = choose, .yield = yield
};
