/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/roster.h"

#include "runtime/apiece.h"
#include "runtime/latch.h"
#include "runtime/runtime.h"

/*
 * Chains of entries, newest first, hung into a small table of buckets, which is
 * asked for at the first thread.
 */

enum {
	BUCKETS_LOG = 8,
	BUCKETS = 1 << BUCKETS_LOG,
	LISTED = 1,
	DETACHED = 2,
	ENDED = 4,
	STRUCK = 8, /* and never comes back */
};

static struct {
	struct latch latch;
	uint32_t *buckets; /* numbers plus 1, 0: empty */
} roster;

static void roster_lock(void)
{
	latch_take(&roster.latch);
	if (!roster.buckets)
		roster.buckets = guest_map(BUCKETS * sizeof(*roster.buckets));
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

static struct apiece_roster *entry_of(uint32_t number)
{
	if (!apiece || !roster.buckets || number >= REGION_THREADS)
		return NULL;
	return &apiece[number].roster;
}

static void entry_strike(uint32_t number, struct apiece_roster *e)
{
	uint32_t *at = bucket_of(e->id);

	if (e->state & LISTED) {
		while (*at != number + 1)
			at = &apiece[*at - 1].roster.next;
		*at = e->next;
	}
	e->state = STRUCK;
}

void roster_add(uint32_t number, pthread_t id)
{
	struct apiece_roster *e;

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
	at = roster.buckets ? *bucket_of(id) : 0;
	while (at && apiece[at - 1].roster.id != id)
		at = apiece[at - 1].roster.next;
	if (at)
		found = at - 1;
	roster_unlock();
	return found;
}

void roster_joined(uint32_t number)
{
	struct apiece_roster *e;

	roster_lock();
	e = entry_of(number);
	if (e)
		entry_strike(number, e);
	roster_unlock();
}

static void entry_mark(uint32_t number, uint32_t state)
{
	struct apiece_roster *e;

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
	const struct apiece_roster *e;
	bool is;

	roster_lock();
	e = entry_of(number);
	is = e && e->state & DETACHED;
	roster_unlock();
	return is;
}
