/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/simulate.h"

#include <inttypes.h>
#include <string.h>

/* States of a lock: free, held by thread n - 1, or by readers. */
#define READER (UINT64_C(1) << 32)

/* States of a thread at a condition: not there, queued at n - 1, woken. */
#define WOKEN UINT64_MAX

/* States of a thread's life. */
enum { NOT_BORN, ALIVE, DEAD };

static size_t reserve(struct simulation *s, size_t words)
{
	size_t at = s->count;

	s->count += words;
	return at;
}

/* A thread that another creates is not there at first. */
static void set_lives(struct simulation *s)
{
	const struct causal_trace *t = s->trace;

	for (uint32_t i = 0; i < t->threads; i++)
		s->words[s->living + i] = ALIVE;
	for (size_t i = 0; i < t->events.count; i++)
		if (t->events.at[i].kind == CAUSAL_CREATE)
			s->words[s->living + t->events.at[i].object] = NOT_BORN;
}

void simulation_init(struct simulation *s, const struct causal_trace *t)
{
	*s = (struct simulation){ .trace = t, .count = t->threads };
	s->memory = reserve(s, t->initial.count);
	s->locks = reserve(s, t->locks);
	s->waiting = reserve(s, t->threads);
	s->semaphores = reserve(s, t->semaphores.count);
	s->barriers = reserve(s, t->barriers.count);
	s->living = reserve(s, t->threads);
	s->bound = reserve(s, 1);
	s->words = xcalloc(s->count + 1, sizeof(*s->words));
	for (size_t i = 0; i < t->initial.count; i++)
		s->words[s->memory + i] = t->initial.at[i];
	for (size_t i = 0; i < t->semaphores.count; i++)
		s->words[s->semaphores + i] = t->semaphores.at[i];
	set_lives(s);
}

void simulation_done(struct simulation *s)
{
	free(s->words);
	s->words = NULL;
}

uint64_t simulation_value(const struct simulation *s, uint32_t location)
{
	return s->words[s->memory + location];
}

uint64_t simulation_progress(const struct simulation *s, uint32_t thread)
{
	return s->words[thread];
}

bool simulation_waits(const struct simulation *s, uint32_t thread,
		      uint32_t condition)
{
	return s->words[s->waiting + thread] == (uint64_t)condition + 1;
}

static enum simulate_result touch(struct simulation *s,
				  const struct causal_event *e)
{
	const struct causal_part *p = &s->trace->parts.at[e->part];

	for (uint32_t i = 0; i < e->parts && causal_reads(e); i++)
		if (simulation_value(s, p[i].location) != p[i].was)
			return SIMULATE_OTHER;
	for (uint32_t i = 0; i < e->parts && causal_writes(e); i++)
		s->words[s->memory + p[i].location] = p[i].becomes;
	return SIMULATE_DONE;
}

static enum simulate_result take(struct simulation *s, uint32_t lock,
				 uint32_t thread, bool shared)
{
	uint64_t *state = &s->words[s->locks + lock];

	if (shared && (!*state || *state >= READER)) {
		*state += READER;
		return SIMULATE_DONE;
	}
	if (*state)
		return SIMULATE_BLOCKED;
	*state = (uint64_t)thread + 1;
	return SIMULATE_DONE;
}

/* Would a try of the lock or of the semaphore fail now? */
static bool is_refused(const struct simulation *s, const struct causal_event *e)
{
	uint64_t held;

	if (e->kind == CAUSAL_SEM_WAIT || e->kind == CAUSAL_SEM_FAIL)
		return !s->words[s->semaphores + e->object];
	held = s->words[s->locks + e->object];
	return held && !(e->shared && held >= READER);
}

static enum simulate_result leave(struct simulation *s, uint32_t lock,
				  uint32_t thread, bool shared)
{
	uint64_t *state = &s->words[s->locks + lock];

	if (shared ? *state < READER : *state != (uint64_t)thread + 1)
		return SIMULATE_BLOCKED;
	*state = shared ? *state - READER : 0;
	return SIMULATE_DONE;
}

static enum simulate_result queue(struct simulation *s,
				  const struct causal_event *e)
{
	if (leave(s, e->lock, e->thread, false) != SIMULATE_DONE)
		return SIMULATE_BLOCKED;
	s->words[s->waiting + e->thread] = (uint64_t)e->object + 1;
	return SIMULATE_DONE;
}

