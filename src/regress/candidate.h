/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CANDIDATE_H
#define HEDDLE_CANDIDATE_H

/*
 * Which events of a failing run may be what made it fail: candidates for its
 * signature.
 *
 * Whenever a thread A stops and others go on, two kinds of things may matter:
 * what A did before that somebody then conflicted with (an edge out of A), and
 * what A did afterwards that conflicts with what somebody has done meanwhile
 * (an edge into A). One edge alone is a violated order; an edge out of A and
 * one into it, to and from the same thread B, enclose what B did in something
 * that A took for one action. With one object the latter are the five patterns
 * of unserializable accesses and Maple's idioms 2 and 3, with two its idioms 4
 * and 5, and more than these four events are hardly ever needed. For deadlocks
 * there is the cycle: the acquisitions of the locks that the threads wait for.
 * The end of a block or of a lock conflicts with every use of it.
 *
 * Finds: every such pattern whose events are among the last few of A before it
 *   stopped and the first few after it went on.
 * Misses: patterns of more than two threads, but for cycles of locks.
 * Wrong when: never; candidates are tried, and most come to nothing.
 */

#include "base/vec.h"
#include "format/control_block.h"
#include "format/event.h"

struct candidate {
	size_t at[HUNT_EVENTS]; /* events, in their order */
	uint32_t count;
	uint32_t gates; /* bits of events that stand in for what is behind */
	bool is_cycle;	/* of locks */
	uint32_t cost;	/* how far from the switches; less is better */
};

/* By cost, each once: those that differ in stacks, kinds and pattern. */
struct candidates {
	VEC(struct candidate) all;
};

/* The events of the run in their order. */
void candidates_find(const struct event *events, size_t count,
		     struct candidates *out);

/* The cycle in which the threads of a deadlock wait for each other's locks, if
 * there is one of at most four: added in front. */
void candidates_add_cycle(const struct event *events, size_t count,
			  const struct control_thread *threads,
			  uint32_t thread_count, struct candidates *out);

/* For candidates in which a thread would be held inside a critical section: the
 * same with the thread held where it took its first lock, in front of them.
 * Inside it would keep out the very threads that others wait for. */
void candidates_add_gates(const struct event *events, size_t count,
			  struct candidates *out);

/* The numbers by which events say that their objects, their threads are the
 * same, in the order of their first appearance. A gate is on any object: a fix
 * may take another lock. */
void candidate_pattern(const struct candidate *c, const struct event *events,
		       uint32_t *objects, uint32_t *threads);

/* Do the two conflict: the order of such events matters. */
bool events_conflict(const struct event *a, const struct event *b);

#endif
