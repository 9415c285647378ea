/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/learn.h"

#include "format/rng.h"
#include "runtime/sys.h"
#include "runtime/turn.h"

#include <sys/mman.h>

enum {
	GRANULES_LOG = 20,
	GRANULES = 1 << GRANULES_LOG,
	PROBES = 32,
};

/* Of `written`. */
enum { GRANULE_WRITTEN = 1, GRANULE_UNTOLD = 2 };

struct granule {
	uint64_t addr; /* 0: free */
	uint32_t run;  /* in which `owner` and `written` hold */
	uint16_t owner;
	uint8_t written; /* or GRANULE_UNTOLD */
	uint8_t shared;	 /* in any run */
};

/* Shared by all runs of a server. */
static struct {
	uint32_t runs;
	struct granule granules[GRANULES];
} * memory;

/* ---- granules ---- */

void learn_prepare(void)
{
	long at = SYS_6(SYS_mmap, 0, sizeof(*memory), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memory = at < 0 && at > -4096 ? NULL : (void *)at;
}

void learn_begin(void)
{
	if (!(control->ask.flags & (CONTROL_LEARN | CONTROL_VALUES)))
		return;
	control->profile.runs++;
	if (memory)
		memory->runs++;
}

/* NULL when there is no room: then everything counts as shared. */
static struct granule *granule_find(uint64_t addr)
{
	/* Neighbours lie together, for the sake of pages. */
	uint64_t hash = (addr >> 9) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(hash >> (64 - GRANULES_LOG)) ^
		      (uint32_t)(addr >> 3 & 63);

	for (uint32_t i = 0; memory && i < PROBES; i++) {
		struct granule *g = &memory->granules[(at + i) % GRANULES];

		if (!g->addr)
			g->addr = addr;
		if (g->addr == addr)
			return g;
	}
	return NULL;
}

static bool granule_use(uint64_t addr, uint32_t thread, bool is_write)
{
	struct granule *g = granule_find(addr);

	if (!g)
		return true;
	if (g->run != memory->runs) {
		g->run = memory->runs;
		g->owner = (uint16_t)thread;
		g->written = is_write;
		return g->shared;
	}
	g->written |= is_write;
	if (g->owner != (uint16_t)thread) {
		g->shared |= g->written & GRANULE_WRITTEN;
		/* Readers only so far: whoever writes next shares. */
		g->owner = UINT16_MAX;
	}
	return g->shared;
}

void learn_access(uint32_t thread, uintptr_t addr, size_t size, bool is_write,
		  uint32_t site)
{
	uint8_t *state = &control->sites[site];
	bool shared = false;

	for (uintptr_t g = addr & ~(uintptr_t)7; g < addr + size; g += 8)
		shared |= granule_use(g, thread, is_write);
	if (shared)
		*state = (*state & ~SITE_STATE) | SITE_SHARED;
	else if ((*state & SITE_STATE) == SITE_NEW)
		*state |= SITE_PRIVATE;
}

/* ---- with values ---- */

/* Nobody was told that this thread uses these. */
static void granules_untold(uintptr_t addr, size_t size)
{
	for (uintptr_t at = addr & ~(uintptr_t)7; at < addr + size; at += 8) {
		struct granule *g = granule_find(at);

		if (g)
			g->written |= GRANULE_UNTOLD;
	}
}

/* A granule that becomes shared after an access to it that was not told: the
 * next run will tell it. */
bool learn_told(uint32_t thread, uintptr_t addr, size_t size, bool is_write)
{
	bool is_whole = true;

	for (uintptr_t at = addr & ~(uintptr_t)7; at < addr + size; at += 8) {
		const struct granule *g = granule_find(at);
		bool was = g && g->shared;

		granule_use(at, thread, is_write);
		if (g && !was && g->shared && g->written & GRANULE_UNTOLD)
			is_whole = false;
	}
	return is_whole;
}

bool learn_watch(uint32_t thread, uintptr_t addr, size_t size, bool is_write,
		 uint32_t site)
{
	uint8_t before = control->sites[site];
	bool is_whole = learn_told(thread, addr, size, is_write);

	learn_access(thread, addr, size, is_write, site);
	if (control->sites[site] != SITE_SHARED)
		granules_untold(addr, size);
	else if (before == SITE_PRIVATE)
		is_whole = false;
	return is_whole;
}

void learn_alone(uintptr_t addr, size_t size, uint32_t site)
{
	for (uintptr_t at = addr & ~(uintptr_t)7; at < addr + size; at += 8) {
		const struct granule *g = granule_find(at);

		if (!g || g->shared)
			control->sites[site] = SITE_SHARED;
	}
}

/* ---- counts ---- */

enum {
	ANCESTORS = 64, /* for which a thread's events are counted */
	COUNT_CHANGED = 1,
	COUNT_OTHERS = 2, /* more than one thread came */
	COUNT_LISTED = 4,
};

static uint64_t names[CONTROL_THREADS];

uint64_t learn_name(uint32_t thread)
{
	const struct region_thread *r = &region->threads[thread];

	if (!names[thread] && r->parent == NO_THREAD)
		names[thread] = 1 + 2 * thread;
	if (!names[thread])
		names[thread] = rng_mix(learn_name(r->parent) + r->nth) | 1;
	return names[thread];
}

uint64_t learn_object(const struct control_thread *c)
{
	switch (c->kind) {
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_VPTR_READ:
	case EVENT_VPTR_WRITE:
		if ((control->sites[c->site] & SITE_STATE) != SITE_SHARED)
			return 0;
		break;
	/* When they happen nobody else can come to the object. */
	case EVENT_MUTEX_UNLOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_RWLOCK_UNLOCK:
	case EVENT_THREAD_JOIN:
		return 0;
	default:
		break;
	}
	return c->object & ~UINT64_C(7);
}

/* With `add` a new entry is made if there is room. */
static struct control_count *count_find(uint64_t object, uint64_t thread,
					bool add)
{
	uint64_t at = rng_mix(object + rng_mix(thread));

	for (uint32_t i = 0; i < PROBES; i++) {
		struct control_count *c =
			&control->profile.counts[(at + i) % CONTROL_COUNTS];

		if (c->object == object && c->thread == thread)
			return c;
		if (c->object)
			continue;
		if (!add)
			return NULL;
		c->object = object;
		c->thread = thread;
		return c;
	}
	return NULL;
}

static void count_add(uint64_t object, uint64_t thread)
{
	struct control_count *c = count_find(object, thread, true);

	if (!c)
		return;
	if (c->run != control->profile.runs) {
		c->run = control->profile.runs;
		c->now = 0;
	}
	if (++c->now > c->most)
		c->most = c->now;
}

/* Objects on which threads may conflict are listed. */
static void object_note(uint64_t object, uint64_t thread, uint8_t kind)
{
	struct control_profile *p = &control->profile;
	struct control_count *c = count_find(object, 0, true);

	if (!c || c->state & COUNT_LISTED)
		return;
	if (!c->first)
		c->first = thread;
	if (c->first != thread)
		c->state |= COUNT_OTHERS;
	if (turn_changes(kind))
		c->state |= COUNT_CHANGED;
	if (c->state == (COUNT_OTHERS | COUNT_CHANGED) &&
	    p->object_count < CONTROL_OBJECTS) {
		p->objects[p->object_count++] = object;
		c->state |= COUNT_LISTED;
	}
}

void learn_event(uint32_t thread)
{
	const struct control_thread *c = &control->threads[thread];
	uint64_t name = learn_name(thread), object = learn_object(c);
	uint32_t n = thread;

	if (!object)
		return;
	object_note(object, name, c->kind);
	for (int i = 0; n != NO_THREAD && i < ANCESTORS; i++) {
		count_add(object, learn_name(n));
		n = region->threads[n].parent;
	}
}

uint32_t learn_count(uint64_t object, uint64_t name)
{
	const struct control_count *c = count_find(object, name, false);

	return c ? c->most : 0;
}
