/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TOLD_STEPS_H
#define HEDDLE_TOLD_STEPS_H

/*
 * Which steps of a run a document tells: all of them if they are few. Of a run
 * that has very many those that a reader looks for: around the steps of the
 * cause and the last signals, the first and the last ones, what each thread did
 * last, and around the last switches. A page of all would be too large for any
 * browser.
 */

#include "report/culprit.h"
#include "report/witness.h"

enum { TOLD_STEPS_MOST = 4000 };

struct told_steps {
	uint32_t *at; /* ascending */
	uint32_t count;
	/* Of each location of the witness its number among those that are told,
	 * WITNESS_NONE: nothing that is told refers to it. */
	uint32_t *locations;
};

/* told_steps_done frees it. */
struct told_steps told_steps_choose(const struct witness *w,
				    const struct culprit *c);
void told_steps_done(struct told_steps *t);

/* The number of a step among those that are told, or WITNESS_NONE. */
uint32_t told_steps_number(const struct told_steps *t, uint32_t step);

/* The number of a location among those that are told. */
uint32_t told_steps_location(const struct told_steps *t, uint32_t location);

/* How many steps are left out before the n-th that is told; the run may have
 * had more than the witness knows. */
uint64_t told_steps_skipped(const struct told_steps *t, const struct witness *w,
			    uint32_t n);

#endif
