/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FEED_H
#define HEDDLE_FEED_H

/*
 * Standard input for many runs: what stands on the tool's own, a file or a
 * pipe, is read once and given to every run from its beginning. From a
 * terminal or a device nothing is read, and runs have an empty input.
 */

#include "base/err.h"

#include <stddef.h>

struct feed {
	int fd;	    /* memory file, -1: there is none */
	char *text; /* the same, NULL: there is none */
	size_t size;
};

/* Reads what can be read from `from`. On a pipe somebody may never write or
 * close: when nothing has come for a second it is left alone, with a warning.
 */
MUST_USE int feed_init(struct feed *f, int from, struct err *err);
void feed_done(struct feed *f);

#endif
