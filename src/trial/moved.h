/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_MOVED_H
#define HEDDLE_MOVED_H

/*
 * A plan for a program that was built anew. A plan names places by their
 * address in a file, and an edit anywhere above moves them all. So a plan that
 * is kept also says what each place is called: the n-th call that a function
 * makes from lines with this text (plan.h), by which it is found again. If no
 * such line is there any more, a similar one as far below the function's
 * beginning as before will do; and if there is none, the step has no place, and
 * a run that comes to it ends as diverged.
 *
 * Which sites are private is forgotten for a module that was built anew. They
 * become points at which threads go on: steps count visits of their own site
 * only, so they mean the same.
 *
 * Misses: functions that were renamed, or share their name with another of the
 *   same module; steps in code without symbols.
 * Wrong when: a line was doubled or halved, so that the n-th call is another.
 *   The run then diverges, or fails in another way, which is told.
 */

#include "trial/captured.h"

/* Names the places of the plan's steps, as the run that took them had them. */
void plan_name_places(struct plan *plan, const struct captured *run);

/* The plan as it fits the program that is loaded, of another build; the caller
 * frees. `lost` counts the steps whose places were not found. */
struct plan *plan_moved(const struct plan *plan, const struct region *region,
			size_t *lost);

#endif
