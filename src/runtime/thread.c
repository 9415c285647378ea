/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settle.h"

#include "runtime/cancel.h"
#include "runtime/ending.h"
#include "runtime/latch.h"
#include "runtime/model.h"
#include "runtime/perturb.h"
#include "runtime/real.h"
#include "runtime/roster.h"
#include "runtime/server.h"
#include "runtime/runtime.h"
#include "runtime/signal_control.h"
#include "runtime/stacks.h"
#include "runtime/sys.h"
#include "runtime/through.h"
#include "runtime/turn.h"
#include "runtime/values.h"

/*
 * Threads are created through a first function of ours, which knows the new
 * thread before any of the program's code runs in it. settle.c is about how
 * they end.
 *
 * Signals are blocked from before the creation until the new thread is known:
 * a handler in between would meet a thread that nobody has registered.
 */

/* ---- the new thread ---- */

/* What the first function needs. Creator and child both hold it; whoever comes
 * first tells the program the pthread_t: before that the child has run none of
 * the program's code, and after it the place may be gone. */
struct start {
	struct thread *thread;
	void *(*routine)(void *);
	thrd_start_t routine_c11;
	void *arg;
	pthread_t id;
	pthread_t *where;
	uint32_t number;
	uint32_t holders;
	bool told;
	bool has_mask; /* the child's signal mask is `mask` */
	bool detached;
	uint64_t mask;
	struct start *next;
};

static struct {
	struct latch latch;
	struct start *free;
} starts;

static void starts_grow(void)
{
	enum { BATCH = 8 };
	struct start *batch = guest_map(BATCH * sizeof(*batch));

	for (int i = 0; batch && i < BATCH; i++) {
		batch[i].next = starts.free;
		starts.free = &batch[i];
	}
}

static struct start *start_take(void)
{
	struct start *s;

	latch_take(&starts.latch);
	if (!starts.free)
		starts_grow();
	s = starts.free;
	if (s)
		starts.free = s->next;
	latch_give(&starts.latch);
	return s;
}

static void start_drop(struct start *s, uint32_t holders)
{
	latch_take(&starts.latch);
	s->holders -= holders;
	if (!s->holders) {
		s->next = starts.free;
		starts.free = s;
	}
	latch_give(&starts.latch);
}

/* Tells the pthread_t, to the program and to the roster, and lets go. */
static void start_tell(struct start *s, pthread_t id)
{
	latch_take(&starts.latch);
	if (!s->told) {
		s->told = true;
		*s->where = id;
		roster_add(s->number, id);
	}
	latch_give(&starts.latch);
	start_drop(s, 1);
}

/* The first steps of a new thread; the start is gone afterwards. */
static void start_begin(struct start *at)
{
	struct thread *t = at->thread;
	struct start s = *at;

	guest_enter(t);
	self = t;
	if (controlled) {
		region->threads[t->number].kernel_tid =
			(uint32_t)SYS_0(SYS_gettid);
		ending_thread_begin(t->number);
		turn_enter(t);
	}
	start_tell(at, pthread_self());
	settle(t, SETTLE_CREATED);
	if (s.detached) {
		roster_detached(s.number);
		life_forget(s.number);
	}
	life_begin(t);
	if (s.has_mask)
		signals_restore(&s.mask);
	else if (controlled)
		signal_begin(t);
	guest_leave(t);
}

static void *start_posix(void *at)
{
	struct start s = *(struct start *)at;

	start_begin(at);
	return s.routine(s.arg);
}

static int start_c11(void *at)
{
	struct start s = *(struct start *)at;

	start_begin(at);
	return s.routine_c11(s.arg);
}

/* ---- creation ---- */

static bool attr_is_detached(const pthread_attr_t *attr)
{
	int state = PTHREAD_CREATE_JOINABLE;

	if (attr)
		pthread_attr_getdetachstate(attr, &state);
	return state == PTHREAD_CREATE_DETACHED;
}

