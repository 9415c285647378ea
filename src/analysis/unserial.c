/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/unserial.h"

#include <stdlib.h>

#include "analysis/history.h"
#include "analysis/unserial_inner.h"

/* Larger accesses are looked at so far. */
enum { RANGE = 1 << 20 };

struct unserial *unserial_new(const struct unserial_inputs *inputs)
{
	static const unsigned int by[ORDERS] = {
		[ORDER_SURE] = HAPPENS_ORDER | HAPPENS_BY_NOTES,
		[ORDER_LIKELY] = HAPPENS_ALL & ~HAPPENS_BY_LOCKS,
		[ORDER_KINDS + UNSERIAL_CONDITIONS] =
			HAPPENS_ORDER | HAPPENS_BY_NOTES | HAPPENS_BY_CONDS,
		[ORDER_KINDS + UNSERIAL_SEMAPHORES] =
			HAPPENS_ORDER | HAPPENS_BY_NOTES | HAPPENS_BY_SEMS,
		[ORDER_KINDS + UNSERIAL_ONCE] =
			HAPPENS_ORDER | HAPPENS_BY_NOTES | HAPPENS_BY_ONCE,
		[ORDER_KINDS + UNSERIAL_ATOMICS] =
			HAPPENS_ORDER | HAPPENS_BY_NOTES | HAPPENS_BY_ATOMICS,
	};
	struct unserial *u = xcalloc(1, sizeof(*u));

	u->in = *inputs;
	if (inputs->is_whole)
		u->own = ownsync_new();
	u->locks = locksets_new(inputs->where);
	sections_init(&u->sections, u->locks);
	granules_init(&u->granules);
	vec_push(&u->touches, (struct touch){ 0 });
	for (unsigned int i = 0; i < ORDERS; i++) {
		u->order[i].now = happens_new(by[i]);
		vec_push(&u->order[i].clocks, (struct vclock){ 0 });
	}
	return u;
}

static void order_done(struct kept_order *o)
{
	for (size_t i = 0; i < o->clocks.count; i++)
		vclock_done(&o->clocks.at[i]);
	for (size_t i = 0; i < o->threads.count; i++)
		vec_free(&o->threads.at[i].marks);
	vec_free(&o->clocks);
	vec_free(&o->threads);
	happens_free(o->now);
}

static void unserial_drop(struct unserial *u)
{
	for (unsigned int i = 0; i < ORDERS; i++)
		order_done(&u->order[i]);
	for (size_t i = 0; i < u->classes.count; i++)
		vec_free(&u->classes.at[i].touches);
	vec_free(&u->classes);
	vec_free(&u->gathered);
	vec_free(&u->touches);
	vec_free(&u->sems);
	vec_free(&u->shared);
	vec_free(&u->tallies);
	ownsync_free(u->own);
	keymap_done(&u->semaphores);
	keymap_done(&u->waits);
	keymap_done(&u->inside);
	keymap_done(&u->by_sites);
	keymap_done(&u->by_remote);
	keymap_done(&u->wide);
	vec_free(&u->gaps);
	keymap_done(&u->shared_sites);
	granules_done(&u->granules);
	sections_done(&u->sections);
	locksets_free(u->locks);
	free(u);
}

/* ---- order ---- */

static struct clock_marks *marks_at(struct kept_order *o, uint32_t thread)
{
	while (o->threads.count <= thread)
		vec_push(&o->threads, (struct clock_marks){ 0 });
	return &o->threads.at[thread];
}

static uint32_t clock_now(struct kept_order *o, uint32_t thread)
{
	const struct clock_marks *m = marks_at(o, thread);

	return m->marks.count ? m->marks.at[m->marks.count - 1].clock : 0;
}

/* Only an acquire changes what a thread knows of others. */
static void order_keep(struct kept_order *o, uint32_t thread)
{
	const struct vclock *now = happens_clock(o->now, thread);
	const struct vclock *last = &o->clocks.at[clock_now(o, thread)];
	struct clock_mark mark = { .segment = happens_segment(o->now, thread),
				   .clock = (uint32_t)o->clocks.count };

	if (vclock_is_equal(now, last))
		return;
	vec_push(&o->clocks, (struct vclock){ 0 });
	vclock_copy(&o->clocks.at[mark.clock], now);
	vec_push(&marks_at(o, thread)->marks, mark);
}

/* What the thread knew for certain when that segment began. */
static uint32_t clock_in(struct kept_order *o, uint32_t thread,
			 uint64_t segment)
{
	const struct clock_marks *m = marks_at(o, thread);
	size_t low = 0, high = m->marks.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->marks.at[middle].segment < segment)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? m->marks.at[low - 1].clock : 0;
}

