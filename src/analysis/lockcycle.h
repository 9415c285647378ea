/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCKCYCLE_H
#define HEDDLE_LOCKCYCLE_H

/*
 * The lock-order-cycle finder: deadlocks that did not happen this time.
 *
 * Finds: two or more different threads, each of which at some time of this run
 * wanted a lock while holding one that another of them wanted while holding,
 * and so on round, such that the circle can close:
 *   - no lock was held by two of them at their time (a gate that lets only
 *     one in), except for reading by both;
 *   - the moments are pairwise unordered by creating, joining and barriers;
 *   - wanted and held exclude each other: not reading and reading.
 * Misses: cycles of locks that this run did not take in nested order (a run
 * that deadlocked in truth never got the lock, so has no event for it); a
 * thread that waits for its own lock; cycles through conditions, semaphores
 * and joins; cycles longer than LOCKCYCLE_LENGTH; of one thread's acquisition
 * with the same stacks, moments after the first LOCKCYCLE_MOMENTS. When the
 * search is cut short, lockcycles_were_cut says so.
 * Wrong when: something else keeps the threads apart (a flag, a queue, a
 * semaphore), or the data decide that the same objects are never meant.
 * After Havelund, Using Runtime Analysis to Guide Model Checking (Goodlock,
 * 2000), and Bensalem and Havelund, Dynamic Deadlock Analysis of
 * Multi-threaded Programs (2005), for gates and order.
 *
 * Cycles of the same acquisition sites are told once, with their first
 * example, and counted.
 */

#include "analysis/finding.h"
#include "analysis/happens.h"
#include "analysis/lockset.h"

enum {
	LOCKCYCLE_LENGTH = 6,
	LOCKCYCLE_MOMENTS = 64,
	LOCKCYCLE_STEPS = 20000000, /* of the search */
};

struct lockcycle_inputs {
	struct happens *order; /* of flavour HAPPENS_ORDER */
	struct locksets *locks;
	uint32_t (*site_of)(const void *self, uint32_t stack);
	const void *self;
};

struct lockcycles;

struct lockcycles *lockcycles_new(const struct lockcycle_inputs *inputs);
void lockcycles_free(struct lockcycles *c);

/* For every event, after order and lock sets; `acquired` is what locksets_feed
 * returned for it. */
void lockcycles_feed(struct lockcycles *c, const struct event *e,
		     uint32_t acquired);

/* Searches what was fed. The caller owns the array and what the findings
 * point to (lockcycle_done). */
struct lockcycle_finding *lockcycles_find(struct lockcycles *c, size_t *count);
bool lockcycles_were_cut(const struct lockcycles *c);

void lockcycle_done(struct lockcycle_finding *f);

#endif
