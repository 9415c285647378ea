/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/order.h"
#include "runtime/perturb.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>
#include <x86intrin.h>

/*
 * From event to bytes in the region. A thread appends to its own open slot, so
 * nothing here is contended but the stamp and, once in 32 KiB, the search for
 * a free slot.
 */

enum {
	ACCESSES_PER_TIME = 32,
	SLOT_WAIT_SECONDS = 20,
	SLOTS_AHEAD = 64, /* of the tool, beside those that threads fill */
	STAMP_LOG = 10,
	STAMP_OBJECTS = 1 << STAMP_LOG,
};

/*
 * The last stamp on each object, by a hash of its address: a counter that all
 * threads raise would be the slowest thing here. One line of cache each.
 */
static struct {
	_Alignas(64) _Atomic uint64_t last;
} objects[STAMP_OBJECTS];

/* What an event is ordered with. Memory is cut and joined as it is given out
 * and back, so whole pages of it count as one object. */
static uint64_t stamp_object(const struct thread *t, const struct event *e)
{
	switch (e->kind) {
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_MAP:
	case EVENT_UNMAP:
		return e->addr >> 12;
	case EVENT_THREAD_CREATE:
	case EVENT_THREAD_JOIN:
		return e->arg;
	case EVENT_THREAD_BEGIN:
	case EVENT_THREAD_END:
		return t->number;
	default:
		return e->addr >> 3;
	}
}

/* The counter where it is ahead of this thread and of the object, else one
 * more than both: never against the order in which things happened, even where
 * the counters of two processors disagree, or one is read ahead of time. Only
 * memory may be cut so that two events on it are of different objects; there a
 * fence keeps the processor from reading the counter before the block is
 * ours. */
static uint64_t stamp_take(const struct thread *t, const struct event *e)
{
	uint64_t key = stamp_object(t, e) * UINT64_C(0x9e3779b97f4a7c15);
	_Atomic uint64_t *object = &objects[key >> (64 - STAMP_LOG)].last;
	uint64_t last = atomic_load_explicit(object, memory_order_relaxed);
	uint64_t now, mine;

	if (e->kind == EVENT_ALLOC || e->kind == EVENT_MAP)
		_mm_lfence();
	now = __rdtsc();
	if (now <= t->codec.stamp)
		now = t->codec.stamp + 1;
	do
		mine = now > last ? now : last + 1;
	while (!atomic_compare_exchange_weak_explicit(object, &last, mine,
						      memory_order_acq_rel,
						      memory_order_relaxed));
	return mine;
}

/* The accesses of a run are counted when it is over: while it grows, its
 * number says it. */
static inline void run_count(struct thread *t)
{
	t->events += t->run.count;
	t->run.count = 0;
}

/* Whatever is appended, or a new slot, ends what could be raised in place. */
static inline void runs_close(struct thread *t)
{
	run_count(t);
	t->run.next = 0;
	t->told.next = 0;
}

/* ---- slots ---- */

static void slot_full(struct thread *t)
{
	if (!t->slot)
		return;
	runs_close(t);
	t->slot->events = t->events;
	t->events = 0;
	atomic_store_explicit(&t->slot->state, SLOT_FULL, memory_order_release);
	atomic_fetch_add(&region->full_slots, 1);
	SYS_3(SYS_futex, &region->full_slots, FUTEX_WAKE, 1);
	t->slot = NULL;
}

/* How many slots there may be. A thread holds one at most, so however many
 * hold one, the rest are with the tool or free, and whoever waits for one gets
 * it. More would only be memory in which the program runs ahead of the tool. */
static uint32_t slot_limit(void)
{
	uint32_t threads = atomic_load(&region->thread_count);
	uint32_t limit = SLOTS_AHEAD + 2 * threads;

	return limit < REGION_SLOTS ? limit : REGION_SLOTS;
}

static bool slot_claim(struct region_slot *s)
{
	uint32_t state = SLOT_FREE;

	return atomic_load_explicit(&s->state, memory_order_relaxed) ==
		       SLOT_FREE &&
	       atomic_compare_exchange_strong(&s->state, &state, SLOT_OPEN);
}

static struct region_slot *slot_find(void)
{
	static _Atomic uint32_t hint;
	uint32_t start = atomic_fetch_add(&hint, 1);
	uint32_t made = atomic_load(&region->slots_made);
	uint32_t limit = slot_limit();

