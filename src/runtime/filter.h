/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FILTER_H
#define HEDDLE_FILTER_H

/*
 * Which plain accesses reach the trace. An access cannot matter while all
 * threads that ever used the granule are ordered by creation and joining, or
 * while threads only read it since: no other order of these accesses exists in
 * any run. Such accesses are left out; the shadow keeps the last write and the
 * last reads instead. As soon as a thread comes that is not so ordered, with a
 * write on either side, the granule is shared for the rest of its life: what
 * the shadow kept is told (EARLIER events), and everything from then on is
 * recorded.
 *
 * So of a granule that becomes shared the trace has everything since, and of
 * the time before: of each thread not yet overwritten by an ordered one, its
 * last segment with a write and its last segment with a read. That is what a
 * happens-before race analysis needs to miss nothing. What is lost is how
 * often and at which other places a thread used the granule before it was
 * shared; REGION_RECORD_ALL keeps that as well, and so do the first FULL
 * accesses of each thread.
 *
 * filter_step is a pure function of the cell and the access, so that it can be
 * tested against brute force.
 */

#include "runtime/shadow.h"

enum {
	FILTER_FULL =
		1 << 14, /* accesses of a thread recorded unconditionally */
};

/* An access as the filter sees it. */
struct filter_access {
	uint64_t word; /* incarnation, segment, bytes, node */
	bool is_write;
};

enum filter_verdict {
	FILTER_LEAVE,	/* leave it out */
	FILTER_KEEP,	/* the granule is shared */
	FILTER_READERS, /* a read that must go to the table of readers */
};

struct filter_step {
	enum filter_verdict verdict;
	struct cell next;
	uint64_t told_write; /* words to tell, 0: none */
	uint64_t told_read;
};

/* `readers_conflict`: the cell has a table of readers and one of them is not
 * ordered before this access and shares bytes with it. */
struct filter_step filter_step(const struct thread *t, struct cell old,
			       struct filter_access a, bool readers_conflict);

/* Puts an access of the bytes `bytes` (a mask) of the granule at `granule`
 * through the filter, tells what is to be told, and says whether to record
 * it. The thread must be inside. */
bool filter_access(struct thread *t, uintptr_t granule, uint32_t bytes,
		   bool is_write, uint32_t node);

/* Makes the granules of a range shared, whatever they were: an atomic access
 * says that the program expects others here. The thread must be inside. */
void filter_share(struct thread *t, uintptr_t addr, size_t size);

/* The range begins a new life: what the filter keeps for it outside the shadow
 * may serve elsewhere. To be called before the cells are overwritten. */
void filter_forget(uintptr_t addr, size_t size);

/* Every table of readers has two places at least; a look at those settles
 * most reads without more. */
static inline bool filter_is_among_two(const struct thread *t,
				       uint64_t read_word, uint64_t bytes)
{
	const uint64_t *words =
		(const uint64_t *)(uintptr_t)(read_word & ~WORD_READERS);

	return word_covers(word_load(&words[0]), t->tag, bytes) ||
	       word_covers(word_load(&words[1]), t->tag, bytes);
}

/* Has this thread read these bytes in this segment, by the whole table? */
bool filter_knows_reader(const struct thread *t, uint64_t read_word,
			 uint64_t bytes);

#endif