/* A mask of its own would undo our blocking, but then it is not inherited. */
static bool attr_has_mask(const pthread_attr_t *attr)
{
	sigset_t mask;

	return attr && pthread_attr_getsigmask_np(attr, &mask) == 0;
}

/* Leaves the creator inside and its signals blocked, until create_end. NULL
 * when the thread cannot be followed; then nothing has happened. */
static struct start *create_begin(struct thread *t, const void *routine,
				  pthread_t *where, uintptr_t pc)
{
	struct start *s;
	struct thread *child;

	guest_enter(t);
	if (controlled)
		turn_point(t, EVENT_THREAD_CREATE, NULL, pc);
	s = start_take();
	child = s ? life_prepare(t, routine, pc) : NULL;
	if (!child) {
		if (s) {
			s->holders = 0;
			start_drop(s, 0);
		}
		guest_leave(t);
		return NULL;
	}
	*s = (struct start){ .thread = child,
			     .number = child->number,
			     .where = where,
			     .holders = 2 };
	signals_block(&s->mask);
	if (controlled) {
		signal_mask_set(child->number, s->mask);
		cancel_begin(child->number);
		turn_born(t, child, pc);
		values_object(t, child->number);
	}
	return s;
}

static void create_end(struct thread *t, struct start *s, bool failed)
{
	uint64_t mask = s->mask;

	if (failed) {
		if (controlled)
			turn_unborn(s->thread);
		life_cancel(s->thread);
		start_drop(s, 2);
	} else {
		start_tell(s, s->id);
	}
	signals_restore(&mask);
	guest_leave(t);
}

/* The calling thread. In a constructor it may be met only now. */
static struct thread *creator(void)
{
	server_before_thread();
	return guest_self();
}

EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr,
			  void *(*routine)(void *), void *arg)
{
	struct thread *t = creator();
	struct start *s =
		t ? create_begin(t, (void *)routine, id, CALLER_OF_CXX) : NULL;
	int rc;

	if (!s)
		return real.pthread_create(id, attr, routine, arg);
	s->routine = routine;
	s->arg = arg;
	s->detached = attr_is_detached(attr);
	s->has_mask = !attr_has_mask(attr);
	if (controlled)
		rc = stacks_create(&s->id, attr, start_posix, s, s->number);
	else
		rc = real.pthread_create(&s->id, attr, start_posix, s);
	create_end(t, s, rc != 0);
	return rc;
}

EXPORT int thrd_create(thrd_t *id, thrd_start_t routine, void *arg)
{
	struct thread *t = creator();
	struct start *s = t ? create_begin(t, (void *)routine, id, CALLER) :
			      NULL;
	int rc;

	if (!s)
		return real.thrd_create(id, routine, arg);
	s->routine_c11 = routine;
	s->arg = arg;
	s->has_mask = true;
	if (controlled)
		rc = stacks_create_c11(&s->id, start_c11, s, s->number);
	else
		rc = real.thrd_create(&s->id, start_c11, s);
	create_end(t, s, rc != thrd_success);
	return rc;
}

/* ---- joining and its like ---- */

/* The number is looked up first: once the real function has returned, the
 * pthread_t may mean another thread. Joining may be cancelled, so nothing is
 * held over it. */
static uint32_t find(struct thread *t, pthread_t id)
{
	uint32_t number;

	if (!t)
		return NO_THREAD;
	guest_enter(t);
	number = roster_find(id);
	guest_leave(t);
	return number;
}

/* Under control the other thread ends first. */
static bool is_modelled(const struct thread *t, uint32_t number)
{
	return t && controlled && number != NO_THREAD;
}

static int joined(struct thread *t, uint32_t number, int rc, uintptr_t pc)
{
	if (rc != 0 || number == NO_THREAD)
		return rc;
	guest_enter(t);
	roster_joined(number);
	life_join(t, number, pc);
	guest_leave(t);
	return rc;
}