	/* Prefer slots that were used before: their memory is there. */
	for (uint32_t i = 0; i < made; i++) {
		struct region_slot *s = &region->slots[(start + i) % made];

		if (slot_claim(s))
			return s;
	}
	while (made < limit)
		if (atomic_compare_exchange_weak(&region->slots_made, &made,
						 made + 1) &&
		    slot_claim(&region->slots[made]))
			return &region->slots[made];
	return NULL;
}

static bool tool_is_gone(void)
{
	return SYS_2(SYS_kill, region->tool_pid, 0) == -ESRCH;
}

/* Waits for the tool to empty a slot. The tool may be slow, but a program must
 * not hang because of us: when it has emptied none for a while, events are
 * lost, and counted. A slot that another thread was quicker to take is a sign
 * of life all the same. */
static struct region_slot *slot_await(void)
{
	struct timespec tick = { .tv_nsec = 100 * 1000 * 1000 };

	for (int quiet = 0; quiet < SLOT_WAIT_SECONDS * 10;) {
		uint32_t seen = atomic_load(&region->free_slots);
		struct region_slot *s = slot_find();

		if (s)
			return s;
		if (tool_is_gone())
			break;
		if (SYS_4(SYS_futex, &region->free_slots, FUTEX_WAIT, seen,
			  &tick) == -ETIMEDOUT)
			quiet++;
		else if (atomic_load(&region->free_slots) != seen)
			quiet = 0;
	}
	return NULL;
}

/* Who waits for the tool has not gone astray: the watchdog leaves it the turn.
 * It pairs with watchdog_look. */
static struct region_slot *slot_wait(void)
{
	_Atomic uint32_t *napping = &region->control.run.napping;
	struct region_slot *s = slot_find();
	uint32_t was;

	if (s)
		return s;
	was = atomic_exchange(napping, 1);
	s = slot_await();
	if (!was)
		atomic_store(napping, 0);
	return s;
}

static bool slot_next(struct thread *t)
{
	struct region_slot *s;

	slot_full(t);
	t->put = t->put_end = NULL;
	if (!recording)
		return false;
	s = slot_wait();
	if (!s) {
		gate = false;
		recording = false;
		guest_note("the tool stopped reading events; the rest of the "
			   "run is not recorded");
		return false;
	}
	s->thread = t->number;
	s->sequence = t->sequence++;
	s->first_stamp = t->codec.stamp;
	atomic_store_explicit(&s->used, 0, memory_order_relaxed);
	t->slot = s;
	t->put = t->put_begin = region->data[s - region->slots];
	t->put_end = t->put + REGION_SLOT_BYTES;
	t->codec = (struct codec){ .stamp = t->codec.stamp };
	return true;
}

/* Room for two events: an access may bring a TIME along. */
static inline bool slot_reserve(struct thread *t)
{
	if (likely(t->put_end - t->put >= 2 * CODEC_MAX))
		return true;
	if (slot_next(t))
		return true;
	atomic_fetch_add_explicit(&region->lost, 1, memory_order_relaxed);
	return false;
}

/* The tool, which may look at any time, sees whole events only. */
static inline void slot_publish(struct thread *t, uint8_t *put)
{
	t->put = put;
	atomic_store_explicit(&t->slot->used, (uint32_t)(put - t->put_begin),
			      memory_order_release);
}

/* ---- events ---- */

void record_at(struct thread *t, enum event_kind kind, uint64_t addr,
	       uint64_t size, uint64_t arg, uint32_t stack)
{
	if (!recording)
		return;
	struct event e = { .kind = (uint8_t)kind,
			   .addr = addr,
			   .size = size,
			   .arg = arg,
			   .stack = stack };

	guest_enter(t);
	if (slot_reserve(t)) {
		runs_close(t);
		if (event_fields(kind) & FIELD_STAMP) {
			e.stamp = stamp_take(t, &e);
			t->until_time = ACCESSES_PER_TIME;
		}
		t->events++;
		slot_publish(t, codec_put_event(&t->codec, t->put, &e));
	}
	if (event_is_release(kind, arg))
		order_release(t);
	guest_leave(t);
}

void record(struct thread *t, enum event_kind kind, const volatile void *addr,
	    uint64_t size, uint64_t arg, uintptr_t pc)
{
	if (unlikely(perturbing)) {
		perturb_event(t, kind, addr, arg, pc);
		return;
	}
	guest_enter(t);
	record_at(t, kind, (uintptr_t)addr, size, arg, stack_node(t, pc));
	guest_leave(t);
}

