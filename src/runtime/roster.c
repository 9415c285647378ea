/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/roster.h"

#include "runtime/latch.h"
#include "runtime/runtime.h"

/*
 * Chains of entries, newest first, hung into a small table of buckets. The
 * memory is asked for at the first thread and only touched where numbers are
 * in use.
 */

enum {
	BUCKETS_LOG = 10,
	BUCKETS = 1 << BUCKETS_LOG,
	LISTED = 1,
	DETACHED = 2,
	ENDED = 4,
	STRUCK = 8, /* and never comes back */
};

struct entry {
	pthread_t id;
	uint32_t next; /* number plus 1, 0: last */
	uint32_t state;
};

static struct {
	struct latch latch;
	struct entry *entries; /* by number */
	uint32_t buckets[BUCKETS];
} roster;

static void roster_lock(void)
{
	latch_take(&roster.latch);
	if (!roster.entries)
		roster.entries =
			guest_map(REGION_THREADS * sizeof(struct entry));
}

static void roster_unlock(void)
{
	latch_give(&roster.latch);
}

static uint32_t *bucket_of(pthread_t id)
{
	uint64_t hash = (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);

	return &roster.buckets[hash >> (64 - BUCKETS_LOG)];
}

static struct entry *entry_of(uint32_t number)
{
	if (!roster.entries || number >= REGION_THREADS)
		return NULL;
	return &roster.entries[number];
}

static void entry_strike(uint32_t number, struct entry *e)
{
	uint32_t *at = bucket_of(e->id);

	if (e->state & LISTED) {
		while (*at != number + 1)
			at = &roster.entries[*at - 1].next;
		*at = e->next;
	}
	e->state = STRUCK;
}

void roster_add(uint32_t number, pthread_t id)
{
	struct entry *e;

	roster_lock();
	e = entry_of(number);
	/* Written before it is read, which is one page fault less. */
	if (e)
		e->id = id;
	if (e && !(e->state & (LISTED | STRUCK))) {
		uint32_t *bucket = bucket_of(id);

		/* In one piece, for the same reason. */
		e->next = __atomic_exchange_n(bucket, number + 1,
					      __ATOMIC_RELAXED);
		e->state |= LISTED;
	}
	roster_unlock();
}

uint32_t roster_find(pthread_t id)
{
	uint32_t at, found = NO_THREAD;

	roster_lock();
	for (at = *bucket_of(id); at; at = roster.entries[at - 1].next)
		if (roster.entries[at - 1].id == id) {
			found = at - 1;
			break;
		}
	roster_unlock();
	return found;
}

void roster_joined(uint32_t number)
{
	struct entry *e;

	roster_lock();
	e = entry_of(number);
	if (e)
		entry_strike(number, e);
	roster_unlock();
}

static void entry_mark(uint32_t number, uint32_t state)
{
	struct entry *e;

	roster_lock();
	e = entry_of(number);
	if (e) {
		e->state |= state;
		if ((e->state & (DETACHED | ENDED)) == (DETACHED | ENDED))
			entry_strike(number, e);
	}
	roster_unlock();
}

void roster_detached(uint32_t number)
{
	entry_mark(number, DETACHED);
}

void roster_ended(uint32_t number)
{
	entry_mark(number, ENDED);
}

bool roster_is_detached(uint32_t number)
{
	const struct entry *e;
	bool is;

	roster_lock();
	e = entry_of(number);
	is = e && e->state & DETACHED;
	roster_unlock();
	return is;
}
