/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUN_ARGS_H
#define HEDDLE_RUN_ARGS_H

/*
 * Rows of the option tables of verbs that run a program many times (run, test,
 * explore, expose), said once: what is judged, how a run starts, where it is
 * given up, what is kept. The struct of the verb's options has members of these
 * names; in its defaults stands RUN_ARGS_DEFAULTS.
 */

#include "base/args.h"
#include "store/store.h"

#define RUN_ARGS_DEFAULTS                                                      \
	.hang = 10000, .max_points = 1000000, .memory = UINT64_C(4) << 30,     \
	.store = STORE_DEFAULT, .keep = 20

/* Members jobs. */
#define RUN_ARGS_JOBS(type)                                                    \
	ARG_NUMBER(type, jobs, "jobs", 'j', "J",                               \
		   "runs at a time (as many as processors)")

/* Members expect, check. */
#define RUN_ARGS_JUDGED(type)                                                  \
	ARG_PATH(type, expect, "expect", 0, "FILE",                            \
		 "what standard output has to be"),                            \
		ARG_STRING(type, check, "check", 0, "COMMAND",                 \
			   "judges what was printed, by its exit status")

/* Members exec, inputs. */
#define RUN_ARGS_START(type)                                                   \
	ARG_FLAG(type, exec, "exec", 0,                                        \
		 "start each run afresh, in a directory of its own"),          \
		ARG_PATHS(type, inputs, "input", 0, "FILE",                    \
			  "a file that the program reads; may be repeated")

/* Members hang, max_points, memory. */
#define RUN_ARGS_LIMITS(type)                                                  \
	ARG_DURATION(type, hang, "hang", 0, "TIME",                            \
		     "without a point, until a run counts as hung (10s)"),     \
		ARG_NUMBER(type, max_points, "max-points", 0, "N",             \
			   "where a controlled run is given up (1000000)"),    \
		ARG_SIZE(type, memory, "memory", 0, "SIZE",                    \
			 "that a run may use (4G)")

/* Members store, keep. */
#define RUN_ARGS_KEPT(type)                                                    \
	ARG_PATH(type, store, "store", 0, "DIR",                               \
		 "keep what is found in DIR (.heddle)"),                       \
		ARG_NUMBER(type, keep, "keep", 0, "N", "keep the last N (20)")

#endif
