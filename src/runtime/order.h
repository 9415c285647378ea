/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ORDER_H
#define HEDDLE_ORDER_H

/*
 * What must have happened before: segments of threads, and the order that
 * creation and joining force in every run of the program. Locks, conditions
 * and the like do not count here: an access ordered by them might come in
 * another order next time, and that is what the tool is about.
 */

#include "runtime/shadow.h"

/* Gives a new thread its incarnation and what its creator leaves behind. */
void order_begin(struct thread *t, const struct thread *creator);

/* A release of t was recorded: its next segment begins. */
void order_release(struct thread *t);

/* All that `ended` did is before what t does from now on. */
void order_join(struct thread *t, const struct thread *ended);

/* The thread is gone and nobody will join it: its incarnation may serve
 * another thread. */
void order_recycle(struct thread *t);

/* While `on`, no access of this thread matches the shadow's fast path, so
 * that every one reaches filter_access. */
void order_slow(struct thread *t, bool on);

/* What t->before says of an incarnation: segments from `first` up to, but
 * without, `end` are before us. Threads follow each other in an incarnation,
 * and knowing one of them says nothing about those before it, so only the
 * newest that is known has a place here. The larger number is of the newer
 * thread, or of more of the same. */
static inline uint64_t before_make(uint32_t first, uint32_t end)
{
	return (uint64_t)end << 32 | first;
}

/* Did the access named by `word` necessarily happen before what t does now? */
static inline bool order_is_before(const struct thread *t, uint64_t word)
{
	uint32_t who = word_incarnation(word);
	uint32_t segment = word_segment(word);

	if (who == t->incarnation && segment >= t->word_first)
		return true;
	return segment < t->before[who] >> 32 &&
	       segment >= (uint32_t)t->before[who];
}

/* Whose access a word names. */
struct order_owner {
	uint32_t thread;
	uint64_t segment;
};

struct order_owner order_owner(uint64_t word);

#endif
