/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/order.h"

#include "runtime/latch.h"

/*
 * Who owned an incarnation from which segment on. Threads follow each other in
 * one incarnation, each starting behind the last segment of the one before, so
 * the owner of a word is the newest entry that starts at or before it. Entries
 * are never removed: 32 bytes for each thread of the program's life.
 */
struct tenancy {
	uint32_t first; /* segment in words */
	uint32_t thread;
	uint64_t segment; /* of the thread, at `first` */
	struct tenancy *older;
};

static struct tenancy *tenancies[INCARNATIONS];
static uint32_t next_segment[INCARNATIONS];

/* Incarnations: those never used yet, then a ring of those given back. One
 * lock for all of this; threads are born seldom. */
static struct {
	struct latch latch;
	uint32_t fresh;
	uint32_t ring[INCARNATIONS + 1];
	uint32_t head, tail;
	struct tenancy *spare;
	size_t spare_count;
} pool = { .fresh = 1 };

static uint32_t pool_take(void)
{
	if (pool.fresh < INCARNATIONS)
		return pool.fresh++;
	if (pool.head == pool.tail)
		return 0;
	return pool.ring[pool.head++ % (INCARNATIONS + 1)];
}

static struct tenancy *tenancy_new(void)
{
	enum { BATCH = 1024 };

	if (!pool.spare_count) {
		pool.spare = guest_map(BATCH * sizeof(*pool.spare));
		if (!pool.spare)
			return NULL;
		pool.spare_count = BATCH;
	}
	return &pool.spare[--pool.spare_count];
}

static void tag_set(struct thread *t)
{
	/* A tag without incarnation matches no word: words of incarnation 0
	 * have no bytes. */
	t->tag = WORD_BYTES;
	if (t->incarnation && !t->slow)
		t->tag |= (uint64_t)t->incarnation << WORD_INCARNATION_SHIFT |
			  (uint64_t)t->word_segment << WORD_SEGMENT_SHIFT;
}

/* Moves t into an incarnation (or none). */
static void tenancy_begin(struct thread *t)
{
	struct tenancy *here;
	uint32_t who;

	latch_take(&pool.latch);
	here = tenancy_new();
	who = here ? pool_take() : 0;
	if (who) {
		*here = (struct tenancy){ .first = next_segment[who],
					  .thread = t->number,
					  .segment = t->segment,
					  .older = tenancies[who] };
		__atomic_store_n(&tenancies[who], here, __ATOMIC_RELEASE);
		t->word_first = t->word_segment = next_segment[who];
	}
	t->incarnation = who;
	latch_give(&pool.latch);
	tag_set(t);
}

/* The incarnation's later tenants start behind us. */
static void tenancy_end(struct thread *t)
{
	if (!t->incarnation)
		return;
	latch_take(&pool.latch);
	next_segment[t->incarnation] = t->word_segment + 1;
	if (t->word_segment < SEGMENTS / 2)
		pool.ring[pool.tail++ % (INCARNATIONS + 1)] = t->incarnation;
	latch_give(&pool.latch);
	t->incarnation = 0;
}

static uint32_t incarnations_used(void)
{
	return __atomic_load_n(&pool.fresh, __ATOMIC_RELAXED);
}

void order_begin(struct thread *t, const struct thread *creator)
{
	uint32_t count = incarnations_used();

	if (!t->before)
		return;
	for (uint32_t i = 0; i < count; i++)
		t->before[i] = creator ? creator->before[i] : 0;
	/* Later counts are 0: the array was mapped zeroed, or emptied by
	 * order_recycle. The creator's present segment began with the creation
	 * that is being recorded, so all segments below it are before us. */
	if (creator && creator->incarnation)
		t->before[creator->incarnation] =
			before_make(creator->word_first, creator->word_segment);
	tenancy_begin(t);
}

void order_release(struct thread *t)
{
	t->segment++;
	if (unlikely(++t->word_segment >= SEGMENTS) && t->incarnation) {
		t->before[t->incarnation] =
			before_make(t->word_first, SEGMENTS);
		t->incarnation = 0;
		tenancy_begin(t);
		return;
	}
	tag_set(t);
}

void order_join(struct thread *t, const struct thread *ended)
{
	uint32_t count = incarnations_used();
	uint64_t life = before_make(ended->word_first, ended->word_segment + 1);

	if (!t->before)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (ended->before[i] > t->before[i])
			t->before[i] = ended->before[i];
	if (ended->incarnation && t->before[ended->incarnation] < life)
		t->before[ended->incarnation] = life;
}

void order_recycle(struct thread *t)
{
	uint32_t count = incarnations_used();

	if (!t->before)
		return;
	tenancy_end(t);
	for (uint32_t i = 0; i < count; i++)
		t->before[i] = 0;
}

void order_slow(struct thread *t, bool on)
{
	t->slow = on;
	tag_set(t);
}

struct order_owner order_owner(uint64_t word)
{
	uint32_t segment = word_segment(word);
	struct tenancy *at = __atomic_load_n(&tenancies[word_incarnation(word)],
					     __ATOMIC_ACQUIRE);

	while (at && at->first > segment)
		at = at->older;
	if (!at)
		return (struct order_owner){ .thread = NO_THREAD };
	return (struct order_owner){ .thread = at->thread,
				     .segment = at->segment +
						(segment - at->first) };
}
