/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_INTERLEAVING_H
#define HEDDLE_INTERLEAVING_H

/*
 * A schedule as a table: a column for each thread that took part, time goes
 * down, and the cells are lines of the source. Of each stretch that a thread
 * ran without a switch there are two rows: where it went on, and what it
 * stood before when the turn passed; what lies between is left out.
 */

#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct interleaving_style {
	bool is_colourful;
	size_t width; /* columns of the terminal; 0: lines may be long */
	size_t most;  /* stretches shown, the last ones; 0: all */
};

void interleaving_print(const struct plan *plan,
			const struct interleaving_style *style, FILE *out);

#endif
