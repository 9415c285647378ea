/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STORE_H
#define HEDDLE_STORE_H

/*
 * The store: what heddle keeps between commands, as directories of plain
 * files (docs/formats.md).
 *
 *	.heddle/runs/<program>-<n>/trace     what happened
 *	                           command   program and arguments, for a shell
 *	                           verdict   "held: exited with status 0"
 *
 * A run is made empty, filled while the program runs and locked as long, so
 * that another heddle that tidies up leaves it alone. The newest `keep` runs
 * stay; a run that was being made when the tool died counts like any other.
 */

#include "base/err.h"

#include <stdint.h>

#define STORE_DEFAULT ".heddle"

/* Could something be kept there? Said before a program is run for it; nothing
 * is made. */
MUST_USE int store_check(const char *store, struct err *err);

/* A run in the store; the paths are owned by it. */
struct store_run {
	char *name;	 /* "bank-3" */
	char *directory; /* ".heddle/runs/bank-3" */
	char *trace;	 /* ".heddle/runs/bank-3/trace" */
	int lock;	 /* open while it is being made, else -1 */
};

/* Makes a run (and the store, if there is none) for a program; argv is kept
 * as its command. store_run_done in case of success. */
MUST_USE int store_run_new(struct store_run *run, const char *store,
			   char *const *argv, struct err *err);

/* Notes how the run ended; it is then complete. */
MUST_USE int store_run_finish(struct store_run *run, const char *verdict,
			      struct err *err);

/* Takes the run away again, when it came to nothing. */
void store_run_discard(struct store_run *run);

/* Finds a run by its name, or the newest when `name` is NULL. */
MUST_USE int store_run_find(struct store_run *run, const char *store,
			    const char *name, struct err *err);

void store_run_done(struct store_run *run);

/* Makes an empty directory <store>/<kind>/<program>-<n> and returns its name,
 * which no run and no repro has; the caller frees. */
MUST_USE char *store_name_new(const char *store, const char *kind,
			      const char *program, struct err *err);

/* Removes the oldest runs that are not being made until `keep` are left. */
MUST_USE int store_tidy(const char *store, uint64_t keep, struct err *err);

#endif
