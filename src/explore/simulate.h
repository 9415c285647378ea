/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SIMULATE_H
#define HEDDLE_SIMULATE_H

/*
 * The trace as a machine. A state says how far each thread is, what is in
 * memory, who holds what; a step is the next event of a thread, if it can take
 * place now and reads what it read in the trace. It knows nothing of orders
 * and clauses: what the solver finds is tried here before anybody believes it.
 *
 * A state is an array of words, so that it can be copied and compared.
 */

#include "base/err.h"
#include "explore/causal_trace.h"

#include <stddef.h>

enum simulate_result {
	SIMULATE_DONE,
	SIMULATE_BLOCKED,  /* not now */
	SIMULATE_OTHER,	   /* it would read something else */
	SIMULATE_NOT_NEXT, /* its thread is elsewhere */
};

struct simulation {
	const struct causal_trace *trace;
	size_t count; /* of the words */
	uint64_t *words;
	/* where in the words each kind of state begins */
	size_t memory, locks, waiting, semaphores, barriers, living, bound;
};

void simulation_init(struct simulation *s, const struct causal_trace *t);
void simulation_done(struct simulation *s);

/* Takes one step, or leaves the state as it is and says why. */
enum simulate_result simulation_step(struct simulation *s,
				     struct causal_step step);

/* The value that a location has now. */
uint64_t simulation_value(const struct simulation *s, uint32_t location);

/* How many events of a thread have taken place. */
uint64_t simulation_progress(const struct simulation *s, uint32_t thread);

/* Is that thread queued at that condition? */
bool simulation_waits(const struct simulation *s, uint32_t thread,
		      uint32_t condition);

/* Tries a whole schedule. The last step must be a read that gets `values`, one
 * for each part, or an arrival at a barrier that is the last of its round;
 * NULL: it has the result it had in the trace, as all others. */
MUST_USE int simulate(const struct causal_trace *t,
		      const struct causal_step *steps, size_t count,
		      const uint64_t *values, struct err *err);

#endif
