/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DEEDS_H
#define HEDDLE_DEEDS_H

/*
 * What two threads did to memory in one run under control, access by access, in
 * the order of the run; and who had the turn when. Where access pairs tell the
 * first time that something happened, deeds tell every time.
 *
 * Memory is an object and bytes of it: a block that was freed and given out
 * again is another object. A thread, a place and a way are those of struct
 * pair_names, an object has the same number in all runs that were read with the
 * same struct objects; so deeds of different runs can be compared.
 *
 * A run that ended early can be *continued*: what a thread would have done
 * further on is taken from a run that did not. Those deeds have not happened.
 */

#include "locate/pair_run.h"
#include "trace/location.h"

#define DEED_NEVER UINT64_MAX

struct deed {
	uint64_t when; /* ascends in the order of the run; DEED_NEVER */
	uint64_t addr;
	uint64_t offset, size; /* in the object */
	uint32_t object;
	struct location where; /* in numbers of its run */
	uint32_t place, way;
	uint32_t count; /* accesses of its thread up to this one */
	uint16_t thread;
	bool reads, writes;
	bool is_next; /* continued: counted in the other run */
};

struct objects {
	struct keymap map;
	uint32_t count;
};

/* A thread had the turn from its event `first` on. */
struct deed_turn {
	uint64_t first, last;
	uint16_t thread;
	uint32_t place; /* of the first event; 0: unknown */
	bool is_over;	/* it ended then */
};

struct deeds {
	VEC(struct deed) by[2]; /* of either thread */
	VEC(struct deed_turn) turns;
	uint16_t thread[2];
	bool is_cut; /* there were too many */
};

/* Reads the trace of the run that `k` names, to its end. */
void deeds_read(struct deeds *d, struct trace *t, struct pair_taking *k,
		struct objects *objects);

/* Appends what the threads did in `whole` behind the last that they did here:
 * behind the same place, the same time that the thread came there. */
void deeds_continue(struct deeds *d, const struct deeds *whole);

/* Leaves out what the other thread has nothing to do with: accesses to bytes
 * that only one of them touches, or that nobody writes. */
void deeds_keep_shared(struct deeds *d);

void deeds_done(struct deeds *d);
void objects_done(struct objects *o);

static inline bool deed_meets(const struct deed *a, const struct deed *b)
{
	return a->object == b->object && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

static inline bool deeds_conflict(const struct deed *a, const struct deed *b)
{
	return (a->writes || b->writes) && deed_meets(a, b);
}

#endif