static bool is_acquire(const struct event *e)
{
	return event_order(e->kind, e->arg) & ORDER_ACQUIRE;
}

static void order_acquire(struct unserial *u, const struct event *e)
{
	for (unsigned int i = 0; i < ORDERS; i++) {
		happens_acquire(u->order[i].now, e);
		if (is_acquire(e))
			order_keep(&u->order[i], e->thread);
	}
}

static void order_release(struct unserial *u, const struct event *e)
{
	for (unsigned int i = 0; i < ORDERS; i++)
		happens_release(u->order[i].now, e);
}

/* ---- semaphores that order ---- */

static struct semaphore *semaphore_at(struct unserial *u, uint64_t addr)
{
	uint32_t *n = keymap_at(&u->semaphores, addr, 0);

	if (!*n) {
		vec_push(&u->sems, (struct semaphore){ 0 });
		*n = (uint32_t)u->sems.count;
	}
	return &u->sems.at[*n - 1];
}

static void foresee_semaphore(struct unserial *u, const struct event *e)
{
	struct semaphore *s;
	uint32_t *inside;

	if (e->kind == EVENT_SEM_INIT) {
		s = semaphore_at(u, e->addr);
		s->inits++;
		s->initial = e->arg;
		return;
	}
	if (e->kind != EVENT_SEM_POST && e->kind != EVENT_SEM_WAIT)
		return;
	s = semaphore_at(u, e->addr);
	inside = keymap_at(&u->inside, e->addr, e->thread);
	s->is_uneven |= *inside == (e->kind == EVENT_SEM_WAIT);
	*inside = e->kind == EVENT_SEM_WAIT;
	if (e->kind == EVENT_SEM_WAIT)
		return;
	if (!s->poster)
		s->poster = e->thread + 1;
	else if (s->poster != e->thread + 1)
		s->poster = UINT32_MAX;
}

/* One at a time, and each gives back what it took. */
static bool is_mutex(const struct semaphore *s)
{
	return s->inits == 1 && s->initial == 1 && s->poster && !s->is_uneven;
}

static uint32_t site_of(const struct unserial *u, const struct event *e)
{
	return u->in.site_of ? u->in.site_of(u->in.self, e->stack) : e->stack;
}

void unserial_learn(struct unserial *u, uint32_t site)
{
	if (u->own)
		ownsync_learn(u->own, site);
}

void unserial_foresee(struct unserial *u, const struct event *e)
{
	if (e->thread >= REGION_THREADS)
		return;
	if (!u->was_shown)
		foresee_semaphore(u, e);
	if (u->own)
		ownsync_foresee(u->own, e, site_of(u, e));
}

bool unserial_wants_more(struct unserial *u)
{
	u->was_shown = true;
	return u->own && ownsync_wants_more(u->own);
}

/* Nobody has notes there: user memory ends before. Each post has an address
 * of its own, so that a wait can be after that one and not after later ones. */
static uint64_t post_note(const struct unserial *u, const struct semaphore *s,
			  uint64_t post)
{
	return UINT64_C(1) << 63 | (uint64_t)(s - u->sems.at) << 40 |
	       (post & 0xffffffff) << 3;
}

/* The segment of the thread ends by the event itself, and must not twice: the
 * note is acquired or released in place of it. */
static struct event order_by_semaphore(struct unserial *u,
				       const struct event *e)
{
	struct semaphore *s = semaphore_at(u, e->addr);
	struct event note = *e;
	uint64_t wait;

	if (s->inits != 1 || s->poster == UINT32_MAX)
		return note;
	if (e->kind == EVENT_SEM_POST) {
		note.kind = EVENT_NOTE_RELEASE;
		note.addr = post_note(u, s, ++s->posts);
		return note;
	}
	wait = ++*keymap_at(&u->waits, e->addr, e->thread);
	note.kind = EVENT_NOTE_ACQUIRE;
	note.addr = post_note(u, s, wait > s->initial ? wait - s->initial : 0);
	return note;
}

/* ---- accesses ---- */

static uint8_t effects_of(unsigned int kind)
{
	if (kind == EVENT_ATOMIC_RMW)
		return TOUCH_READS | TOUCH_WRITES;
	if (kind == EVENT_EARLIER_WRITE || access_is_write(kind))
		return TOUCH_WRITES;
	return TOUCH_READS;
}