static enum simulate_result wake(struct simulation *s,
				 const struct causal_event *e)
{
	bool queued = simulation_waits(s, e->thread, e->object);

	if (queued != e->timed_out)
		return queued ? SIMULATE_BLOCKED : SIMULATE_OTHER;
	if (take(s, e->lock, e->thread, false) != SIMULATE_DONE)
		return SIMULATE_BLOCKED;
	s->words[s->waiting + e->thread] = 0;
	return SIMULATE_DONE;
}

/* A signal wakes one thread if there is one. */
static enum simulate_result notify(struct simulation *s,
				   const struct causal_event *e, uint32_t wakes)
{
	bool any = false;

	for (uint32_t t = 0; t < s->trace->threads; t++)
		any |= simulation_waits(s, t, e->object);
	if (wakes == CAUSAL_NOBODY)
		return any ? SIMULATE_OTHER : SIMULATE_DONE;
	if (!simulation_waits(s, wakes, e->object))
		return SIMULATE_OTHER;
	s->words[s->waiting + wakes] = WOKEN;
	return SIMULATE_DONE;
}

static enum simulate_result notify_all(struct simulation *s,
				       const struct causal_event *e)
{
	for (uint32_t t = 0; t < s->trace->threads; t++)
		if (simulation_waits(s, t, e->object))
			s->words[s->waiting + t] = WOKEN;
	return SIMULATE_DONE;
}

static enum simulate_result count_down(struct simulation *s,
				       const struct causal_event *e)
{
	uint64_t *state = &s->words[s->semaphores + e->object];

	if (!*state)
		return SIMULATE_BLOCKED;
	--*state;
	return SIMULATE_DONE;
}

static enum simulate_result enter(struct simulation *s,
				  const struct causal_event *e)
{
	uint64_t *state = &s->words[s->barriers + e->object];
	uint32_t size = s->trace->barriers.at[e->object];

	if (*state / size != e->round ||
	    (*state % size == size - 1) != e->serial)
		return SIMULATE_OTHER;
	++*state;
	return SIMULATE_DONE;
}

static enum simulate_result pass(const struct simulation *s,
				 const struct causal_event *e)
{
	uint64_t arrived = s->words[s->barriers + e->object];
	uint32_t size = s->trace->barriers.at[e->object];

	return arrived / size > e->round ? SIMULATE_DONE : SIMULATE_BLOCKED;
}

static enum simulate_result live(struct simulation *s, uint32_t thread,
				 uint64_t from, uint64_t to)
{
	uint64_t *state = &s->words[s->living + thread];

	if (*state != from)
		return SIMULATE_BLOCKED;
	*state = to;
	return SIMULATE_DONE;
}

static enum simulate_result act(struct simulation *s,
				const struct causal_event *e, uint32_t wakes)
{
	if (causal_tries(e) && is_refused(s, e) != causal_failed(e))
		return SIMULATE_OTHER;
	switch (e->kind) {
	case CAUSAL_READ:
	case CAUSAL_WRITE:
	case CAUSAL_RMW:
		return touch(s, e);
	case CAUSAL_LOCK_FAIL:
	case CAUSAL_SEM_FAIL:
		return SIMULATE_DONE;
	case CAUSAL_LOCK:
		return take(s, e->object, e->thread, e->shared);
	case CAUSAL_UNLOCK:
		return leave(s, e->object, e->thread, e->shared);
	case CAUSAL_WAIT:
		return queue(s, e);
	case CAUSAL_WAKE:
		return wake(s, e);
	case CAUSAL_SIGNAL:
		return notify(s, e, wakes);
	case CAUSAL_BROADCAST:
		return notify_all(s, e);
	case CAUSAL_CREATE:
		return live(s, e->object, NOT_BORN, ALIVE);
	case CAUSAL_BEGIN:
		return SIMULATE_DONE;
	case CAUSAL_END:
		return live(s, e->thread, ALIVE, DEAD);
	case CAUSAL_JOIN:
		return live(s, e->object, DEAD, DEAD);
	case CAUSAL_SEM_WAIT:
		return count_down(s, e);
	case CAUSAL_SEM_POST:
		s->words[s->semaphores + e->object]++;
		return SIMULATE_DONE;
	case CAUSAL_BARRIER_ENTER:
		return enter(s, e);
	case CAUSAL_BARRIER_LEAVE:
		return pass(s, e);
	}
	CHECK(!"a kind of event");
	return SIMULATE_BLOCKED;
}

