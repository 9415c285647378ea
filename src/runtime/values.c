/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/values.h"

#include "runtime/learn.h"
#include "runtime/model.h"
#include "runtime/strategy.h"
#include "runtime/sys.h"
#include "runtime/turn.h"

#include <sys/uio.h>

bool values_on;
bool values_open;

static struct traced *open_line; /* whose `becomes` is missing */
static uint64_t cycles[CONTROL_THREADS];
static bool has_added[CONTROL_THREADS]; /* lines without a point */

static struct traced_area *area(void)
{
	return &region->traced;
}

void values_begin(void)
{
	struct traced_area *a = area();

	values_on = control->ask.flags & CONTROL_VALUES;
	if (!values_on)
		return;
	a->count = 0;
	a->pool_used = 0;
	a->learned = 0;
	a->unmodelled = 0;
	a->is_full = 0;
	a->is_timed = 0;
	a->threads = 0;
}

/* ---- memory ---- */

enum { PAGE_SHIFT = 12, PAGES = 256 };

static uintptr_t known[PAGES]; /* to be readable */

/* Asked of the kernel once for each page. */
static bool page_is_readable(uintptr_t page)
{
	char byte;
	struct iovec to = { &byte, 1 };
	struct iovec from = { (void *)(page << PAGE_SHIFT), 1 };

	if (known[page % PAGES] == page)
		return true;
	if (SYS_6(SYS_process_vm_readv, SYS_0(SYS_gettid), &to, 1, &from, 1,
		  0) != 1)
		return false;
	known[page % PAGES] = page;
	return true;
}

static bool is_readable(uintptr_t addr, size_t size)
{
	uintptr_t last = (addr + size - 1) >> PAGE_SHIFT;

	for (uintptr_t page = addr >> PAGE_SHIFT; page <= last; page++)
		if (!page || !page_is_readable(page))
			return false;
	return true;
}

static void copy(void *to, const volatile void *from, size_t size)
{
	uint8_t *t = to;
	const volatile uint8_t *f = from;

	for (size_t i = 0; i < size; i++)
		t[i] = f[i];
}

/* The bytes there, or for many of them their place in the pool. */
static uint64_t sample(struct traced *e)
{
	struct traced_area *a = area();
	uint64_t value = 0;

	if (!is_readable(e->object, e->size) || e->size > TRACED_WIDEST) {
		e->flags |= TRACED_UNREAD;
		return 0;
	}
	if (e->size <= TRACED_BYTES) {
		copy(&value, (void *)e->object, e->size);
		return value;
	}
	if (a->pool_used + e->size > TRACED_POOL) {
		a->is_full = 1;
		e->flags |= TRACED_UNREAD;
		return 0;
	}
	value = a->pool_used;
	copy(a->pool + value, (void *)e->object, e->size);
	a->pool_used += e->size;
	return value;
}

void values_settle_now(void)
{
	values_open = false;
	open_line->becomes = sample(open_line);
	open_line->flags &= (uint16_t)~TRACED_OPEN;
}

void values_unmap(void)
{
	values_settle();
	for (uint32_t i = 0; values_on && i < PAGES; i++)
		known[i] = 0;
}

/* ---- pointers ---- */

enum { POINTERS = 4, REACH = 4096 };

/* What a thread has read last that may be an address. */
static struct pointers {
	struct {
		uint64_t value;
		struct traced *line;
	} at[POINTERS];
	uint32_t next;
} pointers[CONTROL_THREADS];

static void pointer_read(struct traced *e)
{
	struct pointers *p = &pointers[e->thread % CONTROL_THREADS];

	if (e->size != sizeof(void *) || e->was < REACH ||
	    e->flags & TRACED_UNREAD)
		return;
	p->at[p->next].value = e->was;
	p->at[p->next].line = e;
	p->next = (p->next + 1) % POINTERS;
}

static void pointer_used(uint32_t thread, uint64_t addr, uint32_t site)
{
	struct pointers *p = &pointers[thread % CONTROL_THREADS];

	/* It is the last read of that value that counts. */
	for (uint32_t i = 1; i <= POINTERS; i++) {
		uint32_t n = (p->next + POINTERS - i) % POINTERS;

		if (!p->at[n].line)
			continue;
		/* The pointer itself is near what it points to. */
		if (addr == p->at[n].line->object)
			return;
		if (addr - p->at[n].value >= REACH)
			continue;
		if (p->at[n].line->other == NO_THREAD)
			p->at[n].line->other = site;
		return;
	}
}