static uint8_t mask_of(uint64_t granule, uint64_t addr, uint64_t end)
{
	uint8_t mask = 0;

	for (unsigned int i = 0; i < GRANULE_BYTES; i++)
		if (granule + i >= addr && granule + i < end)
			mask |= (uint8_t)(1u << i);
	return mask;
}

static void touch_all(struct unserial *u, struct touch t, const struct event *e)
{
	uint64_t size = e->size < RANGE ? e->size : RANGE;
	uint64_t end = granules_end(e->addr, size);
	uint64_t at = e->addr & ~(uint64_t)(GRANULE_BYTES - 1);

	t.is_wide = end - at > GRANULE_BYTES;
	for (; at < end; at += GRANULE_BYTES) {
		uint32_t *last = granule_at(&u->granules, at);

		if (u->touches.count == UINT32_MAX)
			return;
		t.mask = mask_of(at, e->addr, end);
		t.before = *last;
		*last = (uint32_t)u->touches.count;
		vec_push(&u->touches, t);
		t.part++;
	}
}

static void feed_access(struct unserial *u, const struct event *e,
			bool is_fresh)
{
	struct touch t = {
		.stamp = e->stamp,
		.segment = happens_segment(u->order[0].now, e->thread),
		.sections = sections_now(&u->sections, e->thread),
		.stack = e->stack,
		.thread = e->thread,
		.effects = effects_of(e->kind),
		.is_fresh = is_fresh,
	};

	if (e->kind == EVENT_EARLIER_READ || e->kind == EVENT_EARLIER_WRITE) {
		t.thread = earlier_thread(e->arg);
		t.segment = earlier_segment(e->arg);
		t.sections = 0;
		t.is_earlier = true;
	}
	if (t.thread >= REGION_THREADS)
		return;
	for (unsigned int i = 0; i < ORDERS; i++)
		t.clock[i] = t.is_earlier ? clock_in(&u->order[i], t.thread,
						     t.segment) :
					    clock_now(&u->order[i], t.thread);
	t.site = site_of(u, e);
	touch_all(u, t, e);
}

/* ---- memory ---- */

static void end_granule(void *self, uint64_t addr, uint32_t *slot)
{
	unserial_place(self, addr, *slot);
	*slot = 0;
}

static void end_memory(struct unserial *u, uint64_t addr, uint64_t size)
{
	granules_walk(&u->granules, addr, size, end_granule, u);
}

static void begin_stack(struct unserial *u, uint32_t thread)
{
	const struct region_thread *t;

	if (!u->in.trace || thread >= trace_threads(u->in.trace))
		return;
	t = trace_thread(u->in.trace, thread);
	if (t->stack_high > t->stack_low)
		end_memory(u, t->stack_low, t->stack_high - t->stack_low);
}

static void feed_memory(struct unserial *u, const struct event *e)
{
	switch (e->kind) {
	case EVENT_THREAD_BEGIN:
		begin_stack(u, e->thread);
		break;
	case EVENT_ALLOC:
		end_memory(u, e->addr, alloc_extent(e));
		break;
	case EVENT_FREE:
	case EVENT_MAP:
	case EVENT_UNMAP:
		end_memory(u, e->addr, e->size);
		break;
	default:
		break;
	}
}

static bool is_of_lock(unsigned int kind)
{
	return kind >= EVENT_MUTEX_INIT && kind <= EVENT_RWLOCK_FAIL;
}

static void feed_lock(struct unserial *u, const struct event *e)
{
	locksets_feed(u->locks, e);
	if (is_of_lock(e->kind))
		sections_feed(&u->sections, e);
}

/* The event as an operation on a lock, or on a note. */
static struct event as_event(const struct event *e, unsigned int kind,
			     uint64_t addr)
{
	struct event other = *e;

	other.kind = (uint8_t)kind;
	other.addr = addr;
	other.arg = 0;
	return other;
}

static void feed_semaphore(struct unserial *u, const struct event *e)
{
	struct event note = order_by_semaphore(u, e);
	struct event lock = as_event(
		e,
		e->kind == EVENT_SEM_WAIT ? EVENT_SPIN_LOCK : EVENT_SPIN_UNLOCK,
		e->addr);

	lock.arg = LOCK_IS_SEMAPHORE;
	if (is_mutex(semaphore_at(u, e->addr)))
		feed_lock(u, &lock);
	happens_feed(u->order[ORDER_SURE].now, &note);
	for (unsigned int i = ORDER_LIKELY; i < ORDERS; i++)
		happens_feed(u->order[i].now, e);
	for (unsigned int i = 0; i < ORDERS; i++)
		if (is_acquire(e))
			order_keep(&u->order[i], e->thread);
}

