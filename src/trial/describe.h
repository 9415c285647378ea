/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DESCRIBE_H
#define HEDDLE_DESCRIBE_H

/*
 * Fills in what a plan has for people: names of threads, and for each step
 * the function, file and line where its thread stood, with the text of that
 * line; and how those places are found again in another build (moved.h). It
 * costs a look into debug information and sources, so it is done for plans
 * that are kept.
 */

#include "trial/captured.h"

/* The line of a source file, without the blanks around it; NULL when it cannot
 * be had. The caller frees. */
char *describe_line(const char *path, int number);

void plan_describe(struct plan *plan, const struct captured *run);

#endif
