/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "format/region.h"

/* An access in a list. addr and size say what the program accessed; mask says
 * for which bytes of the granule the cell still stands. */
struct cell {
	epoch at;
	uint64_t stamp;
	uint64_t addr;
	uint32_t size;
	uint32_t stack;
	uint32_t lockset;
	uint32_t next; /* in the list; of a shared cell: slots that name it */
	uint8_t mask;
	uint8_t kind;
	bool is_earlier;
};

/* A freed block is one cell, named by the slots of all its granules with this
 * bit; the cell is copied when a list is needed. */
#define SHARED UINT32_C(0x80000000)

/* A freed block up to this size is remembered in whole; of a larger one those
 * granules are that somebody used. */
enum { FREE_WHOLE = 1 << 16 };

/* Two accesses that race if, at the end of its segment, the thread of
 * `earlier` does not know of `other`. */
struct doubt {
	struct access earlier, other;
	uint64_t addr;
	unsigned int size;
};

struct doubts {
	VEC(struct doubt) list;
};

struct history {
	struct granules granules;
	VEC(struct doubts) doubts; /* by thread of `earlier` */
	struct happens *order;
	history_race *race;
	void *self;
	struct cell *cells; /* [0] unused */
	uint32_t count, room, free;
};

enum class {
	PLAIN_READ = 1,
	PLAIN_WRITE = 2,
	ATOMIC_READ = 4,
	ATOMIC_WRITE = 8,
	ANY = 15,
};

static enum class class_of(unsigned int kind) {
	switch (kind){
		case EVENT_WRITE : case EVENT_VPTR_WRITE : case
		EVENT_EARLIER_WRITE : case EVENT_FREE : return PLAIN_WRITE;
		case EVENT_ATOMIC_LOAD : case
		EVENT_ATOMIC_CAS_FAIL : return ATOMIC_READ;
		case EVENT_ATOMIC_STORE : case
		EVENT_ATOMIC_RMW : return ATOMIC_WRITE;
		default : return PLAIN_READ;
	}
}

static const uint8_t conflicts_with[] = {
	[PLAIN_READ] = PLAIN_WRITE | ATOMIC_WRITE,
	[PLAIN_WRITE] = ANY,
	[ATOMIC_READ] = PLAIN_WRITE,
	[ATOMIC_WRITE] = PLAIN_READ | PLAIN_WRITE,
};

static const uint8_t stands_for[] = {
	[PLAIN_READ] = PLAIN_READ | ATOMIC_READ,
	[PLAIN_WRITE] = ANY,
	[ATOMIC_READ] = ATOMIC_READ,
	[ATOMIC_WRITE] = ATOMIC_READ | ATOMIC_WRITE,
};

bool access_is_write(unsigned int kind)
{
	return class_of(kind) & (PLAIN_WRITE | ATOMIC_WRITE);
}

struct history *history_new(struct happens *order, history_race *race,
			    void *self)
{
	struct history *h = xcalloc(1, sizeof(*h));

	granules_init(&h->granules);
	h->order = order;
	h->race = race;
	h->self = self;
	h->count = 1;
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->doubts.count; i++)
		vec_free(&h->doubts.at[i].list);
	vec_free(&h->doubts);
	granules_done(&h->granules);
	free(h->cells);
	free(h);
}

/* ---- cells ---- */

static uint32_t cell_new(struct history *h)
{
	uint32_t n = h->free;

	if (n) {
		h->free = h->cells[n].next;
		return n;
	}
	if (h->count >= h->room) {
		h->room = h->room ? h->room * 2 : 1024;
		h->cells =
			xrealloc(h->cells, (size_t)h->room * sizeof(*h->cells));
	}
	return h->count++;
}

static void cell_drop(struct history *h, uint32_t n)
{
	h->cells[n].next = h->free;
	h->free = n;
}

static struct access access_of(const struct cell *c)
{
	return (struct access){
		.at = c->at,
		.stamp = c->stamp,
		.addr = c->addr,
		.size = c->size,
		.stack = c->stack,
		.lockset = c->lockset,
		.kind = c->kind,
		.is_earlier = c->is_earlier,
	};
}

