/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronisation in a trace model: locks, conditions, semaphores, barriers and
 * the lives of threads, each numbered as it is met.
 */
#include "explore/trace_builder.h"

#include "format/event.h"

enum object_kind { LOCK = 1, CONDITION, SEMAPHORE, BARRIER };

/* ---- numbers ---- */

static uint32_t object_number(struct builder *b, uint32_t kind, uint64_t object,
			      uint32_t *count, bool *is_new)
{
	uint32_t *n = keymap_at(&b->names, object, kind);

	*is_new = !*n;
	if (!*n)
		*n = ++*count;
	return *n - 1;
}

uint32_t builder_lock(struct builder *b, uint64_t object)
{
	bool is_new;

	return object_number(b, LOCK, object, &b->m->causal.locks, &is_new);
}

static uint32_t condition_number(struct builder *b, uint64_t object)
{
	bool is_new;

	return object_number(b, CONDITION, object, &b->m->causal.conditions,
			     &is_new);
}

/* Its first count is what the first event found. */
static uint32_t semaphore_number(struct builder *b, const struct traced *e)
{
	uint32_t count = (uint32_t)b->m->causal.semaphores.count;
	bool is_new;
	uint32_t n = object_number(b, SEMAPHORE, e->object, &count, &is_new);

	if (is_new)
		vec_push(&b->m->causal.semaphores, (uint32_t)e->was);
	return n;
}

static uint32_t barrier_number(struct builder *b, const struct traced *e)
{
	uint32_t count = (uint32_t)b->m->causal.barriers.count;
	bool is_new;
	/* One that was made anew for another number of threads is another. */
	uint32_t n = object_number(b, BARRIER | (uint32_t)e->was << 8,
				   e->object, &count, &is_new);

	if (is_new) {
		vec_push(&b->m->causal.barriers, e->was ? (uint32_t)e->was : 1);
		vec_push(&b->entered, 0);
	}
	return n;
}

uint32_t builder_handed(struct builder *b, uint64_t object)
{
	uint32_t n = *keymap_at(&b->handed, object, 0);

	return n ? n - 1 : NO_LINE;
}

static void sync_add(struct builder *b, uint32_t line, enum causal_kind kind,
		     uint32_t object)
{
	builder_add(b, line,
		    (struct causal_event){ .kind = kind,
					   .thread = b->t->lines[line].thread,
					   .object = object,
					   .wakes = CAUSAL_NOBODY });
}

/* ---- locks ---- */

/* How the thread of that line holds the lock. */
static uint32_t *held_at(struct builder *b, uint32_t line, uint64_t lock)
{
	return keymap_at(&b->held, lock, b->t->lines[line].thread);
}

/* Of a lock that is handed over: 0 is free. */
static void variable_add(struct builder *b, uint32_t line, uint32_t location,
			 enum causal_kind kind, uint64_t was, uint64_t becomes)
{
	uint32_t part = (uint32_t)b->m->causal.parts.count;

	b->is_known.at[location] = true;
	vec_push(&b->m->causal.parts,
		 (struct causal_part){ location, was, becomes });
	builder_add(b, line,
		    (struct causal_event){ .kind = kind,
					   .thread = b->t->lines[line].thread,
					   .part = part,
					   .parts = 1 });
}

static void wake_add(struct builder *b, uint32_t line, struct actor *a)
{
	builder_add(b, line,
		    (struct causal_event){
			    .kind = CAUSAL_WAKE,
			    .thread = b->t->lines[line].thread,
			    .object = condition_number(b, a->condition),
			    .lock = builder_lock(b, a->mutex),
			    .wakes = CAUSAL_NOBODY,
			    .timed_out = a->timed_out });
	*a = (struct actor){ .barrier = a->barrier, .round = a->round };
}

static bool is_for_readers(const struct traced *e)
{
	return e->kind == EVENT_RWLOCK_RDLOCK ||
	       (e->kind == EVENT_RWLOCK_FAIL && e->was);
}

/* A lock that is taken, or tried in vain. */
static void plain_lock_add(struct builder *b, uint32_t line,
			   enum causal_kind kind)
{
	const struct traced *e = &b->t->lines[line];

	builder_add(b, line,
		    (struct causal_event){ .kind = kind,
					   .thread = e->thread,
					   .object = builder_lock(b, e->object),
					   .wakes = CAUSAL_NOBODY,
					   .shared = is_for_readers(e),
					   .tried = kind == CAUSAL_LOCK &&
						    traced_tries(e) });
}

/* Of a lock that the thread has itself no try can come out otherwise. */
static void refused_add(struct builder *b, uint32_t line)
{
	uint64_t lock = b->t->lines[line].object;
	uint32_t location = builder_handed(b, lock);

	if (location != NO_LINE)
		variable_add(b, line, location, CAUSAL_READ, 1, 1);
	else if (!*held_at(b, line, lock))
		plain_lock_add(b, line, CAUSAL_LOCK_FAIL);
}

