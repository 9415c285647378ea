/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spin.h"

#include "format/rng.h"
#include "runtime/apiece.h"
#include "runtime/blocking.h"
#include "runtime/spin_entry.h"
#include "runtime/timing.h"
#include "runtime/turn.h"
#include "runtime/values.h"

/*
 * Finding that a thread is where it was: at points that are powers of two
 * (counted since the last change) a mark is set, with a hash of the private
 * state; when the thread comes by again the hash is compared. So every loop is
 * found after a few times its length, and a thread that does not spin pays for
 * a few hashes in all.
 */

enum {
	MARK_FIRST = 8,	 /* points without a change before the first mark */
	MARK_LOOKS = 64, /* comparisons with one mark */
	PASSES = 500,	 /* of marks before an unproven loop gives way */
	WINDOW = 8192,	 /* accesses that are no points, looked at in a row */
	VAIN = 10000,	 /* rounds of sleepers that change nothing */
	STACK_MOST = 1 << 20, /* bytes that are compared */
};

uint64_t spin_changes;
uint32_t spin_unseen_count;

/* Locks taken, and attempts to take one that did not wait. */
static uint64_t lockings, attempts;
static uintptr_t last_lock;

uintptr_t spin_main_top;

void spin_begin(uintptr_t top)
{
	spin_main_top = top;
}

/* ---- private state ---- */

static uint64_t hash_words(uint64_t h, const uint64_t *at, const uint64_t *end)
{
	for (; at < end; at++)
		h = (h ^ *at) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 29;
	return h;
}

static uint64_t private_hash(const struct thread *t)
{
	uintptr_t low = spin_frame.stack & ~(uintptr_t)7;
	uintptr_t top = t->number ? t->stack_high : spin_main_top;
	uint64_t h = rng_mix(t->writes ^ apiece[t->number].spin.locks);

	h = hash_words(h, (uint64_t *)&spin_frame,
		       (uint64_t *)(&spin_frame + 1));
	/* On a stack of its own making (a coroutine's) nobody knows where it
	 * ends, and one that is very deep takes long to look at: nothing is
	 * proven. */
	if (low < t->stack_low || low >= top || top - low > STACK_MOST)
		return h ^ control->run.points;
	return hash_words(h, (uint64_t *)low,
			  (uint64_t *)(top & ~(uintptr_t)7));
}

/* ---- nothing else is left ---- */

static struct {
	bool is_open;
	uint32_t by;
	uint64_t changes, lockings, attempts, memory, locks;
	uint64_t next; /* not before this point */
	uint64_t patience;
	uint64_t rounds[CONTROL_THREADS], fires[CONTROL_THREADS];
} judge;

bool spin_is_proven(uint32_t n)
{
	return apiece[n].spin.proven && apiece[n].spin.changes == spin_changes;
}

static bool could_go_on(uint32_t n)
{
	uint8_t state = control->threads[n].state;

	return state == THREAD_READY || state == THREAD_ASLEEP;
}

bool spin_is_all(void)
{
	for (uint32_t i = 0; i < turn_eligible_count; i++)
		if (!spin_is_proven(turn_eligible(i)))
			return false;
	return true;
}

/* Everybody is blocked, or proven to spin. */
static bool all_is_vain(void)
{
	if (timing_alarm_at || blocking_is_outside())
		return false;
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (control->threads[n].state == THREAD_AWAY ||
		    control->threads[n].state == THREAD_HELD ||
		    (could_go_on(n) && !spin_is_proven(n)))
			return false;
	return true;
}

static uint64_t all_locks(void)
{
	uint64_t sum = 0;

	for (uint32_t n = 0; n < control->run.thread_count; n++)
		sum += apiece[n].spin.locks;
	return sum;
}

static void judge_open(uint32_t me)
{
	judge.is_open = true;
	judge.by = me;
	judge.changes = spin_changes;
	judge.lockings = lockings;
	judge.attempts = attempts;
	judge.locks = all_locks();
	judge.memory = spin_memory();
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		judge.rounds[n] = apiece[n].spin.rounds;
		judge.fires[n] = apiece[n].spin.fires;
	}
}

static bool everybody_went_round(void)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (could_go_on(n) && apiece[n].spin.rounds == judge.rounds[n])
			return false;
	return true;
}