static uint32_t cell_fill(struct history *h, const struct access *a,
			  unsigned int mask, uint32_t next)
{
	uint32_t n = cell_new(h);

	h->cells[n] = (struct cell){
		.at = a->at,
		.stamp = a->stamp,
		.addr = a->addr,
		.size = (uint32_t)a->size,
		.stack = a->stack,
		.lockset = a->lockset,
		.next = next,
		.mask = (uint8_t)mask,
		.kind = a->kind,
		.is_earlier = a->is_earlier,
	};
	return n;
}

static void shared_drop(struct history *h, uint32_t *slot)
{
	uint32_t n = *slot & ~SHARED;

	*slot = 0;
	if (--h->cells[n].next == 0)
		cell_drop(h, n);
}

/* Makes a slot that names a shared cell a list of its own. */
static void slot_own(struct history *h, uint32_t *slot)
{
	struct access a = access_of(&h->cells[*slot & ~SHARED]);

	shared_drop(h, slot);
	*slot = cell_fill(h, &a, 0xff, 0);
}

/* Nothing in the list stands for the bytes of the mask any more. */
static void slot_clear(struct history *h, uint32_t *slot, unsigned int mask)
{
	uint32_t *link = slot;

	if (*slot & SHARED) {
		if (mask == 0xff) {
			shared_drop(h, slot);
			return;
		}
		slot_own(h, slot);
	}
	while (*link) {
		uint32_t n = *link;
		struct cell *c = &h->cells[n];

		c->mask &= (uint8_t)~mask;
		if (c->mask) {
			link = &c->next;
			continue;
		}
		*link = c->next;
		cell_drop(h, n);
	}
}

/* The bytes of a granule that lie in [addr, end). */
static unsigned int mask_of(uint64_t granule, uint64_t addr, uint64_t end)
{
	unsigned int mask = 0xff;

	if (addr > granule)
		mask &= 0xffu << (addr - granule);
	if (end - granule < GRANULE_BYTES)
		mask &= 0xffu >> (GRANULE_BYTES - (end - granule));
	return mask & 0xff;
}

/* ---- comparing ---- */

typedef void tell_run(struct history *h, const struct access *first,
		      const struct access *second, uint64_t addr,
		      unsigned int size);

static void tell_race(struct history *h, const struct access *first,
		      const struct access *second, uint64_t addr,
		      unsigned int size)
{
	h->race(h->self, first, second, addr, size);
}

/* Tells each run of bytes in the mask. */
static void tell(struct history *h, tell_run *run, const struct access *first,
		 const struct access *second, uint64_t granule,
		 unsigned int mask)
{
	for (unsigned int i = 0; i < GRANULE_BYTES;) {
		unsigned int n = 0;

		while (mask >> (i + n) & 1)
			n++;
		if (n)
			run(h, first, second, granule + i, n);
		i += n + 1;
	}
}

/* Compares an access with the list, and takes out what it stands for. Returns
 * whether it has to be remembered. */
static bool compare(struct history *h, uint32_t *slot, uint64_t granule,
		    const struct access *a, unsigned int mask,
		    const struct vclock *clock)
{
	enum class class = class_of(a->kind);
	uint32_t thread = epoch_thread(a->at);
	bool is_news = true;
	uint32_t *link = slot;

	while (*link) {
		uint32_t n = *link;
		struct cell *c = &h->cells[n];
		unsigned int both = c->mask & mask;
		enum class old = class_of(c->kind);

		if (!both) {
			link = &c->next;
			continue;
		}
		if (epoch_thread(c->at) != thread &&
		    !epoch_is_before(c->at, clock)) {
			if (conflicts_with[class] & old) {
				struct access first = access_of(c);

				tell(h, tell_race, &first, a, granule, both);
			}
		} else if (stands_for[class] & old) {
			c->mask &= (uint8_t)~mask;
		} else if (c->at == a->at && stands_for[old] & class &&
			   both == mask) {
			is_news = false;
		}
		if (c->mask) {
			link = &c->next;
		} else {
			*link = c->next;
			cell_drop(h, n);
		}
	}
	return is_news;
}

