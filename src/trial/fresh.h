/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FRESH_H
#define HEDDLE_FRESH_H

/*
 * A run in a process of its own, started for it (CONTROL_EXEC), with what a
 * fork server does for its runs done here: the process is watched while it
 * makes points, and nothing of it is left afterwards.
 */

#include "format/watchdog.h"
#include "trial/worker.h"

/* How the tool looks at threads, for watchdog_look. */
extern const struct watchdog_means fresh_means;

/* Makes one run with ask->seed; its line is results[0]. */
MUST_USE int fresh_run(struct worker *w, const struct control_ask *ask,
		       struct err *err);

#endif
