/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LAUNCH_H
#define HEDDLE_LAUNCH_H

/*
 * Starts a program with the guest inside, as a child that dies with the tool.
 */

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct launch {
	char *const *argv;   /* program and arguments, NULL at the end */
	const char *program; /* its path; NULL: argv[0] says */
	const char *guest;   /* libheddle.so, for programs that do not link it;
			      NULL: they run without */
	int region;	     /* descriptor of the shared memory */
	sigset_t mask;	     /* of signals, for the program */

	/* For runs that must be alike. */
	bool is_fixed;	       /* addresses are not randomised */
	bool is_apart;	       /* a process group of its own: what the
				  keyboard sends is the tool's alone */
	int cpu;	       /* the one processor it runs on; -1: any */
	int streams[3];	       /* standard streams; -1: the tool's own */
	const char *directory; /* to run in; NULL: the tool's own */

	/* For a worker: whether each run is a process started for it; where
	 * such runs happen; and what another thread sets to have a request
	 * given up, or NULL. */
	bool is_fresh;
	bool is_free; /* runs are perturbed, on all processors, and not under
			 control */
	bool is_ready_idle; /* runs begin where the program listens and waits */
	bool is_before_main; /* runs begin there, wherever it is ready */
	uint64_t ready_ms;   /* for it to get ready; 0: as long as it takes */
	bool has_pairs;	     /* pairs can be asked for (CONTROL_PAIRS) */
	bool has_scratch;    /* each in an empty directory, with copies of: */
	const char *const *inputs;
	size_t input_count;
	_Atomic bool *stop;
};

/* Returns the child once it runs the program, -1 when it cannot be run. */
pid_t launch_start(const struct launch *launch, struct err *err);

#endif
