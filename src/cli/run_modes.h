/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUN_MODES_H
#define HEDDLE_RUN_MODES_H

/*
 * The two ways of heddle run: observe (once, threads free) and control (many
 * times, a strategy chooses). cmd_run.c has the options of both, and sees to
 * it that those of one are not given with the other.
 */

#include "base/args.h"
#include "base/err.h"
#include "cli/view.h"

struct run_options {
	const char *store;
	uint64_t keep;
	struct view_options view;

	/* Observing. */
	bool observe, all;
	uint64_t time;
	const char *trace;

	/* Controlling. */
	const char *strategy;
	uint64_t depth, runs, time_for, seed, jobs;
	bool spurious, exec, all_failures;
	const char *ready;
	const char *points;
	const char *expect, *check;
	struct arg_list inputs;
	uint64_t hang, max_points, memory;
};

/* Each returns the exit status, or -1. `guest` is libheddle.so. */
MUST_USE int run_observe(const struct run_options *o, const char *guest,
			 char **argv, struct err *err);
MUST_USE int run_control(const struct run_options *o, const char *guest,
			 char **argv, struct err *err);

#endif
