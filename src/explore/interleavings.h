/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_INTERLEAVINGS_H
#define HEDDLE_INTERLEAVINGS_H

/*
 * The unserializable interleavings (analysis/unserial.h) that really happened
 * in the runs of an exploration: an access R of one thread between two
 * accesses, P and C, of another, to the same bytes, none of its own between.
 * P, R and C depend on each other: all schedules of one class have the same,
 * and a complete search by DPOR or DFS has seen every one there is. What an
 * analysis calls impossible can be checked against it.
 *
 * Misses: accesses before the first thread is created, of which a run tells
 * nothing, and those to places that are not shared. An address is one
 * location, whatever was allocated there.
 */

#include "explore/run_trace.h"

struct interleaving_seen {
	uint32_t p, r, c; /* sites */
	uint8_t pattern;  /* enum unserial_pattern */
};

struct interleavings {
	VEC(struct interleaving_seen) all; /* each once */
};

void interleavings_add(struct interleavings *s, const struct run_trace *t);

#endif
