/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LIVES_H
#define HEDDLE_LIVES_H

/*
 * Which lines of a run the lives of its threads alone keep apart: what a thread
 * does is after its creation, and before the end that another waits for.
 */

#include "explore/run_trace.h"

struct lives {
	const struct run_trace *t;
	bool *threads; /* reached from a line, or leading to it */
	bool *ended;
};

void lives_init(struct lives *l, const struct run_trace *t);
void lives_done(struct lives *l);

/* Is there a line of another thread that conflicts with this one and could be
 * before it as well as after it, as far as lives go, and that `matters`? */
typedef bool lives_matters(const void *arg, uint32_t line, uint32_t other);
bool lives_beside(struct lives *l, uint32_t line, lives_matters *matters,
		  const void *arg);

#endif
