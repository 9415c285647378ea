/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PROGRAM_H
#define HEDDLE_PROGRAM_H

/*
 * The program to be run, looked at before it is: found as execvp would find
 * it, but without a shell; checked to be something this machine can execute
 * and the guest can enter. What cannot work is refused here, in one sentence,
 * before anything was started.
 */

#include "base/err.h"

#include <stdbool.h>

struct program {
	char *path;	  /* what is executed */
	bool links_guest; /* libheddle.so is among what it needs */
	bool is_script;	  /* then everything above is about the script */
};

/* program_done in any case. */
MUST_USE int program_find(struct program *p, const char *name, struct err *err);
void program_done(struct program *p);

/* The same for a program that the guest need not enter. */
MUST_USE int program_find_any(struct program *p, const char *name,
			      struct err *err);

/* Why exec failed, for what program_find could not see. Returns -1. */
int program_explain(const struct program *p, int errnum, struct err *err);

#endif