/* An attempt to take a lock that somebody else takes and lets go in his loop
 * may succeed the next time. */
static bool nothing_is_luck(void)
{
	return judge.lockings == lockings || judge.attempts == attempts;
}

static enum outcome_kind kind_of_end(void)
{
	bool blocked = false;

	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		if (control->threads[n].state == THREAD_BLOCKED)
			blocked = true;
		else if (could_go_on(n) &&
			 apiece[n].spin.fires == judge.fires[n])
			return OUTCOME_LIVELOCK;
	}
	return blocked ? OUTCOME_DEADLOCK : OUTCOME_LIVELOCK;
}

_Noreturn static void judge_end(struct thread *t)
{
	enum outcome_kind kind = kind_of_end();

	for (uint32_t n = 0; n < control->run.thread_count; n++)
		control->threads[n].spins = could_go_on(n);
	control_fail(t, kind,
		     kind == OUTCOME_DEADLOCK ?
			     "beside threads that sleep and change nothing" :
			     "every thread that is not blocked goes round and "
			     "changes nothing",
		     control->threads[t->number].pc);
}

/* Thread t has just closed its loop once more. */
static COLD void judge_look(struct thread *t)
{
	if (!all_is_vain() || control->run.points < judge.next)
		return;
	if (!judge.is_open || judge.changes != spin_changes) {
		judge.patience = MARK_FIRST;
		judge_open(t->number);
		return;
	}
	if (judge.by != t->number || !everybody_went_round())
		return;
	if (nothing_is_luck() && judge.locks == all_locks() &&
	    judge.memory == spin_memory())
		judge_end(t);
	/* There is something no hook told of; ask less and less often. */
	judge.patience *= 2;
	judge.next = control->run.points + judge.patience;
	judge_open(t->number);
}

/* ---- one thread ---- */

static void mark_set(struct thread *t, struct apiece_spin *s)
{
	const struct control_thread *c = &control->threads[t->number];

	s->site = c->site;
	s->object = c->object;
	s->mark_at = s->streak;
	s->hash = private_hash(t);
	s->looks = 0;
}

static void loop_closed(struct thread *t, struct apiece_spin *s)
{
	if (!s->proven)
		s->cycle = s->streak - s->mark_at;
	values_spins(t->number,
		     s->proven ? s->streak - s->closed_at : s->cycle);
	s->proven = true;
	s->closed_at = s->streak;
	s->rounds++;
	judge_look(t);
}

/* It left the loop, or there was something the hash did not see. */
static void spin_restart(struct apiece_spin *s)
{
	s->proven = false;
	s->streak = 0;
	s->passes = 0;
}

static bool passes_mark(const struct apiece_spin *s, uint32_t number)
{
	const struct control_thread *c = &control->threads[number];

	return c->site == s->site && c->object == s->object;
}

static COLD bool proven_look(struct thread *t, struct apiece_spin *s)
{
	if (passes_mark(s, t->number) && private_hash(t) == s->hash)
		loop_closed(t, s);
	else if (s->streak - s->closed_at > 2 * s->cycle + MARK_FIRST)
		spin_restart(s);
	return s->proven;
}

static COLD bool mark_compare(struct thread *t, struct apiece_spin *s)
{
	s->looks++;
	if (private_hash(t) == s->hash)
		loop_closed(t, s);
	return s->proven;
}

static bool streak_look(struct thread *t, struct apiece_spin *s)
{
	if (unlikely(s->proven))
		return proven_look(t, s);
	if (unlikely(!(s->streak & (s->streak - 1)))) {
		mark_set(t, s);
		return false;
	}
	if (!passes_mark(s, t->number))
		return false;
	if (unlikely(s->looks < MARK_LOOKS) && mark_compare(t, s))
		return true;
	if (likely(++s->passes < PASSES))
		return false;
	s->passes = 0;
	return true;
}

/* Accesses that are no points are counted from here, so that they are looked at
 * when an alarm is due: work takes time, an access a nanosecond. */
static uint32_t unseen_from;

static void unseen_begin(void)
{
	uint64_t now = control->run.now, at = timing_alarm_at;

	unseen_from = 0;
	if (unlikely(at > now && at < now + SPIN_UNSEEN))
		unseen_from = SPIN_UNSEEN - (uint32_t)(at - now);
	spin_unseen_count = unseen_from;
}

