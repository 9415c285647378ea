/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CONFLICTS_H
#define HEDDLE_CONFLICTS_H

/*
 * Pairs of events of one run whose order might do harm: two accesses that would
 * race if both were next at once, and an access that would find its block freed
 * if the other came first. Whether they can is for the causal model to say.
 *
 * Of the same two places of code a few pairs are taken, those that were
 * nearest; where places meet very often some that could race are not looked
 * at.
 */

#include "explore/predictions.h"
#include "explore/trace_model.h"

struct conflict {
	enum prediction_kind kind; /* PREDICTED_RACE or PREDICTED_FREED */
	uint32_t a, b;		   /* events; b is the one that frees */
};

struct conflicts {
	struct conflict *at;
	size_t count, room;
};

/* Those that would use freed memory come first. */
void conflicts_find(const struct trace_model *m, const struct run_trace *t,
		    bool races, struct conflicts *out);

#endif
