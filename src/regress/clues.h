/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CLUES_H
#define HEDDLE_CLUES_H

/*
 * Candidates for a signature that others have found: the pairs of accesses that
 * heddle locate takes for the cause, and the rules by which heddle expose
 * brought a failure about. They are tried like all the rest (derive.h).
 */

#include "locate/locate.h"
#include "plan/plan.h"
#include "regress/recorded.h"

/* Each suspect as events of the failing run: one pair is an order of two, two
 * coupled pairs are up to four. Those that the run does not have are left
 * out. */
void clues_of_located(const struct located *l, const struct recorded *r,
		      struct candidates *out);

/* A rule as a signature, without call stacks. False: some of its events are
 * where nothing is known of the code, or no operation of a signature. */
bool clue_of_rule(const struct plan *plan, const struct rule *rule,
		  struct code_map *m, struct signature *s);

#endif
