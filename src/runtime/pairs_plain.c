/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs_granules.h"
#include "runtime/pairs.h"

/*
 * The way of the compiler's hooks in a parallel run. Nearly every access comes
 * again, at a place that is remembered, to a granule where it finds itself;
 * that costs a look at the granule's line and a moment stored there, and no
 * word of it is changed. What comes next in number is the first read of what
 * another thread has left, and a thread that counts something of its own.
 */

/* The first of its place or its memory. `what`: bytes | is_write. */
static COLD void plain_first(struct thread *t, uintptr_t addr, uintptr_t what,
			     uintptr_t pc)
{
	size_t size = (size_t)__builtin_popcountl(what & PAIR_BYTES);

	if (t->alive && !t->inside && !t->ignoring)
		pairs_access(t, addr, size, what & 1 ? PAIR_WRITE : PAIR_READ,
			     pc);
}

/* Where another entry goes if the near places are taken: one of the far places,
 * which the read `word` must have nothing to do with. NULL: it is not so
 * simple. */
static inline struct entry *far_room(struct granule *g, uint64_t first,
				     uint64_t word)
{
	struct entry *far = granule_far(g);
	uint64_t third, fourth;

	if (!(first & WORD_FAR)) {
		entry_put(&far[0].word, 0);
		entry_put(&far[1].word, 0);
		entry_put(&g->near[0].word, first | WORD_FAR);
		granule_use(far);
		return far;
	}
	third = entry_get(&far[0].word);
	fourth = entry_get(&far[1].word);
	if ((third | fourth) & word & PAIR_BYTES || granule_is_wide(first))
		return NULL;
	if (!third)
		return far;
	return fourth ? NULL : far + 1;
}

/* The first read of its thread after a single write, mostly of what another
 * thread has left for it. False: it is not so simple. */
static inline bool read_after(struct thread *t, struct granule *g,
			      const struct entry *made, uintptr_t addr)
{
	uint64_t first = entry_get(&g->near[0].word);
	uint64_t second = entry_get(&g->near[1].word);
	uint64_t bytes = made->word & PAIR_BYTES;
	bool is_first = first & bytes, is_second = second & bytes;
	uint64_t old = is_first ? first : second;
	struct entry *to = &g->near[1], head;

	if (is_first == is_second || pair_kind(old) == PAIR_READ)
		return false;
	if (second || first & WORD_FAR) {
		to = far_room(g, first, made->word);
		if (!to)
			return false;
	}
	head.word = old;
	head.at = entry_get(&g->near[is_second].at);
	entry_set(to, made->word, made->at);
	if (entry_is_other(old, made->word))
		pairs_emit(t, head, *made, addr);
	return true;
}

/* Accesses of one granule that are not just known. Called last, so that who
 * calls needs no frame. */
static HOT __attribute__((noinline)) void read_more(uintptr_t addr,
						    struct granule *g,
						    struct thread *t,
						    uint64_t word)
{
	struct entry made = { .word = word,
			      .at = pairs_moment(t, t->pair_count) };

	if (read_after(t, g, &made, addr))
		return;
	if (!(entry_get(&g->near[0].word) | entry_get(&g->near[1].word)))
		granule_use(g);
	granule_read(t, g, &made, addr);
}

static HOT __attribute__((noinline)) void read_new(uintptr_t addr,
						   struct granule *g,
						   struct thread *t,
						   uint64_t word)
{
	uint64_t first = entry_get(&g->near[0].word);

	/* After the thread's own write, and nobody else is there: the loop of
	 * every counter. */
	if (!(entry_get(&g->near[1].word) | (first & WORD_FAR)) &&
	    !entry_is_other(first, word) && pair_kind(first) != PAIR_READ)
		entry_set(&g->near[1], word, pairs_moment(t, t->pair_count));
	else
		read_more(addr, g, t, word);
}

