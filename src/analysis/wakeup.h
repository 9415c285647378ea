/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WAKEUP_H
#define HEDDLE_WAKEUP_H

/*
 * Wake-ups that may be lost: a thread takes a mutex, sees that it has to wait,
 * and before it does another one signals, without that mutex. Nobody is there
 * to be woken.
 *
 * Finds: every pair of a wait for a condition and a signal or broadcast of it
 * by another thread that did not hold the mutex of the wait, by their places.
 * Misses: what did not wait in this run; waits whose condition is looked at
 * before the mutex is taken, for there a signal with the mutex is lost as well.
 * Wrong when: often, for to signal without the mutex is allowed if what the
 * others wait for was changed with it. What a pair is worth, runs must show.
 *
 * Events are fed in the order of the run, after the lock sets.
 */

#include "analysis/finding.h"
#include "analysis/lockset.h"

struct wakeup_place {
	uint32_t site;	/* 0: there is none */
	uint32_t calls; /* that lead there, as trace_calls_hash has it */
};

struct wakeup_finding {
	uint64_t cond;
	struct location where;
	struct wakeup_place locked; /* the last lock taken before the wait */
	struct wakeup_place wait;
	struct wakeup_place prior; /* the last one before the signal, if any */
	struct wakeup_place signal;
	uint32_t thread; /* that signalled: an example */
};

struct wakeup_inputs {
	struct locations *where; /* NULL: conditions are known by address */
	struct locksets *locks;
	struct wakeup_place (*place_of)(const void *self, uint32_t stack);
	const void *self;
};

struct wakeups;

struct wakeups *wakeups_new(const struct wakeup_inputs *inputs);
void wakeups_free(struct wakeups *w);
void wakeups_feed(struct wakeups *w, const struct event *e);

bool wakeup_is_at(const struct wakeup_place *a, const struct wakeup_place *b);

/* Is one with these four places among them? */
bool wakeup_is_known(const struct wakeup_finding *all, size_t count,
		     const struct wakeup_finding *f);

/* One for each four places, in the order in which their signals were met. The
 * caller frees the array. */
struct wakeup_finding *wakeups_find(struct wakeups *w, size_t *count);

#endif