bool spin_stands(struct thread *t)
{
	struct apiece_spin *s = &apiece[t->number].spin;

	unseen_begin();
	if (s->changes != spin_changes) {
		s->changes = spin_changes;
		spin_restart(s);
		return false;
	}
	return ++s->streak >= MARK_FIRST && streak_look(t, s);
}

const char *spin_limit_text(const struct thread *t)
{
	if (apiece[t->number].spin.streak < PASSES)
		return "more points than allowed";
	return "more points than allowed, and the last of them changed "
	       "nothing that others see: a loop that never ends, or that "
	       "counts very far";
}

/* ---- accesses that are no points ---- */

/* It works on for very long with what is its own. Others go first now and then,
 * because it may wait for them after all (to be cancelled, say), and alarms
 * ring. If that goes on, it is left to those who watch the run by the clock. */
static uint32_t unseen_row;

static void unseen_yield(struct thread *t, uintptr_t pc, uint32_t in_a_row)
{
	static uint64_t last;

	unseen_row = control->run.points == last ? unseen_row + 1 : 0;
	if (unseen_row < in_a_row)
		yield_here(t, pc);
	unseen_begin();
	last = control->run.points;
}

/* So much work was done: does an alarm ring? */
static bool work_rings(uint32_t accesses)
{
	if (!timing_alarm_at)
		return false;
	control->run.now += accesses;
	return timing_alarm_at <= control->run.now;
}

bool spin_is_unseen(void)
{
	enum { LONG = 4 };

	return unseen_row >= LONG;
}

void unseen_here(struct thread *t, enum event_kind kind,
		 const volatile void *object, uintptr_t pc)
{
	enum { YIELDS = 256, RINGS = 4096 };
	struct control_thread *c = &control->threads[t->number];
	struct apiece_spin *s = &apiece[t->number].spin;
	uint32_t count = spin_unseen_count;

	c->kind = (uint8_t)kind;
	c->object = (uintptr_t)object;
	c->pc = pc;
	c->site = control_site(pc);
	if (work_rings(count - unseen_from))
		unseen_yield(t, pc, RINGS);
	else if (spin_stands(t) && s->proven)
		point_here(t, kind, object, pc);
	else if (count < SPIN_UNSEEN + WINDOW)
		unseen_from = spin_unseen_count = count;
	else
		unseen_yield(t, pc, YIELDS);
}

/* ---- changes ---- */

void spin_goes_on(enum event_kind kind)
{
	switch (kind) {
	case EVENT_READ:
	case EVENT_VPTR_READ:
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_STORE: /* access_atomic.c tells if it changes */
	case EVENT_ATOMIC_RMW:
	case EVENT_FENCE:
	case EVENT_TIME:
	case EVENT_MUTEX_LOCK: /* spin_lock tells */
	case EVENT_MUTEX_UNLOCK:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
	case EVENT_RWLOCK_UNLOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_COND_WAIT:
	case EVENT_COND_WAKE:
	case EVENT_ONCE_PASS:
	case EVENT_THREAD_CANCEL: /* turn_disturb tells */
		return;
	case EVENT_MUTEX_FAIL:
	case EVENT_RWLOCK_FAIL:
	case EVENT_SEM_FAIL:
	case EVENT_SPIN_LOCK:
		attempts++;
		return;
	default:
		spin_changes++;
	}
}

/* What is added for a lock is taken away again when it is let go. */
void spin_lock(uint32_t number, uintptr_t object)
{
	apiece[number].spin.locks += rng_mix(object);
	lockings++;
	last_lock = object;
}

void spin_unlock(uint32_t number, uintptr_t object)
{
	apiece[number].spin.locks -= rng_mix(object);
	last_lock = object;
}

void spin_touch(uintptr_t object)
{
	if (object != last_lock)
		spin_changes++;
	last_lock = 0;
}

/* ---- rings ---- */

static bool waits_for_holder(const struct control_thread *c,
			     const struct control_hold *h)
{
	if (h->object != c->object)
		return false;
	switch (c->kind) {
	case EVENT_MUTEX_LOCK:
	case EVENT_SPIN_LOCK:
	case EVENT_RWLOCK_WRLOCK:
		return true;
	case EVENT_RWLOCK_RDLOCK:
		return h->kind == EVENT_RWLOCK_WRLOCK;
	default:
		return false;
	}
}

