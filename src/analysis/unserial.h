/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_UNSERIAL_H
#define HEDDLE_UNSERIAL_H

/*
 * Unserializable interleavings: where an access of another thread could come
 * between two accesses of one thread, to the same bytes, such that no serial
 * order of the threads has the same outcome. An access C, the preceding access
 * P of its thread to those bytes, and a remote access R make one of
 *
 *     P R C                        P R C
 *     R-W-R  two reads differ      W-R-W  a value meant for nobody is read
 *     W-W-R  a write is lost       R-W-W  an update is lost
 *
 * A candidate is (site of P, site of C, site of R, pattern); one dynamic pair
 * (P, C) on one granule of 8 bytes is an instance of it.
 *
 * Finds: every candidate of the run by definition, exact to the byte, and
 * whether R can come between P and C in another schedule:
 *   - not if R is ordered before P or after C by what orders the same way in
 *     every run: creating and joining threads, barriers, notes, and a
 *     semaphore that one thread alone posts to (the n-th wait of a thread is
 *     after post n minus the initial value, whoever else waits);
 *   - not if one critical section holds both P and C, and R holds the same
 *     lock. Two sections of the same lock protect nothing. A semaphore that
 *     begins with one, and that every thread takes and gives back by turns, is
 *     a lock;
 *   - not if what the program made for itself keeps them apart: loops that
 *     wait, queues, locks of atomics, memory that nobody knows yet (ownsync.h).
 * Memory that is allocated, mapped, or becomes a thread's stack is new: what
 * was accessed there before is another location.
 * A candidate is told as *likely ordered* when conditions, once, semaphores
 * and atomics kept all its instances apart in this run: these order by
 * luck or by design, and a trace does not tell which.
 * Misses: accesses that left no event; the bytes behind the first MiB of one
 * access. What a run would do differently, once its reads see other values.
 * Wrong when: an access was told afterwards (EARLIER). Its time and locks are
 * unknown; it counts as unprotected, so that nothing is pruned that could be.
 * Which of two of one segment was P is a guess then.
 * After Lu, Park and Zhou, Finding Atomicity-Violation Bugs through
 * Unserializable Interleaving Testing (TSE 2012), sections 3 and 5.
 *
 * Gap: how long R may come between, in stamps, over all instances, those of one
 * P and C on several granules counting once: from P, or from the end of a
 * section of P whose lock R needs, to C, or to the beginning of such a section
 * of C (the paper's Figure 8b). Distance: how far the nearest R was from such a
 * window.
 *
 * Time is that of a sort of the accesses to each location, and for each
 * pair of accesses that of a search among the remote sites.
 */

#include "analysis/finding.h"
#include "base/err.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unserial_pattern {
	UNSERIAL_RWR,
	UNSERIAL_WWR,
	UNSERIAL_WRW,
	UNSERIAL_RWW,
	UNSERIAL_PATTERNS,
};

enum unserial_status {
	UNSERIAL_OPEN,	    /* may happen, and has not yet */
	UNSERIAL_LIKELY,    /* may happen, but was ordered throughout */
	UNSERIAL_EXERCISED, /* did happen in this run */
	UNSERIAL_PRUNED,    /* cannot happen */
};

/* Why the first instance that was looked at cannot happen. */
enum unserial_why {
	UNSERIAL_FEASIBLE,
	UNSERIAL_BEFORE, /* R is always over when P comes */
	UNSERIAL_AFTER,	 /* R comes always after C */
	UNSERIAL_LOCKED, /* `lock` keeps R out of the section of P and C */
	UNSERIAL_FRESH,	 /* nobody else knows the block then */
};

/* What kept the instances of a candidate apart that is likely ordered. */
enum unserial_keeper {
	UNSERIAL_CONDITIONS,
	UNSERIAL_SEMAPHORES,
	UNSERIAL_ONCE,
	UNSERIAL_ATOMICS,
	UNSERIAL_KEEPERS,
};

struct unserial_side {
	uint32_t site, stack, thread; /* stack and thread: an example */
	/* Where the outermost critical section is entered in which a thread
	 * that waits right before the access would keep the other side out; 0:
	 * there is none. Of P always 0. */
	uint32_t gate;
};

