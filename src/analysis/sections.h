/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SECTIONS_H
#define HEDDLE_SECTIONS_H

/*
 * The critical sections of a run, each with a number of its own and the stamps
 * of its beginning and end, and what sections a thread is in at a moment. Two
 * accesses under the same lock may be in two sections of it: the number tells.
 *
 * What a thread is in is a number too (0: in none), which an access can
 * remember: sections_in() says what it stands for, for ever.
 */

#include "analysis/keymap.h"
#include "analysis/lockset.h"
#include "base/vec.h"

struct section {
	uint32_t lock;	 /* of the lock sets */
	uint32_t number; /* lock_hold.section */
	uint32_t stack;	 /* where it was entered */
	bool is_read;
	uint64_t begin, end; /* end: UINT64_MAX until it has ended */
};

struct section_list {
	uint32_t first, count; /* in `members` */
	uint32_t set;	       /* of their locks, wherever acquired; 0 none */
};

/* A lock, and the set of those outside it. Lock sets of lockset.h also know
 * where each was acquired, which is too fine to put accesses together by. */
struct section_set {
	uint32_t outer, lock;
	bool is_read;
};

struct sections_thread {
	VEC(uint32_t) open; /* outermost first */
	uint32_t list;	    /* 0: not made yet, or none */
};

struct sections {
	struct locksets *locks; /* not owned */
	VEC(struct section) all;
	VEC(struct section_list) lists; /* [0] the empty one */
	VEC(uint32_t) members;
	VEC(struct section_set) sets; /* [0] the empty one */
	struct keymap by_lock;	      /* of sets */
	VEC(struct sections_thread) threads;
};

void sections_init(struct sections *s, struct locksets *locks);
void sections_done(struct sections *s);

/* After locksets_feed of the same event, which is a lock's. */
void sections_feed(struct sections *s, const struct event *e);

/* What the thread is in now. */
uint32_t sections_now(struct sections *s, uint32_t thread);

static inline const struct section_list *sections_in(const struct sections *s,
						     uint32_t list)
{
	return &s->lists.at[list];
}

static inline const struct section *section_at(const struct sections *s,
					       const struct section_list *l,
					       uint32_t i)
{
	return &s->all.at[s->members.at[l->first + i]];
}

/* Whether somebody with this set of locks is kept out of the section. */
bool section_excludes(const struct sections *s, const struct section *section,
		      uint32_t set);

#endif