static void lock_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	struct actor *a = &b->actors[e->thread];
	uint32_t location = builder_handed(b, e->object);

	if (!(e->flags & TRACED_TOOK)) {
		if (traced_tries(e))
			refused_add(b, line);
		return;
	}
	*held_at(b, line, e->object) = is_for_readers(e) ? HELD_SHARED :
							   HELD_ALONE;
	if (a->condition && a->mutex == e->object)
		wake_add(b, line, a);
	else if (location != NO_LINE)
		variable_add(b, line, location, CAUSAL_RMW, 0, 1);
	else
		plain_lock_add(b, line, CAUSAL_LOCK);
}

static void unlock_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	uint32_t location = builder_handed(b, e->object);
	uint32_t *held = held_at(b, line, e->object);
	struct causal_event event = { .kind = CAUSAL_UNLOCK,
				      .thread = e->thread,
				      .wakes = CAUSAL_NOBODY,
				      .shared = *held == HELD_SHARED };

	if (!(e->flags & TRACED_LEFT))
		return;
	*held = 0;
	if (location != NO_LINE) {
		variable_add(b, line, location, CAUSAL_WRITE, 1, 0);
		return;
	}
	event.object = builder_lock(b, e->object);
	builder_add(b, line, event);
}

/* ---- semaphores ---- */

static void token_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	bool took = e->flags & TRACED_TOOK, tries = traced_tries(e);

	if (!took && !tries)
		return;
	builder_add(b, line,
		    (struct causal_event){ .kind = took ? CAUSAL_SEM_WAIT :
							  CAUSAL_SEM_FAIL,
					   .thread = e->thread,
					   .object = semaphore_number(b, e),
					   .wakes = CAUSAL_NOBODY,
					   .tried = took && tries });
}

/* ---- conditions, barriers ---- */

static void wait_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	struct actor *a = &b->actors[e->thread];

	if (!(e->flags & TRACED_LEFT)) {
		a->timed_out = e->flags & TRACED_TIME;
		return;
	}
	a->condition = e->object;
	a->mutex = e->was;
	*held_at(b, line, e->was) = 0;
	builder_add(
		b, line,
		(struct causal_event){ .kind = CAUSAL_WAIT,
				       .thread = e->thread,
				       .object = condition_number(b, e->object),
				       .lock = builder_lock(b, e->was),
				       .wakes = CAUSAL_NOBODY });
}

static void signal_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];

	builder_add(b, line,
		    (struct causal_event){
			    .kind = CAUSAL_SIGNAL,
			    .thread = e->thread,
			    .object = condition_number(b, e->object),
			    .wakes = e->other == NO_THREAD ? CAUSAL_NOBODY :
							     e->other });
}

/* What a thread does in its round; `line` may be NO_LINE. */
static void barrier_add(struct builder *b, uint32_t thread, uint32_t line,
			enum causal_kind kind, bool serial)
{
	const struct actor *a = &b->actors[thread];

	builder_add(b, line,
		    (struct causal_event){ .kind = kind,
					   .thread = thread,
					   .object = a->barrier,
					   .wakes = CAUSAL_NOBODY,
					   .round = a->round,
					   .serial = serial });
}

static void arrive_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	struct actor *a = &b->actors[e->thread];
	bool serial = e->flags & TRACED_SERIAL;

	a->barrier = barrier_number(b, e);
	a->round = b->entered.at[a->barrier]++ /
		   b->m->causal.barriers.at[a->barrier];
	barrier_add(b, e->thread, line, CAUSAL_BARRIER_ENTER, serial);
	/* Who comes last leaves at once, without a line of its own. */
	if (serial)
		barrier_add(b, e->thread, NO_LINE, CAUSAL_BARRIER_LEAVE, false);
}

/* The lock becomes a variable, unless conditions use it. */
static void hand_over(struct builder *b, const struct keymap *waited,
		      uint64_t lock)
{
	uint32_t *n;

	if (keymap_find(waited, lock, 0)) {
		b->m->gaps |= GAP_HANDED;
		return;
	}
	n = keymap_at(&b->handed, lock, 0);
	if (!*n)
		*n = builder_location(b, 0, 1) + 1;
}

/* Does somebody else let go what this line's thread does not hold? The main
 * thread alone may hold locks before the first line. */
static bool is_handed(struct keymap *holder, const struct traced *e,
		      uint64_t lock)
{
	uint32_t *n = keymap_at(holder, lock, 0);
	bool is_own = *n == e->thread + 1u || (!*n && e->thread == 0);

	*n = e->thread + 1u;
	return e->flags & TRACED_LEFT && !is_own;
}

