/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BASELINE_H
#define HEDDLE_BASELINE_H

/*
 * Failures that are known: a file with the identity of one on each line (what
 * makes two failures the same bug, oracle.h), the file name of its program and
 * a blank in front. Lines that begin with # are comments. A failure that is
 * listed is told and does not count.
 */

#include "base/err.h"
#include "base/vec.h"
#include "store/repro.h"

#include <stdbool.h>

struct baseline {
	VEC(char *) lines;
};

/* A file that is not there is an empty one if `may_be_missing`. */
MUST_USE int baseline_read(struct baseline *b, const char *path,
			   bool may_be_missing, struct err *err);
void baseline_done(struct baseline *b);

bool baseline_has(const struct baseline *b, const struct repro *r);
void baseline_add(struct baseline *b, const struct repro *r);

MUST_USE int baseline_write(const struct baseline *b, const char *path,
			    struct err *err);

#endif