static void access_granule(struct history *h, uint32_t *slot, uint64_t granule,
			   const struct access *a, unsigned int mask,
			   const struct vclock *clock)
{
	if (*slot & SHARED)
		slot_own(h, slot);
	if (*slot) {
		const struct cell *c = &h->cells[*slot];

		/* A repetition: nobody came in between. */
		if (c->at == a->at && (c->mask & mask) == mask &&
		    stands_for[class_of(c->kind)] & class_of(a->kind) &&
		    !c->is_earlier)
			return;
	}
	if (compare(h, slot, granule, a, mask, clock))
		*slot = cell_fill(h, a, mask, *slot);
}

/* The range of an access, cut to what is looked at. */
static uint64_t range_end(const struct access *a)
{
	uint64_t size = a->size < HISTORY_RANGE ? a->size : HISTORY_RANGE;

	return granules_end(a->addr, size);
}

static uint64_t granule_of(uint64_t addr)
{
	return addr & ~(uint64_t)(GRANULE_BYTES - 1);
}

void history_access(struct history *h, const struct access *a)
{
	const struct vclock *clock =
		happens_clock(h->order, epoch_thread(a->at));
	uint64_t end = range_end(a);

	for (uint64_t g = granule_of(a->addr); g < end; g += GRANULE_BYTES)
		access_granule(h, granule_at(&h->granules, g), g, a,
			       mask_of(g, a->addr, end), clock);
}

/* Most of the time of a race finder is waiting for memory: accesses go anywhere
 * in the program's memory, and so do the looks at their slots and cells. */
void history_expect(struct history *h, uint64_t addr, unsigned int step)
{
	const uint32_t *slot = granule_peek(&h->granules, addr);
	uint32_t n;

	if (!slot)
		return;
	if (step == 0) {
		__builtin_prefetch(slot);
		return;
	}
	n = *slot & ~SHARED;
	if (step == 2 && n && !(*slot & SHARED))
		n = h->cells[n].next;
	if (n)
		__builtin_prefetch(&h->cells[n], 1);
}

/* ---- accesses told afterwards ---- */

/*
 * An access told afterwards has a segment but no clock. A merged trace may even
 * show it before its thread came so far. What is certain is that its thread
 * knew no more at the access than at the end of the segment; so if that end
 * does not know of an access of another thread, and the present of that other
 * thread does not know of the segment, the two are unordered. When the end is
 * yet to come, the pair waits for it.
 *
 * Two accesses told afterwards are not compared: the guest left both out
 * because they do not conflict or because it knew their order.
 */

static void doubt_add(struct history *h, const struct access *earlier,
		      const struct access *other, uint64_t addr,
		      unsigned int size)
{
	uint32_t t = epoch_thread(earlier->at);

	while (h->doubts.count <= t)
		vec_push(&h->doubts, (struct doubts){ 0 });
	vec_push(&h->doubts.at[t].list,
		 (struct doubt){ *earlier, *other, addr, size });
}

void history_settle(struct history *h, uint32_t thread)
{
	struct doubts *d;
	size_t kept = 0;

	if (thread >= h->doubts.count)
		return;
	d = &h->doubts.at[thread];
	for (size_t i = 0; i < d->list.count; i++) {
		struct doubt *x = &d->list.at[i];

		if (epoch_segment(x->earlier.at) >
		    happens_segment(h->order, thread))
			d->list.at[kept++] = *x;
		else if (!epoch_is_before(x->other.at,
					  happens_clock(h->order, thread)))
			h->race(h->self, &x->earlier, &x->other, x->addr,
				x->size);
	}
	d->list.count = kept;
}