void sync_find_handed(struct builder *b)
{
	const struct run_trace *t = b->t;
	struct keymap waited = { 0 }, holder = { 0 };

	for (uint32_t i = 0; i < t->line_count; i++)
		if (t->lines[i].kind == EVENT_COND_WAIT)
			*keymap_at(&waited, t->lines[i].was, 0) = 1;
	for (uint32_t i = 0; i < t->line_count; i++) {
		const struct traced *e = &t->lines[i];
		uint64_t lock = traced_lock(e);

		if (lock && is_handed(&holder, e, lock))
			hand_over(b, &waited, lock);
	}
	keymap_done(&waited);
	keymap_done(&holder);
}

/* Where more threads come to a barrier than make a round, others might meet. */
void sync_find_crowds(struct trace_model *m)
{
	const struct causal_trace *t = &m->causal;
	size_t size = t->barriers.count * t->threads;
	bool *came = xcalloc(size + 1, sizeof(*came));
	uint32_t *threads = xcalloc(t->barriers.count + 1, sizeof(*threads));

	for (size_t i = 0; i < t->events.count; i++) {
		const struct causal_event *e = &t->events.at[i];
		bool *here = came + (size_t)e->object * t->threads + e->thread;

		if (e->kind != CAUSAL_BARRIER_ENTER || *here)
			continue;
		*here = true;
		if (++threads[e->object] > t->barriers.at[e->object])
			m->gaps |= GAP_BARRIER;
	}
	free(came);
	free(threads);
}

/* ---- threads ---- */

void sync_find_creators(struct builder *b)
{
	uint32_t creator = NO_THREAD;

	b->births = NO_LINE;
	for (uint32_t i = 0; i < b->t->line_count; i++) {
		const struct traced *e = &b->t->lines[i];

		if (e->kind != EVENT_THREAD_CREATE || !e->object)
			continue;
		if (creator != NO_THREAD && creator != e->thread) {
			b->births = builder_location(b, 0, sizeof(uint32_t));
			return;
		}
		creator = e->thread;
	}
}

/* The number of a thread is how many there were, and the program sees it. */
static void number_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];
	uint32_t location = b->births;

	if (!b->is_known.at[location]) {
		b->now.at[location] = e->object;
		b->m->causal.initial.at[location] = e->object;
	}
	variable_add(b, line, location, CAUSAL_RMW, e->object, e->object + 1);
}

static void create_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];

	if (!e->object)
		return;
	if (b->births != NO_LINE) {
		number_add(b, line);
		line = NO_LINE;
	}
	builder_add(b, line,
		    (struct causal_event){ .kind = CAUSAL_CREATE,
					   .thread = e->thread,
					   .object = (uint32_t)e->object,
					   .wakes = CAUSAL_NOBODY });
}

/* ---- lines ---- */

bool sync_line_add(struct builder *b, uint32_t line)
{
	const struct traced *e = &b->t->lines[line];

	switch (e->kind) {
	case EVENT_MUTEX_LOCK:
	case EVENT_MUTEX_FAIL:
	case EVENT_SPIN_LOCK:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
	case EVENT_RWLOCK_FAIL:
		lock_add(b, line);
		break;
	case EVENT_MUTEX_UNLOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_RWLOCK_UNLOCK:
		unlock_add(b, line);
		break;
	case EVENT_COND_WAIT:
		wait_add(b, line);
		break;
	case EVENT_COND_SIGNAL:
		signal_add(b, line);
		break;
	case EVENT_COND_BROADCAST:
		sync_add(b, line, CAUSAL_BROADCAST,
			 condition_number(b, e->object));
		break;
	case EVENT_SEM_WAIT:
	case EVENT_SEM_FAIL:
		token_add(b, line);
		break;
	case EVENT_SEM_POST:
		sync_add(b, line, CAUSAL_SEM_POST, semaphore_number(b, e));
		break;
	case EVENT_BARRIER_ENTER:
		arrive_add(b, line);
		break;
	case EVENT_BARRIER_LEAVE:
		barrier_add(b, e->thread, line, CAUSAL_BARRIER_LEAVE, false);
		break;
	case EVENT_THREAD_CREATE:
		create_add(b, line);
		break;
	case EVENT_THREAD_BEGIN:
		sync_add(b, line, CAUSAL_BEGIN, 0);
		break;
	case EVENT_THREAD_END:
		sync_add(b, line, CAUSAL_END, 0);
		break;
	case EVENT_THREAD_JOIN:
		if (e->flags & TRACED_TOOK)
			sync_add(b, line, CAUSAL_JOIN, (uint32_t)e->object);
		break;
	default:
		return event_remakes(e->kind);
	}
	return true;
}