/* Is another thread in the middle of a step? */
static bool is_shut_out(const struct simulation *s,
			const struct causal_event *e)
{
	uint64_t who = s->words[s->bound];

	return who && who != (uint64_t)e->thread + 1;
}

/* The thread that has made this event has to go on if the next is bound to it.
 */
static void bind_next(struct simulation *s, uint32_t event)
{
	const struct causal_trace *t = s->trace;
	bool goes_on = event + 1 < t->events.count &&
		       t->events.at[event + 1].bound;

	s->words[s->bound] =
		goes_on ? (uint64_t)t->events.at[event].thread + 1 : 0;
}

enum simulate_result simulation_step(struct simulation *s,
				     struct causal_step step)
{
	const struct causal_event *e = &s->trace->events.at[step.event];
	enum simulate_result result;

	if (s->words[e->thread] != e->position)
		return SIMULATE_NOT_NEXT;
	if (s->words[s->living + e->thread] != ALIVE || is_shut_out(s, e))
		return SIMULATE_BLOCKED;
	result = act(s, e, step.wakes);
	if (result != SIMULATE_DONE)
		return result;
	s->words[e->thread]++;
	bind_next(s, step.event);
	return result;
}

static const char *words_for(enum simulate_result result)
{
	switch (result) {
	case SIMULATE_BLOCKED:
		return "cannot take place there";
	case SIMULATE_OTHER:
		return "would get another result there";
	case SIMULATE_NOT_NEXT:
		return "is not the next of its thread";
	case SIMULATE_DONE:
		break;
	}
	return "takes place";
}

static bool is_next(const struct simulation *s, const struct causal_event *e)
{
	return s->words[e->thread] == e->position &&
	       s->words[s->living + e->thread] == ALIVE && !is_shut_out(s, e);
}

/* Whoever was the last at the barrier arrives earlier now. */
static enum simulate_result arrive_early(struct simulation *s, uint32_t event)
{
	const struct causal_event *e = &s->trace->events.at[event];
	uint64_t *state = &s->words[s->barriers + e->object];
	uint32_t size = s->trace->barriers.at[e->object];

	if (!is_next(s, e))
		return SIMULATE_NOT_NEXT;
	if (*state / size != e->round || *state % size == size - 1)
		return SIMULATE_OTHER;
	++*state;
	return SIMULATE_DONE;
}

/* The last step, in the state before it. */
static int try_target(const struct simulation *s, uint32_t event,
		      const uint64_t *values, struct err *err)
{
	const struct causal_event *e = &s->trace->events.at[event];
	const struct causal_part *p = &s->trace->parts.at[e->part];

	if (!is_next(s, e))
		return err_set(err, "the read %" PRIu32 " is not next", event);
	if (e->kind == CAUSAL_BARRIER_ENTER &&
	    s->words[s->barriers + e->object] + 1 !=
		    ((uint64_t)e->round + 1) * s->trace->barriers.at[e->object])
		return err_set(err, "arrival %" PRIu32 " is not the last",
			       event);
	if (causal_tries(e) && is_refused(s, e) != (*values != 0))
		return err_set(err, "the try %" PRIu32 " goes as it went",
			       event);
	for (uint32_t i = 0; i < e->parts; i++)
		if (simulation_value(s, p[i].location) != values[i])
			return err_set(err,
				       "event %" PRIu32 " reads %" PRIu64
				       " and not %" PRIu64,
				       event,
				       simulation_value(s, p[i].location),
				       values[i]);
	return 0;
}

int simulate(const struct causal_trace *t, const struct causal_step *steps,
	     size_t count, const uint64_t *values, struct err *err)
{
	uint32_t turned = CAUSAL_NOBODY;
	struct simulation s;
	int rc = 0;

	if (values && count)
		turned = causal_turned(t, steps[count - 1].event);
	simulation_init(&s, t);
	for (size_t i = 0; i < count && !rc; i++) {
		enum simulate_result result;

		if (values && i + 1 == count) {
			rc = try_target(&s, steps[i].event, values, err);
			break;
		}
		result = steps[i].event == turned ?
				 arrive_early(&s, turned) :
				 simulation_step(&s, steps[i]);
		if (result != SIMULATE_DONE)
			rc = err_set(err, "step %zu: event %" PRIu32 " %s", i,
				     steps[i].event, words_for(result));
	}
	simulation_done(&s);
	return rc;
}