/* Compares with an access that the trace has shown before. */
static void compare_earlier(struct history *h, const struct access *a,
			    const struct access *other, uint64_t granule,
			    unsigned int mask)
{
	uint32_t t = epoch_thread(a->at), u = epoch_thread(other->at);

	if (t >= REGION_THREADS || happens_is_over(h->order, t) ||
	    happens_is_over(h->order, u) ||
	    epoch_is_before(a->at, happens_clock(h->order, u)))
		return;
	if (happens_segment(h->order, t) <= epoch_segment(a->at))
		tell(h, doubt_add, a, other, granule, mask);
	else if (!epoch_is_before(other->at, happens_clock(h->order, t)))
		tell(h, tell_race, a, other, granule, mask);
}

static void earlier_granule(struct history *h, uint32_t *slot, uint64_t granule,
			    const struct access *a, unsigned int mask)
{
	enum class class = class_of(a->kind);
	uint32_t *link = slot;

	while (*link) {
		uint32_t n = *link;
		struct cell *c = &h->cells[n];
		enum class old = class_of(c->kind);
		unsigned int both = c->mask & mask;

		if (both && epoch_thread(c->at) == epoch_thread(a->at)) {
			/* The list has it, or something later and stronger. */
			if (c->at >= a->at && stands_for[old] & class &&
			    both == mask)
				return;
			if (c->at <= a->at && stands_for[class] & old)
				c->mask &= (uint8_t)~mask;
		} else if (both && conflicts_with[class] & old &&
			   !c->is_earlier) {
			struct access other = access_of(c);

			compare_earlier(h, a, &other, granule, both);
		}
		if (c->mask) {
			link = &c->next;
		} else {
			*link = c->next;
			cell_drop(h, n);
		}
	}
	*slot = cell_fill(h, a, mask, *slot);
}

void history_earlier(struct history *h, const struct access *a)
{
	uint64_t end = range_end(a);

	for (uint64_t g = granule_of(a->addr); g < end; g += GRANULE_BYTES) {
		uint32_t *slot = granule_at(&h->granules, g);

		if (*slot & SHARED)
			slot_own(h, slot);
		earlier_granule(h, slot, g, a, mask_of(g, a->addr, end));
	}
}

/* ---- ends and beginnings ---- */

/* A block that ends, and the cell that all its granules will share. */
struct ending {
	struct history *history;
	const struct access *access;
	const struct vclock *clock;
	uint64_t end;
	uint32_t block;
};

static void end_granule(void *self, uint64_t granule, uint32_t *slot)
{
	struct ending *e = self;
	struct history *h = e->history;
	unsigned int mask = mask_of(granule, e->access->addr, e->end);

	if (*slot & SHARED)
		slot_own(h, slot);
	compare(h, slot, granule, e->access, mask, e->clock);
	slot_clear(h, slot, mask);
	if (mask == 0xff) {
		*slot = e->block | SHARED;
		h->cells[e->block].next++;
	} else {
		*slot = cell_fill(h, e->access, mask, *slot);
	}
}

void history_end(struct history *h, const struct access *a)
{
	struct ending e = {
		.history = h,
		.access = a,
		.clock = happens_clock(h->order, epoch_thread(a->at)),
		.end = granules_end(a->addr, a->size),
		.block = cell_fill(h, a, 0xff, 1),
	};
	uint64_t g = granule_of(a->addr);

	if (a->size > FREE_WHOLE)
		granules_walk(&h->granules, a->addr, a->size, end_granule, &e);
	else
		for (; g < e.end; g += GRANULE_BYTES)
			end_granule(&e, g, granule_at(&h->granules, g));
	if (--h->cells[e.block].next == 0)
		cell_drop(h, e.block);
}

struct range {
	struct history *history;
	uint64_t addr, end;
};

static void forget_granule(void *self, uint64_t granule, uint32_t *slot)
{
	struct range *r = self;

	slot_clear(r->history, slot, mask_of(granule, r->addr, r->end));
}

void history_forget(struct history *h, uint64_t addr, uint64_t size)
{
	struct range r = { h, addr, granules_end(addr, size) };

	granules_walk(&h->granules, addr, size, forget_granule, &r);
	granules_drop(&h->granules, addr, size);
}
