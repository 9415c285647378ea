/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FREE_RUN_H
#define HEDDLE_FREE_RUN_H

/*
 * A run on all cores that collects access pairs and nothing else, with random
 * delays if wanted. What it prints is kept, for whoever judges it.
 *
 * The region stays, with pairs, modules, threads and stacks, until the next
 * run or free_runs_done. Only the main thread of a process without other
 * children may make runs.
 */

#include "trial/code_loops.h"
#include "trial/drain.h"
#include "trial/launch.h"

struct free_runs {
	struct launch launch;		/* region and streams are filled in */
	uint64_t time_limit;		/* milliseconds */
	uint32_t flags;			/* enum pair_flag */
	const struct code_loops *loops; /* of the program; NULL: not followed */
	struct drain drain;
	bool has_region;
	int output; /* memory file */
	/* Of the last run. */
	int wait_status;
	bool timed_out;
	int stopped_by; /* a signal that told the tool to end, 0: none */
};

void free_runs_init(struct free_runs *f, const struct launch *launch,
		    uint64_t time_limit, uint32_t flags);

/* `delay_us`: threads are delayed up to so long, now and then; 0: not. */
MUST_USE int free_run(struct free_runs *f, uint32_t delay_us, uint64_t seed,
		      struct err *err);

/* What it printed, with a zero byte behind; the caller frees. */
char *free_run_printed(const struct free_runs *f, size_t *size);

void free_runs_done(struct free_runs *f);

#endif
