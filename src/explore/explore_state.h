/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EXPLORE_STATE_H
#define HEDDLE_EXPLORE_STATE_H

/*
 * What an exploration has run so far, as a file (docs/formats.md): the orders
 * of its runs. To go on is to run them again, which costs little beside the
 * questions they answer, and leaves everything else as it was: a program that
 * was built anew, or a file from elsewhere, can only cost runs.
 */

#include "base/err.h"
#include "explore/trace_model.h"

struct explore_state {
	VEC(struct thread_order) orders;
};

void explore_state_add(struct explore_state *s, const struct thread_order *o);
void explore_state_done(struct explore_state *s);

/* A file that is not there is an empty state. */
MUST_USE int explore_state_read(struct explore_state *s, const char *path,
				struct err *err);
MUST_USE int explore_state_write(const struct explore_state *s,
				 const char *path, struct err *err);

#endif