static int join(struct thread *t, uint32_t number, pthread_t id, void **result,
		uintptr_t pc)
{
	int rc = 0;

	if (is_modelled(t, number))
		rc = model_join(t, number, 0, NULL, pc);
	return rc ? rc : real.pthread_join(id, result);
}

static int join_until(struct thread *t, uint32_t number, pthread_t id,
		      void **result, clockid_t which,
		      const struct timespec *until, uintptr_t pc)
{
	int rc;

	if (!is_modelled(t, number) || number == t->number)
		return real.pthread_clockjoin_np(id, result, which, until);
	rc = model_join(t, number, which, until, pc);
	return rc ? rc : real.pthread_join(id, result);
}

EXPORT int pthread_join(pthread_t id, void **result)
{
	struct thread *t = guest_self();
	uint32_t number = find(t, id);
	int rc;

	if (unlikely(perturbing))
		perturb_before(EVENT_THREAD_JOIN, NULL, CALLER_OF_CXX);
	rc = join(t, number, id, result, CALLER_OF_CXX);
	return joined(t, number, rc, CALLER_OF_CXX);
}

EXPORT int pthread_tryjoin_np(pthread_t id, void **result)
{
	struct thread *t = guest_self();
	uint32_t number = find(t, id);
	int rc;

	if (is_modelled(t, number) && model_tryjoin(t, number, CALLER))
		rc = real.pthread_join(id, result);
	else
		rc = real.pthread_tryjoin_np(id, result);
	return joined(t, number, rc, CALLER);
}

EXPORT int pthread_timedjoin_np(pthread_t id, void **result,
				const struct timespec *until)
{
	struct thread *t = guest_self();
	uint32_t number = find(t, id);
	int rc = join_until(t, number, id, result, CLOCK_REALTIME, until,
			    CALLER);

	return joined(t, number, rc, CALLER);
}

EXPORT int pthread_clockjoin_np(pthread_t id, void **result, clockid_t which,
				const struct timespec *until)
{
	struct thread *t = guest_self();
	uint32_t number = find(t, id);
	int rc = join_until(t, number, id, result, which, until, CALLER);

	return joined(t, number, rc, CALLER);
}

EXPORT int thrd_join(thrd_t id, int *result)
{
	struct thread *t = guest_self();
	uint32_t number = find(t, id);
	int rc;

	if (unlikely(perturbing))
		perturb_before(EVENT_THREAD_JOIN, NULL, CALLER);
	if (is_modelled(t, number) &&
	    model_join(t, number, 0, NULL, CALLER) != 0)
		return thrd_error;
	rc = real.thrd_join(id, result);
	return joined(t, number, rc, CALLER);
}

static int detached(struct thread *t, uint32_t number, int rc, uintptr_t pc)
{
	if (rc != 0 || number == NO_THREAD)
		return rc;
	guest_enter(t);
	record(t, EVENT_THREAD_DETACH, NULL, 0, number, pc);
	roster_detached(number);
	life_forget(number);
	guest_leave(t);
	return rc;
}

EXPORT int pthread_detach(pthread_t id)
{
	struct thread *t = guest_self();
	uint32_t number = find(t, id);
	int rc = real.pthread_detach(id);

	return detached(t, number, rc, CALLER_OF_CXX);
}

EXPORT int thrd_detach(thrd_t id)
{
	struct thread *t = guest_self();
	uint32_t number = find(t, id);
	int rc = real.thrd_detach(id);

	return detached(t, number, rc, CALLER);
}

EXPORT int pthread_cancel(pthread_t id)
{
	struct thread *t = guest_self();
	uint32_t number = find(t, id);

	if (t)
		record(t, EVENT_THREAD_CANCEL, NULL, 0, number, CALLER);
	if (!t || !controlled || number == NO_THREAD)
		return real.pthread_cancel(id);
	cancel_ask(t, number, CALLER);
	return 0;
}