/* ---- lines ---- */

static struct traced *line_add(uint32_t number, enum event_kind kind,
			       uint64_t object, uint32_t site)
{
	struct traced_area *a = area();
	struct traced *e = &a->entries[a->count];

	values_settle();
	if (a->count + 1 >= TRACED_MOST) {
		a->is_full = 1;
		return NULL;
	}
	*e = (struct traced){ .object = object,
			      .could = order_options(number),
			      .site = site,
			      .other = NO_THREAD,
			      .cycle = (uint32_t)cycles[number],
			      .thread = (uint16_t)number,
			      .kind = (uint8_t)kind };
	if (cycles[number])
		e->flags |= TRACED_SPIN;
	cycles[number] = 0;
	a->count++;
	a->threads = control->run.thread_count;
	return e;
}

/* The last line, if it is this thread's. */
static struct traced *line_of(const struct thread *t)
{
	struct traced_area *a = area();

	if (!values_on || !a->count || a->is_full ||
	    a->entries[a->count - 1].thread != t->number)
		return NULL;
	return &a->entries[a->count - 1];
}

void values_frees(const struct thread *t, uintptr_t block)
{
	struct traced *e = line_of(t);

	if (e && e->object == block && e->kind == EVENT_WRITE)
		e->other = TRACED_FREES;
}

static bool is_modelled(enum event_kind kind)
{
	switch (kind) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_STORE:
	case EVENT_ATOMIC_RMW:
	case EVENT_MUTEX_LOCK:
	case EVENT_MUTEX_UNLOCK:
	case EVENT_MUTEX_FAIL:
	case EVENT_SPIN_LOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_RWLOCK_RDLOCK:
	case EVENT_RWLOCK_WRLOCK:
	case EVENT_RWLOCK_UNLOCK:
	case EVENT_RWLOCK_FAIL:
	case EVENT_COND_WAIT:
	case EVENT_COND_SIGNAL:
	case EVENT_COND_BROADCAST:
	case EVENT_SEM_WAIT:
	case EVENT_SEM_FAIL:
	case EVENT_SEM_POST:
	case EVENT_BARRIER_ENTER:
	case EVENT_ONCE_PASS:
	case EVENT_ONCE_DONE:
	case EVENT_THREAD_CREATE:
	case EVENT_THREAD_BEGIN:
	case EVENT_THREAD_END:
	case EVENT_THREAD_JOIN:
	case EVENT_TIME:
		return true;
	default:
		return event_remakes(kind);
	}
}

void values_unmodelled(enum event_kind kind)
{
	if (values_on)
		area()->unmodelled |= UINT64_C(1) << (kind & 63);
}

void values_timed(void)
{
	if (values_on)
		area()->is_timed = 1;
}

static bool is_early(void)
{
	return control->run.thread_count == 1;
}

bool values_point(uint32_t number, bool in_time)
{
	const struct control_thread *c = &control->threads[number];
	enum event_kind kind = c->kind;
	struct traced *e;

	if (!values_on || (is_early() && kind != EVENT_THREAD_CREATE))
		return in_time;
	if (!is_modelled(kind))
		values_unmodelled(kind);
	pointer_used(number, c->object, c->site);
	e = line_add(number, kind, c->object, c->site);
	if (e && !in_time)
		e->flags |= TRACED_TIME;
	return in_time;
}

/* So many points of the thread ago: how many of its lines is that? */
static uint64_t lines_in(uint32_t number, uint64_t points)
{
	struct traced_area *a = area();
	uint64_t lines = 0;

	for (uint32_t i = a->count; i-- > 0 && points;) {
		const struct traced *e = &a->entries[i];

		if (e->thread != number)
			continue;
		lines++;
		points -= !(e->flags & TRACED_ADDED);
	}
	return lines;
}

void values_spins(uint32_t number, uint64_t cycle)
{
	cycles[number] = values_on && has_added[number] ?
				 lines_in(number, cycle) :
				 cycle;
}

