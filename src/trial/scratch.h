/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SCRATCH_H
#define HEDDLE_SCRATCH_H

/*
 * A directory for one run at a time, for programs that change files: empty but
 * for copies of the files the run is given, at the same path for every run of
 * a worker, and gone when the worker is.
 */

#include "base/err.h"

#include <stddef.h>

struct scratch {
	char *base; /* NULL: there is none */
	char *path; /* where runs happen */
};

MUST_USE int scratch_init(struct scratch *s, struct err *err);

/* An empty directory with copies of `files`, by their last names. */
MUST_USE int scratch_fill(struct scratch *s, const char *const *files,
			  size_t count, struct err *err);
void scratch_done(struct scratch *s);

/* Can these files be copied? Said before a program is run with them. */
MUST_USE int scratch_check(const char *const *files, size_t count,
			   struct err *err);

#endif