static bool waits_for(uint32_t a, uint32_t b, bool joins)
{
	const struct control_thread *c = &control->threads[a];
	const struct control_thread *d = &control->threads[b];

	if (joins && c->kind == EVENT_THREAD_JOIN && c->object == b)
		return true;
	for (uint32_t i = 0; i < d->hold_count && i < CONTROL_HELD; i++)
		if (waits_for_holder(c, &d->holds[i]))
			return true;
	return false;
}

static bool is_self_locked(uint32_t number)
{
	const struct control_thread *c = &control->threads[number];

	return c->state == THREAD_BLOCKED && c->kind == EVENT_MUTEX_LOCK &&
	       waits_for(number, number, false);
}

/* ---- mutexes that are gates ---- */

enum { GATES = 64 };

static uintptr_t gates[GATES];
static uint32_t gate_count;

static bool is_gate(uintptr_t object)
{
	for (uint32_t i = 0; i < gate_count && i < GATES; i++)
		if (gates[i] == object)
			return true;
	return false;
}

void spin_gate(uintptr_t object)
{
	if (!is_gate(object))
		gates[gate_count++ % GATES] = object;
}

/* Another thread may still unlock the mutex, as libc allows: then nobody is
 * stuck until nobody else can go on, or the program ends. */
static bool may_be_handed(uint32_t number)
{
	if (!is_self_locked(number))
		return false;
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (n != number && (could_go_on(n) ||
				    control->threads[n].state == THREAD_AWAY))
			return true;
	return false;
}

bool spin_is_self_locked(void)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (is_self_locked(n) && !is_gate(control->threads[n].object))
			return true;
	return false;
}

static bool leads_to(uint32_t from, uint32_t target, bool joins, int depth)
{
	enum { DEPTH_MOST = 64 };

	if (control->threads[from].state != THREAD_BLOCKED ||
	    depth > DEPTH_MOST || may_be_handed(from))
		return false;
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (control->threads[n].state != THREAD_OVER &&
		    waits_for(from, n, joins) &&
		    (n == target || leads_to(n, target, joins, depth + 1)))
			return true;
	return false;
}

bool spin_is_ring(uint32_t number, bool joins)
{
	if (!joins && !control->threads[number].hold_count)
		return false;
	return leads_to(number, number, joins, 0);
}

/* ---- sleepers ---- */

/* Everybody who is not blocked has slept so often that nobody will wait for
 * what he might still do. */
static bool sleepers_are_vain(void)
{
	bool blocked = false;

	if (timing_alarm_at || blocking_is_outside())
		return false;
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		const struct apiece_spin *s = &apiece[n].spin;

		if (control->threads[n].state == THREAD_BLOCKED)
			blocked = true;
		else if (control->threads[n].state == THREAD_AWAY ||
			 control->threads[n].state == THREAD_HELD ||
			 (could_go_on(n) && (s->fires_changes != spin_changes ||
					     s->fires < VAIN)))
			return false;
	}
	return blocked;
}

static struct thread *thread_of(uint32_t number)
{
	return self && self->number == number ? self : NULL;
}

/* Only sleepers could go on: does somebody wait for the end of a thread that
 * waits for him? */
static void rings_look(uint32_t sleeper)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (spin_is_ring(n, true))
			control_fail(thread_of(sleeper), OUTCOME_DEADLOCK, NULL,
				     control->threads[sleeper].pc);
}

void spin_fired(uint32_t number, enum event_kind kind)
{
	struct apiece_spin *s = &apiece[number].spin;

	if (kind != EVENT_TIME && kind != EVENT_COND_WAIT)
		attempts++;
	if (s->fires_changes != spin_changes) {
		s->fires_changes = spin_changes;
		s->fires = 0;
	}
	s->fires++;
	if (!(s->fires & (s->fires - 1)) && !turn_eligible_count)
		rings_look(number);
	if (s->fires % VAIN == 0 && sleepers_are_vain())
		control_fail(thread_of(number), OUTCOME_DEADLOCK,
			     "beside threads that slept ten thousand times and "
			     "changed nothing that others see",
			     control->threads[number].pc);
}