/* A stamp between the accesses, so that a reader can place them. It need not
 * be unique, so the counter will do. */
static uint8_t *put_time(struct thread *t, uint8_t *put, uint32_t stack)
{
	struct event e = { .kind = EVENT_TIME,
			   .stamp = __rdtsc(),
			   .stack = stack };

	t->until_time = ACCESSES_PER_TIME;
	t->events++;
	if (e.stamp < t->codec.stamp)
		e.stamp = t->codec.stamp;
	return codec_put_event(&t->codec, put, &e);
}

/* Extends the last access by one right behind it. */
static bool run_extend(struct thread *t, uintptr_t addr, unsigned int code,
		       unsigned int size_log, uint32_t stack)
{
	if (addr != t->run.next || stack != t->run.stack || code != t->run.code)
		return false;
	if (!t->run.count) {
		slot_publish(t, codec_put_run(&t->codec, t->put, code >> 3,
					      size_log, addr, stack,
					      &t->run.count_at));
	} else {
		if (t->run.count == CODEC_RUN_MAX)
			return false;
		codec_set_number(t->run.count_at, t->run.count + 1);
		t->codec.addr = addr;
	}
	t->run.count++;
	t->run.next = addr + ((uintptr_t)1 << size_log);
	return true;
}

void record_access(struct thread *t, uintptr_t addr, size_t size, bool is_write,
		   uint32_t stack)
{
	unsigned int size_log = (unsigned int)__builtin_ctzl(size);
	unsigned int code = (unsigned int)is_write << 3 | size_log;
	uint8_t *put;

	if (unlikely(size > 16 || size & (size - 1))) {
		record_at(t, is_write ? EVENT_WRITE : EVENT_READ, addr, size, 0,
			  stack);
		return;
	}
	if (unlikely(!slot_reserve(t)))
		return;
	if (run_extend(t, addr, code, size_log, stack))
		return;
	put = t->put;
	if (unlikely(t->until_time-- == 0))
		put = put_time(t, put, stack);
	put = codec_put_access(&t->codec, put, is_write, size_log, addr, stack);
	slot_publish(t, put);
	run_count(t);
	t->events++;
	t->run.next = addr + size;
	t->run.stack = stack;
	t->run.code = (uint8_t)code;
	t->run.pc = 0;
}

bool record_again(struct thread *t, uintptr_t addr, size_t size, bool is_write,
		  uintptr_t pc)
{
	unsigned int code = (unsigned int)is_write << 3 |
			    (unsigned int)__builtin_ctzl(size);

	/* The same place in the same call: its node is known, and that of a
	 * call that was entered since is not. */
	if (addr != t->run.next || pc != t->run.pc || code != t->run.code ||
	    !t->run.call || t->top->stack != t->run.call || !t->run.count ||
	    t->run.count == CODEC_RUN_MAX)
		return false;
	codec_set_number(t->run.count_at, ++t->run.count);
	t->codec.addr = addr;
	t->run.next = addr + size;
	return true;
}

void record_earlier(struct thread *t, bool is_write, uint64_t addr,
		    uint32_t size, uint64_t arg, uint32_t stack)
{
	struct event e = { .kind = is_write ? EVENT_EARLIER_WRITE :
					      EVENT_EARLIER_READ,
			   .addr = addr,
			   .size = size,
			   .arg = arg,
			   .stack = stack };
	uint8_t *put;

	if (unlikely(!slot_reserve(t)))
		return;
	if (addr == t->told.next && arg == t->told.arg &&
	    stack == t->told.stack && e.kind == t->told.kind) {
		/* It may stand before accesses recorded since: what it tells
		 * was before all of them. */
		t->told.size += size;
		codec_set_number(t->told.size_at, t->told.size);
		t->told.next += size;
		return;
	}
	runs_close(t);
	put = t->put;
	if (earlier_thread(arg) != t->number) /* threads meet: tell when */
		put = put_time(t, put, stack);
	t->events++;
	slot_publish(t,
		     codec_put_earlier(&t->codec, put, &e, &t->told.size_at));
	t->told.next = addr + size;
	t->told.arg = arg;
	t->told.stack = stack;
	t->told.size = size;
	t->told.kind = e.kind;
}

void record_flush(struct thread *t)
{
	guest_enter(t);
	slot_full(t);
	t->put = t->put_end = NULL;
	guest_leave(t);
}
