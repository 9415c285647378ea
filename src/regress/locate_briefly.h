/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCATE_BRIEFLY_H
#define HEDDLE_LOCATE_BRIEFLY_H

/*
 * Locating a kept failure by the way, while something else is at work: with few
 * passing runs, all of them under control.
 */

#include "locate/locate.h"
#include "store/repro.h"

/* Is it a matter of accesses, that is worth locating? Deadlocks are none, of
 * races nobody knows whether they did harm, and experiments with what hangs, or
 * with runs that a command judges, would take longer than all the rest. */
bool can_locate(const struct repro *r);

/* located_done in any case. */
MUST_USE int locate_briefly(const char *store, const char *name, uint64_t ms,
			    bool allows_check, struct located *l,
			    struct err *err);

#endif