static void feed_shared(struct unserial *u, const struct event *e,
			bool is_fresh)
{
	if (event_is_plain_access(e->kind)) {
		feed_access(u, e, is_fresh);
		return;
	}
	feed_memory(u, e);
	feed_lock(u, e);
	if (e->kind == EVENT_SEM_POST || e->kind == EVENT_SEM_WAIT) {
		feed_semaphore(u, e);
		return;
	}
	order_acquire(u, e);
	if (event_is_atomic(e->kind))
		feed_access(u, e, is_fresh);
	order_release(u, e);
}

/* What a thread waited for comes before what ended its wait is looked at; a
 * word that is a lock is in no section of its own. */
static void feed_own(struct unserial *u, const struct event *e)
{
	struct ownsync_effect f = ownsync_feed(u->own, e, site_of(u, e));
	struct event note = as_event(
		e, f.takes ? EVENT_NOTE_ACQUIRE : EVENT_NOTE_RELEASE, f.note);
	struct event lock = as_event(
		e, f.locks ? EVENT_SPIN_LOCK : EVENT_SPIN_UNLOCK, e->addr);

	if (f.takes)
		order_acquire(u, &note);
	if (f.unlocks)
		feed_lock(u, &lock);
	feed_shared(u, e, f.is_fresh);
	if (f.locks)
		feed_lock(u, &lock);
	if (f.gives)
		order_release(u, &note);
}

void unserial_feed(struct unserial *u, const struct event *e)
{
	if (e->thread >= REGION_THREADS)
		return;
	if (u->own)
		feed_own(u, e);
	else
		feed_shared(u, e, false);
}

static void keep_waiting(const struct unserial *u, struct unserial_result *r)
{
	const uint32_t *all;

	if (!u->own)
		return;
	all = ownsync_waiting(u->own, &r->waiting_count);
	r->waiting = xcalloc(r->waiting_count + 1, sizeof(*r->waiting));
	for (size_t i = 0; i < r->waiting_count; i++)
		r->waiting[i] = all[i];
}

struct unserial_result *unserial_end(struct unserial *u,
				     enum unserial_rank rank)
{
	struct unserial_result *r = xcalloc(1, sizeof(*r));

	end_memory(u, 0, UINT64_MAX);
	r->at = u->found.at;
	r->count = u->found.count;
	r->sites = u->shared_site_list.count;
	r->site_list = u->shared_site_list.at;
	keep_waiting(u, r);
	unserial_measure(u, &r->sizes);
	unserial_order(r, rank);
	unserial_drop(u);
	return r;
}

void unserial_free(struct unserial_result *r)
{
	if (!r)
		return;
	free(r->at);
	free(r->site_list);
	free(r->waiting);
	free(r);
}

/* ---- a whole trace ---- */

/* A stack whose innermost place is unknown stands for itself. */
static uint32_t site_in(const void *self, uint32_t stack)
{
	const struct trace *t = self;
	uint32_t site = 0;

	if (stack < trace_stacks(t))
		site = trace_stack(t, stack)->site;
	return site ? site : stack | UINT32_C(0x80000000);
}

/* A run under control that is recorded leaves nothing out. */
static bool is_whole(const struct trace *t)
{
	return trace_info(t)->flags & REGION_RECORD_ALL ||
	       trace_info(t)->mode == MODE_CONTROL;
}

struct unserial_result *unserial_of(struct trace *t, enum unserial_rank rank)
{
	return unserial_by(t, &(struct unserial_how){ .rank = rank });
}

struct unserial_result *unserial_by(struct trace *t,
				    const struct unserial_how *how)
{
	struct locations *where = locations_new(t);
	struct unserial *u = unserial_new(&(struct unserial_inputs){
		.trace = t,
		.where = where,
		.site_of = how->is_by_stack ? NULL : site_in,
		.self = t,
		.is_whole = is_whole(t) });
	struct unserial_result *r;
	struct event e;

	for (size_t i = 0; i < how->waiting_count; i++)
		unserial_learn(u, how->waiting[i]);
	do {
		trace_rewind(t);
		while (trace_next_unordered(t, &e))
			unserial_foresee(u, &e);
	} while (unserial_wants_more(u));
	trace_rewind(t);
	/* What ends is named before it is forgotten. */
	while (trace_next(t, &e)) {
		unserial_feed(u, &e);
		locations_feed(where, &e);
	}
	r = unserial_end(u, how->rank);
	locations_free(where);
	return r;
}
