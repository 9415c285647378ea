/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_INQUIRY_H
#define HEDDLE_INQUIRY_H

/*
 * What kind of bug a confirmed suspect is, from the failing run itself and from
 * experiments.
 *
 * The failing run is recorded, and continued by one in which the suspect was
 * reversed and which held: so all is known that the two threads of the suspect
 * do, and in which order they did it. Every way back closes a cycle with the
 * suspect (cycle.h), whose two regions are to be tried as if they were atomic:
 * the failing schedule with the one region whole before the other, and the
 * second right behind the first, before its thread does anything else; and the
 * other way round. If both hold, the regions being atomic is what is missing,
 * and the bug is a violation of atomicity. The smallest regions that hold
 * count: smaller ones let the failure come back as soon as somebody comes right
 * behind them, and larger ones are more than is needed.
 *
 * Where one thread must come first, one of the two orders keeps the order of
 * the suspect and fails, whatever the regions: an order violation.
 *
 * Misses: atomicity of three threads together. Wrong when: the program has
 * another bug that the trials bring out; then the regions are too large, or an
 * order is told.
 */

#include "locate/confirm.h"
#include "locate/cycle.h"
#include "locate/diagnosis.h"

struct inquiry {
	struct captured *run; /* the failing one */
	struct deeds failing; /* and continued; by[0]: the suspect's head */
	struct objects objects;
	bool is_known;	 /* the suspect was found in it */
	bool is_missing; /* its tail did not happen */
	bool is_cycle;
	struct cycle cycle;	/* of a suspect without: its `there` */
	size_t low[2], high[2]; /* regions that hold, in `failing` */
	uint32_t trials;
};

/* 0 in any case but that a run could not be made; `is_known` says whether there
 * is an answer. inquiry_done in any case. */
MUST_USE int inquire(struct again *a, struct gathered *g,
		     const struct suspect *s, const struct confirmation *c,
		     uint64_t deadline, struct inquiry *q, struct err *err);

/* What it says, if it is known. */
struct diagnosis inquiry_diagnosis(const struct inquiry *q);

/* What the suspect is about, and what the way back is about: deeds that
 * happened in the failing run; NULL: there is none. */
const struct deed *inquiry_there(const struct inquiry *q);
const struct deed *inquiry_back(const struct inquiry *q);

/* Does a switch of the failing schedule, where thread `from` stood at `place`
 * and `to` went on, bring the order about? It does where it cuts a region in
 * two, or where it stops the thread of the tail before the tail and the head
 * comes then. */
bool inquiry_realises(const struct inquiry *q, uint16_t from, uint32_t place,
		      uint16_t to);

/* Thread `from` waited or ended, and `to` was chosen to go on: is that how the
 * head came before the tail? */
bool inquiry_is_chosen(const struct inquiry *q, uint16_t from, bool has_ended,
		       uint16_t to);

/* Is it a cycle of these very accesses, whichever way it was entered? */
bool inquiry_is_same(const struct inquiry *q, const struct cycle *c);

void inquiry_done(struct inquiry *q);

#endif
