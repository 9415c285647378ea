/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CANDIDATES_H
#define HEDDLE_CANDIDATES_H

/*
 * From what was observed to rules: observes the program, analyses the run and
 * makes the candidates of the method, most promising first.
 */

#include "expose/expose.h"

/* Fills in the first part of the result. */
MUST_USE int candidates_observe(const struct expose_options *o,
				struct expose_result *r, struct err *err);

/* Makes result->candidates. Places in their rules are modules of `plan`, which
 * gets those of the trace. */
void candidates_make(const struct expose_options *o, struct expose_result *r,
		     struct plan *plan);

void candidate_done(struct expose_candidate *c);

#endif
