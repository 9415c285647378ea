/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TESTER_H
#define HEDDLE_TESTER_H

/*
 * The whole job for one command: watch it once, look for schedules that break
 * it by every way there is, within a budget of time, and gather what is known
 * of what broke.
 *
 * First a free run is watched: its data races, its lock cycles, and what could
 * go wrong in it (expose.h). Then the ways take turns. A turn of a strategy is
 * a campaign of some runs, four times as many in each round; a strategy whose
 * runs were nearly all repeats of schedules already seen sits out a round. So
 * the first schedules are of all kinds, since which one breaks a program is not
 * known, and later the time goes to what still finds something new. In each
 * round the program is explored as well (explorer.h), twice as long as in the
 * round before, and going on from there: a small program to its end, and then
 * nothing is left to look for. A round with no end in sight is followed by one
 * without exploring. Of a program that was not explored to its end in the first
 * round, what could go wrong in the watched run is forced.
 *
 * An interrupt ends the search; what was found until then is gathered all the
 * same.
 */

#include "base/vec.h"
#include "cli/evidence.h"
#include "format/verdict.h"
#include "trial/feed.h"
#include "trial/outputs.h"

#include <jansson.h>

struct tester_options {
	char **argv;
	const char *guest, *store;
	uint64_t keep;
	uint64_t budget_ms, seed;
	uint32_t jobs;
	bool all;   /* go on after the first failure */
	bool races; /* a data race is a failure */
	bool exec;
	const char *expect, *check;
	const char *const *inputs;
	size_t input_count;
	uint64_t hang_ms, points_most, memory_most;
	bool is_quiet; /* no line of progress */
};

/* One way, and what came of it. */
struct tester_way {
	const char *name;
	uint64_t runs, distinct;
	double seconds;
};

/* How many distinct schedules there were after how many runs. */
struct tester_mark {
	uint64_t runs, distinct;
};

/* How many of the feasible interleavings were exercised by when. */
struct tester_moment {
	double seconds;
	int exercised;
};

struct tester_bug {
	struct evidence evidence;
	char *name;	    /* of the repro */
	uint64_t schedules; /* that were tried until it was found */
	double seconds;	    /* when it was found */
	bool is_known;	    /* in the baseline */
};

struct tested {
	enum exit_status status;
	char *unknown; /* why it is unknown; or NULL */
	uint64_t schedules, distinct;
	double seconds;
	int stopped_by;	  /* signal; 0: none */
	bool is_complete; /* every causal class was tried */
	uint64_t classes; /* that were explored */
	/* Of the run that was watched; -1: it could not be. */
	int races, cycles, feasible, exercised;
	char *native_ending; /* how it ended, if that was a failure */
	VEC(struct tester_way) ways;
	VEC(struct tester_mark) curve;
	VEC(struct tester_moment) coverage; /* if feasible > 0 */
	VEC(struct tester_bug) bugs;
	VEC(char *) notes;
};

/* -1 when it could not be run at all; tested_done in any case. */
MUST_USE int tester_run(const struct tester_options *o, struct tested *t,
			struct err *err);
void tested_done(struct tested *t);

/* As an object (docs/formats.md, "Tests"). */
json_t *tested_json(const struct tested *t, char *const *argv);

#endif
