/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TRIAL_H
#define HEDDLE_TRIAL_H

/*
 * One execution of a program under observation.
 *
 * trial_run makes the region, starts the program with the guest inside, and
 * carries events from the region into the trace until the program is gone. The
 * program keeps the tool's standard streams, its place in the foreground and
 * its signals: an interrupt from the keyboard reaches it by itself, one sent
 * to the tool alone is passed on. The tool survives both and keeps the trace.
 *
 * A disk that fills up must not stop the program: from the first failed write
 * on events are drained and thrown away, and `trace_error` says why.
 *
 * How the program ends is data (verdict, why), never an error. trial_run
 * blocks signals and waits for a child, so only the main thread of a process
 * without other children may call it, one trial at a time.
 */

#include "base/err.h"
#include "format/verdict.h"

#include <stdbool.h>
#include <stdint.h>

struct trial {
	char *const *argv;   /* program and arguments, NULL at the end */
	const char *trace;   /* path of the trace to write */
	const char *guest;   /* libheddle.so, for programs that do not link
				 it; NULL: they run without */
	bool record_all;     /* filter nothing out */
	uint64_t time_limit; /* milliseconds, 0: none; then it is killed */
	bool is_quiet;	     /* what it prints is thrown away, and it is killed
				when all its threads wait for each other */
	int input;	     /* if quiet: what it reads; -1: nothing */
};

/* How a program ended. What a program did to itself (a status, a crash) is
 * its bug; a signal that others send (an interrupt, a kill, our time limit)
 * leaves it unknown. */
struct ending {
	enum exit_status verdict;
	char text[120]; /* "was killed by SIGSEGV (Segmentation fault)" */
};

struct ending ending_of(int wait_status);

struct trial_result {
	struct ending ending;
	bool attached;	   /* the guest was inside */
	bool instrumented; /* the program calls our hooks */
	bool is_stuck;	   /* it was killed for that */
	bool timed_out;	   /* its time was up */
	bool trace_is_whole;
	struct err trace_error; /* if not */
};

/* -1 when the program could not be run or nothing could be written. */
MUST_USE int trial_run(const struct trial *trial, struct trial_result *result,
		       struct err *err);

#endif
