/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EXPLORE_STATE_H
#define HEDDLE_EXPLORE_STATE_H

/*
 * What an exploration has run so far, as a file (docs/formats.md): the orders
 * of its runs, and of those that nothing is left to ask about what they came
 * to. To go on is to run them again, which costs little beside the questions.
 * Where all of them come to the same, the answers are the same as well; so a
 * program that was built anew, or a file from elsewhere, can only cost time.
 */

#include "base/err.h"
#include "explore/trace_model.h"

struct explored {
	struct thread_order order;
	/* Nothing is left to ask about it: what it came to, as a number. 0:
	 * there is. */
	uint64_t done;
};

struct explore_state {
	VEC(struct explored) runs;
};

void explore_state_add(struct explore_state *s, const struct thread_order *o,
		       uint64_t done);
/* Takes the last one back. */
void explore_state_drop(struct explore_state *s);
/* No run is done any more. */
void explore_state_reopen(struct explore_state *s);
void explore_state_done(struct explore_state *s);

/* A file that is not there is an empty state. */
MUST_USE int explore_state_read(struct explore_state *s, const char *path,
				struct err *err);

/* All of the one, and of the other those from a number on. What is there at the
 * moment stays until all is written. */
MUST_USE int explore_state_write(const struct explore_state *s,
				 const struct explore_state *rest, size_t from,
				 const char *path, struct err *err);

#endif
