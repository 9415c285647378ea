/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_UNUSED_READS_H
#define HEDDLE_UNUSED_READS_H

/*
 * Reads whose value nobody looks at: the register that the load fills is filled
 * anew on every way from there before anything reads it. What such a read gets
 * changes nothing, so it is no question to ask.
 *
 * Told from machine code alone, so a place is unused in every run or in none.
 *
 * Finds: volatile loads and atomic loads whose result is dropped.
 * Misses: values that are stored and never read again, or only added up; and
 * whatever is behind a jump through a table, or too far away.
 * Wrong when: code passes values in registers against the calling convention.
 */

#include "analysis/keymap.h"
#include "format/region.h"

/* Adds the places of such reads in all modules that call our hooks. */
void unused_reads_find(const struct region *r, struct keymap *sites);

#endif
