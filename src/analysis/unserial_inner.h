/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_UNSERIAL_INNER_H
#define HEDDLE_UNSERIAL_INNER_H

/*
 * What the files of unserial share: unserial.c writes every access down as a
 * touch of each granule it covers, unserial_place.c makes the candidates of
 * one granule when its memory ends or the run does, unserial_gap.c measures how
 * long R may come between, unserial_rank.c puts them in order.
 *
 * Touches of one granule hang together, newest first; their numbers ascend in
 * the order of events.
 */

#include "analysis/granules.h"
#include "analysis/happens.h"
#include "analysis/keymap.h"
#include "analysis/ownsync.h"
#include "analysis/sections.h"
#include "analysis/unserial.h"

enum { TOUCH_READS = 1, TOUCH_WRITES = 2 };

/* The order of every run, that of this run without its locks, and those of one
 * kind of synchronisation each (enum unserial_keeper). */
enum {
	ORDER_SURE,
	ORDER_LIKELY,
	ORDER_KINDS,
	ORDERS = ORDER_KINDS + UNSERIAL_KEEPERS,
};

struct touch {
	uint64_t stamp;
	uint64_t segment;
	uint32_t before; /* the touch of this granule before, 0 none */
	uint32_t clock[ORDERS];
	uint32_t sections;
	uint32_t stack, site;
	uint32_t thread;
	uint32_t mask : 8;    /* bytes of the granule */
	uint32_t effects : 2; /* TOUCH_READS | TOUCH_WRITES */
	uint32_t part : 18;   /* of its access: which granule, from 0 */
	bool is_wide : 1;     /* the access has others, too */
	bool is_earlier : 1;  /* stamp and sections mean nothing */
	bool is_fresh : 1;    /* nobody else knows the memory yet */
};

struct clock_mark {
	uint64_t segment;
	uint32_t clock;
};

struct clock_marks {
	VEC(struct clock_mark) marks; /* of a thread, ascending */
};

/* A happens-before whose clocks of the past are kept. */
struct kept_order {
	struct happens *now;
	VEC(struct vclock) clocks; /* [0] knows nothing */
	VEC(struct clock_marks) threads;
};

/* A semaphore, as all its events tell. */
struct semaphore {
	uint64_t initial;
	uint32_t inits, poster; /* poster + 1; UINT32_MAX: several */
	uint64_t posts;		/* so far */
	/* Some thread posts what it did not wait for, or waits twice: it is no
	 * mutex. */
	bool is_uneven;
};

/* Touches that are alike but for their time. */
struct touch_class {
	const struct touch *example;
	uint32_t set;	       /* of locks */
	VEC(uint32_t) touches; /* in the order of their thread */
};

/* A dynamic pair of accesses of one thread. */
struct touch_pair {
	const struct touch *p, *c;
	uint32_t p_number, c_number;
	uint8_t mask; /* bytes of C whose preceding access is P */
};

/* From `low` up to `high` in a class. */
struct touch_window {
	size_t low, high;
};

/* What the pair in hand has added to a candidate. */
struct unserial_tally {
	uint64_t pair, gap;
	bool is_feasible, is_exercised, is_loose;
};

struct unserial {
	struct unserial_inputs in;
	struct ownsync *own; /* NULL: unknown */
	bool was_shown;	     /* what semaphores do was taken in */
	struct locksets *locks;
	struct sections sections;
	struct kept_order order[ORDERS];
	struct keymap semaphores; /* by address: index + 1 */
	VEC(struct semaphore) sems;
	struct keymap waits;  /* by address and thread: how many */
	struct keymap inside; /* the same: waited and not posted, foreseen */
	struct granules granules;
	VEC(struct touch) touches; /* [0] unused */

	VEC(uint32_t) gathered; /* of the granule in hand */
	VEC(struct touch_class) classes;
	size_t class_count;
	uint64_t addr;

	struct keymap by_sites; /* of P and C: index + 1 of the pair */
	uint32_t pair_count;
	struct keymap by_remote; /* of the pair, and R with the pattern */
	VEC(struct unserial_candidate) found;
	VEC(struct unserial_tally) tallies; /* of the same index */
	uint64_t pair;			    /* dynamic ones, counted */
	struct keymap wide; /* by P, C and candidate: index + 1 of the gap */
	VEC(uint64_t) gaps;
	VEC(uint64_t) shared; /* by thread: its accesses to shared memory */
	double pi, ui;
	struct keymap shared_sites;
	VEC(uint32_t) shared_site_list;
};

static inline const struct vclock *touch_clock(const struct unserial *u,
					       const struct touch *t,
					       unsigned int order)
{
	return &u->order[order].clocks.at[t->clock[order]];
}

static inline const struct touch *touch_at(const struct unserial *u, uint32_t n)
{
	return &u->touches.at[n];
}

/* An instance of the candidate: what those of the class that are in the window
 * add to its gap, and how near they were. */
void unserial_gap(struct unserial *u, struct unserial_candidate *f,
		  const struct touch_pair *pair, const struct touch_class *k,
		  struct touch_window w);

/* The granule's memory is over: `first` is its newest touch. */
void unserial_place(struct unserial *u, uint64_t addr, uint32_t first);

void unserial_measure(const struct unserial *u, struct unserial_sizes *s);
/* Of candidates as they were found. */
void unserial_order(struct unserial_result *r, enum unserial_rank rank);

#endif
