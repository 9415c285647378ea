/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EDIT_DISTANCE_H
#define HEDDLE_EDIT_DISTANCE_H

/*
 * How far two sequences of numbers are apart: the fewest insertions, deletions
 * and replacements that make one into the other (Wagner and Fischer 1974), by
 * one row of their table. Guest and tool compare call stacks by it, so both
 * have the same lines.
 */

#include <stdint.h>

enum { EDIT_MOST = 64 }; /* longer ones are cut */

static inline uint32_t edit_least(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t least = a < b ? a : b;

	return least < c ? least : c;
}

static inline uint32_t edit_distance(const uint32_t *a, uint32_t a_count,
				     const uint32_t *b, uint32_t b_count)
{
	uint32_t row[EDIT_MOST + 1];

	if (a_count > EDIT_MOST)
		a_count = EDIT_MOST;
	if (b_count > EDIT_MOST)
		b_count = EDIT_MOST;
	for (uint32_t j = 0; j <= b_count; j++)
		row[j] = j;
	for (uint32_t i = 0; i < a_count; i++) {
		uint32_t corner = row[0]; /* of the row before, one left */

		row[0] = i + 1;
		for (uint32_t j = 0; j < b_count; j++) {
			uint32_t above = row[j + 1];

			row[j + 1] = edit_least(above + 1, row[j] + 1,
						corner + (a[i] != b[j]));
			corner = above;
		}
	}
	return row[b_count];
}

#endif