struct unserial_candidate {
	struct unserial_side p, c, r;
	enum unserial_pattern pattern;
	uint64_t addr; /* of the example's bytes, and what they are */
	struct location where;
	uint64_t pairs;	    /* dynamic (P, C), on each granule */
	uint64_t instances; /* of these, with an R that could come between */
	uint64_t exercised; /* of these, with one that did */
	uint64_t loose;	    /* of `instances`, not ordered by anything */
	uint64_t gap;	    /* of all instances together */
	uint64_t distance;  /* the least of all instances */
	enum unserial_status status;
	enum unserial_why why;
	uint8_t keepers;       /* bits, by enum unserial_keeper */
	struct held_lock lock; /* if UNSERIAL_LOCKED */
};

/* How many tests complete coverage takes, for the accesses of this run to
 * locations that two threads touched, as decimal logarithms; -1 for none. */
struct unserial_sizes {
	uint64_t accesses;
	uint32_t threads;
	double all;   /* every order of all accesses */
	double tpair; /* every order of the accesses of two threads */
	double pi;    /* every P, C and R of two threads, at one location */
	double ui;    /* every C */
};

struct unserial_result {
	struct unserial_candidate *at; /* by rank */
	size_t count;
	size_t by_status[4];
	/* Static instructions that touch memory of several threads, and those
	 * of them that are the C of a candidate that may happen or did: the
	 * potential and the feasible ones of the paper's Table 8. */
	size_t sites, sites_feasible;
	uint32_t *site_list; /* the potential ones */
	/* Reads that wait for a condition, as was seen: other runs in which
	 * they did not have to can be told. */
	uint32_t *waiting;
	size_t waiting_count;
	struct unserial_sizes sizes;
};

enum unserial_rank {
	UNSERIAL_BY_GAP,     /* rarest first */
	UNSERIAL_FIRST_COME, /* in order of discovery, for comparison */
};

/* Reads the trace, two or three times, from its beginning to its end. */
struct unserial_result *unserial_of(struct trace *t, enum unserial_rank rank);

struct unserial_how {
	enum unserial_rank rank;
	/* A place is a call stack: `site` of a side is its number. */
	bool is_by_stack;
	const uint32_t *waiting; /* of another run, as sites */
	size_t waiting_count;
};

struct unserial_result *unserial_by(struct trace *t,
				    const struct unserial_how *how);
void unserial_free(struct unserial_result *r);

/* Adds what another run of the program shows to be possible, with the same
 * numbers of sites. What happened there does not count as exercised: who makes
 * several runs has made them differ on purpose. Takes `other` over. */
void unserial_merge(struct unserial_result *r, struct unserial_result *other,
		    enum unserial_rank rank);

/* "a condition" */
const char *unserial_keeper_text(enum unserial_keeper k);

/* "R-W-R" */
const char *unserial_pattern_text(enum unserial_pattern p);

/* ---- the same by single events ---- */

struct unserial_inputs {
	struct trace *trace;	 /* NULL: there are no stacks to forget */
	struct locations *where; /* NULL: places are told as addresses */
	/* The innermost site of a stack; NULL: each stack is a site. */
	uint32_t (*site_of)(const void *self, uint32_t stack);
	const void *self;
	/* Every access has an event: it can be told what the program made for
	 * itself (ownsync.h). */
	bool is_whole;
};

struct unserial;

struct unserial *unserial_new(const struct unserial_inputs *inputs);

/* Reads there wait for a condition, as another run has shown. */
void unserial_learn(struct unserial *u, uint32_t site);

/* All events of the run are shown first, each thread's in order, once more if
 * that is wanted, and then fed in the order of the run. Those that were not
 * shown count as unknown: less is pruned. */
void unserial_foresee(struct unserial *u, const struct event *e);
bool unserial_wants_more(struct unserial *u);
void unserial_feed(struct unserial *u, const struct event *e);

/* Ends and frees it. */
struct unserial_result *unserial_end(struct unserial *u,
				     enum unserial_rank rank);

#endif