static HOT __attribute__((noinline)) void write_new(uintptr_t addr,
						    struct granule *g,
						    struct thread *t,
						    uint64_t word)
{
	struct entry made = { .word = word,
			      .at = pairs_moment(t, t->pair_count) };

	if (!(entry_get(&g->near[0].word) | entry_get(&g->near[1].word))) {
		granule_use(g);
		if (granule_claim(g, &made))
			return;
	}
	granule_write(t, g, &made, addr);
}

/* Does the write `word` only take away what its own thread has read? Then that
 * is done. */
static inline bool write_takes(struct entry *e, uint64_t old, uint64_t word)
{
	if (!(old & word & PAIR_BYTES))
		return true;
	if (entry_is_other(old, word) || old & ~word & PAIR_BYTES)
		return false;
	entry_put(&e->word, 0);
	return true;
}

/* The same again, while nobody else was there; or the only access that is known
 * is one to other bytes. No far places, no list. */
static inline bool write_is_known(struct granule *g, uint64_t word, uint64_t at)
{
	uint64_t first = entry_get(&g->near[0].word);
	uint64_t second = entry_get(&g->near[1].word);

	if (first == word) {
		if (!write_takes(&g->near[1], second, word))
			return false;
		entry_put(&g->near[0].at, at);
		return true;
	}
	if (first & WORD_FAR)
		return false;
	if (second == word) {
		if (!write_takes(&g->near[0], first, word))
			return false;
		entry_put(&g->near[1].at, at);
		return true;
	}
	if (second || !first || first & word & PAIR_BYTES)
		return false;
	entry_set(&g->near[1], word, at);
	return true;
}

/* The granule of an access whose place is remembered, and its word, which comes
 * with bytes and kind; NULL: there is more to do, or nothing. */
static inline __attribute__((always_inline)) struct granule *plain_look(
	const struct thread *t, uintptr_t addr, uintptr_t pc, uint64_t *word)
{
	uint32_t node;

	/* Without calls it is the copy of a thread that fork has wiped. */
	if (unlikely(!t->top) || unlikely(!stack_recall(t, pc, &node)) ||
	    unlikely(thread_is_deaf(t)))
		return NULL;
	*word |= t->pair_tag | (uint64_t)node << PAIR_PLACE_SHIFT;
	return granule_find(addr);
}

/* Most accesses only repeat what is known, and end here. A handler that strikes
 * meanwhile is like another thread that does. */
HOT void pairs_read(uintptr_t addr, uint64_t bytes, struct thread *t,
		    uintptr_t pc)
{
	uint64_t word = bytes, old;
	struct granule *g = plain_look(t, addr, pc, &word);
	struct entry *e;

	if (unlikely(!g)) {
		plain_first(t, addr, bytes, pc);
		return;
	}
	/* The access itself comes next. */
	__builtin_prefetch((const void *)addr, 0);
	t->pair_count++;
	e = &g->near[0];
	old = entry_get(&e->word);
	if ((old ^ word) > (WORD_STAYS | WORD_FAR)) {
		e = &g->near[1];
		old = entry_get(&e->word);
		if ((old ^ word) > (WORD_STAYS | WORD_FAR)) {
			read_new(addr, g, t, word);
			return;
		}
	}
	if (!(old & WORD_STAYS))
		entry_put(&e->at, pairs_moment(t, t->pair_count));
}

HOT void pairs_write(uintptr_t addr, uint64_t bytes, struct thread *t,
		     uintptr_t pc)
{
	uint64_t word = bytes | (uint64_t)PAIR_WRITE << PAIR_KIND_SHIFT;
	struct granule *g = plain_look(t, addr, pc, &word);

	if (unlikely(!g)) {
		plain_first(t, addr, bytes | 1, pc);
		return;
	}
	__builtin_prefetch((const void *)addr, 1);
	t->pair_count++;
	if (!write_is_known(g, word, pairs_moment(t, t->pair_count)))
		write_new(addr, g, t, word);
}
