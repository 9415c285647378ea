/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BLENDS_H
#define HEDDLE_BLENDS_H

/*
 * Writes that keep a part of what was there: a field of a few bits is stored by
 * a load and a store of its whole word behind a single hook, and the hook says
 * nothing of the load. Such a write reads as well.
 *
 * A thread that has read the same writes the same. So a write that left
 * something else behind after the same history, in another run, is a blend, and
 * so is every write from that place of code.
 *
 * Owned by an exploration. Places are found while its lock is held, and settled
 * while no run is under way.
 */

#include "explore/run_trace.h"

struct blends {
	struct keymap sites;
	VEC(uint32_t) found; /* sites that are not settled yet */
	struct keymap left; /* thread and history: what the write left behind */
	uint32_t kept;
};

/* Looks at a run. True: there is a place that was taken for a plain write, so
 * what was found out before is worth nothing. */
bool blends_learn(struct blends *b, const struct run_trace *t);

/* From here on runs are taken with what was found. */
void blends_settle(struct blends *b);

/* Were there such writes that another thread could have come in between: of
 * the word that they load and store? No schedule does, for no point lies
 * there. */
bool blends_are_torn(const struct blends *b, const struct run_trace *t);

void blends_done(struct blends *b);

#endif
