/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RACING_H
#define HEDDLE_RACING_H

/*
 * The data races of one run under control that was recorded (CONTROL_RECORD):
 * its events are written as a trace in memory, and the analysis of observed
 * runs looks at it. A race counts whether or not it did harm in this run.
 *
 * Finding words for a race costs more than all the rest, and runs of one
 * program have the same few races, so words are remembered by the places that
 * raced.
 *
 * Whoever wants the events themselves sets `path`: the trace of each run that
 * is recorded replaces that file.
 */

#include "analysis/keymap.h"
#include "base/err.h"
#include "base/vec.h"
#include "trial/drain.h"

/* What is said of a failure beyond what the guest tells. */
struct remark {
	char *text; /* "on global x: read in g (x.c:9), write in f (x.c:3)" */
	char *identity; /* what is the same for the same bug; NULL: the text */
	char *details;	/* lines: both stacks and locks; may be NULL */
};

struct racing {
	const char *path; /* where the trace of a run is left; NULL: nowhere */
	int fd;		  /* memory file, during a run that is left nowhere */
	VEC(struct remark) all; /* of the last run; not owned */
	VEC(struct remark) known;
	struct keymap keys; /* places -> known, from 1 */
};

/* Around a run: begin, then drain_full as long as it lasts, for the region is
 * small; end, which looks for races if `is_wanted`. */
MUST_USE int racing_begin(struct racing *r, struct drain *d, struct err *err);
MUST_USE int racing_end(struct racing *r, struct drain *d, bool is_wanted,
			struct err *err);

/* What was found in the last run. */
void racing_forget(struct racing *r);
void racing_copy(struct racing *to, const struct racing *from);
void racing_done(struct racing *r);

#endif
