/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PROC_H
#define HEDDLE_PROC_H

/*
 * Runs a program of the machine for what it prints.
 */

#include "base/err.h"

#include <stdint.h>

struct proc_output {
	char *text; /* standard output and error together; the caller frees */
	int wait_status;
};

/* argv[0] is found in PATH; standard input is empty; `extra` (may be NULL) is
 * one "NAME=value" put into its environment. Killed after `limit`
 * milliseconds, which is an error. */
MUST_USE int proc_capture(char *const *argv, const char *extra, uint64_t limit,
			  struct proc_output *out, struct err *err);

#endif
