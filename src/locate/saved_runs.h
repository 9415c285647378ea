/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SAVED_RUNS_H
#define HEDDLE_SAVED_RUNS_H

/*
 * Runs as files: the *.pairs of <dir>/pass and <dir>/fail, each as pair_text.c
 * writes it. Given runs must be of one program with one input, or comparing
 * them means nothing.
 */

#include "locate/gather.h"

MUST_USE int saved_runs_write(const struct gathered *g, const char *dir,
			      struct err *err);

/* The first run of `fail` by name is the failing one; others there must have
 * failed in the same way. */
MUST_USE int saved_runs_read(struct gathered *g, const char *pass,
			     const char *fail, struct err *err);

#endif