void values_flag(const struct thread *t, enum traced_flag flag)
{
	struct traced *e = line_of(t);

	if (e)
		e->flags |= (uint16_t)flag;
}

void values_kind(const struct thread *t, enum event_kind kind)
{
	struct traced *e = line_of(t);

	if (e)
		e->kind = (uint8_t)kind;
}

void values_object(const struct thread *t, uint64_t object)
{
	struct traced *e = line_of(t);

	if (e)
		e->object = object;
}

void values_number(const struct thread *t, uint64_t was, uint32_t other)
{
	struct traced *e = line_of(t);

	if (e) {
		e->was = was;
		e->other = other;
	}
}

void values_took(const struct thread *t, const volatile void *object)
{
	struct traced *e = line_of(t);

	if (e && e->object == (uintptr_t)object)
		e->flags |= TRACED_TOOK;
}

/* A wait for a condition lets its mutex go. */
void values_left(const struct thread *t, const volatile void *object)
{
	struct traced *e = line_of(t);

	if (!e)
		return;
	if (e->kind == EVENT_COND_WAIT)
		e->was = (uintptr_t)object;
	else if (e->object != (uintptr_t)object)
		return;
	e->flags |= TRACED_LEFT;
}

/* ---- accesses ---- */

/* Threads that are over and that nobody joined might as well not be. */
bool values_watch(uint32_t thread, uintptr_t addr, size_t size, bool is_write,
		  uint32_t site)
{
	pointer_used(thread, addr, site);
	if (turn_live == 1 && model_all_joined())
		learn_alone(addr, size, site);
	else if (!learn_watch(thread, addr, size, is_write, site))
		area()->learned++;
	return control->sites[site] == SITE_SHARED ||
	       control->ask.flags & CONTROL_ALL;
}

void values_told(uint32_t thread, uintptr_t addr, size_t size, bool is_write)
{
	if ((turn_live > 1 || !model_all_joined()) &&
	    !learn_told(thread, addr, size, is_write))
		area()->learned++;
}

static bool is_writing(enum event_kind kind)
{
	return kind == EVENT_WRITE || kind == EVENT_ATOMIC_STORE ||
	       kind == EVENT_ATOMIC_RMW || kind == EVENT_ONCE_PASS ||
	       kind == EVENT_ONCE_DONE;
}

static struct traced *access_add(const struct thread *t, enum event_kind kind,
				 uintptr_t addr, uintptr_t pc, uint32_t flags)
{
	struct traced *e = line_add(t->number, kind, addr, control_site(pc));

	if (e)
		e->flags |= (uint16_t)(TRACED_ADDED | flags);
	has_added[t->number] = true;
	return e;
}

static void access_fill(struct traced *e, enum event_kind kind, size_t size)
{
	e->size = (uint32_t)(size < TRACED_WIDEST ? size : TRACED_WIDEST + 1);
	e->was = sample(e);
	if (!is_writing(kind))
		pointer_read(e);
	if (!is_writing(kind) || e->flags & TRACED_UNREAD)
		return;
	e->flags |= TRACED_OPEN;
	open_line = e;
	values_open = true;
}

void values_access(struct thread *t, enum event_kind kind, uintptr_t addr,
		   size_t size, uintptr_t pc)
{
	struct traced *e = line_of(t);

	if (!values_on || is_early())
		return;
	/* A thread that is alone has no points at accesses. */
	if (!e || e->object != addr || e->size || e->kind != kind)
		e = access_add(t, kind, addr, pc, 0);
	if (e)
		access_fill(e, kind, size);
}

void values_part(struct thread *t, enum event_kind kind, uintptr_t addr,
		 size_t size, uintptr_t pc, bool is_bound)
{
	struct traced *e = line_of(t);

	if (!values_on || is_early())
		return;
	if (!e || is_bound) {
		/* A handler may have run since. */
		e = access_add(t, kind, addr, pc, e ? TRACED_BOUND : 0);
	} else {
		e->kind = (uint8_t)kind;
		e->object = addr;
	}
	if (e)
		access_fill(e, kind, size);
}

void values_missed(void)
{
	area()->learned++;
}

void values_failed(void)
{
	if (!values_on || !values_open)
		return;
	values_settle_now();
	open_line->flags |= TRACED_FAILED;
}
