/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DERIVE_H
#define HEDDLE_DERIVE_H

/*
 * The signature of a kept failure, found out while the program that failed is
 * still there: its schedule is followed once more and recorded, candidates are
 * taken from what happened (candidate.h), and each is hunted for in the same
 * program. The ones that bring the failure back most reliably are kept (Tsui,
 * Wu and Chan needed a person for this choice, section 4.2.4). A failure that
 * is kept by rules has no schedule, and its rules are the candidates. Where
 * none is reliable, the failure is located (locate.h), and the pairs that
 * caused it are candidates as well (clues.h).
 */

#include "locate/locate.h"
#include "regress/signature.h"
#include "store/again.h"

/* What it may cost, when somebody asks for it and when a failure is kept. */
enum {
	DERIVE_RUNS = 300,
	DERIVE_MS = 3000,
	DERIVE_RUNS_KEPT = 160,
	DERIVE_MS_KEPT = 2000,
};

/* `a` is started. Gives no signature, and no error, when the program was built
 * anew since, or the failure does not come back. */
MUST_USE int signatures_derive(struct again *a, uint32_t runs, uint64_t ms,
			       struct signatures *out, struct err *err);

/* The signatures of a repro, from its directory or, if it has none, found out
 * and written there. Starts `a` if need be. */
MUST_USE int signatures_of(struct again *a, struct signatures *out,
			   struct err *err);

/* The failure was located: the signatures of a repro are compared with what
 * that gives, and the better ones kept. One that cannot be tried is worth as
 * much: that is told, and no error. */
void signatures_learn(const char *store, const struct located *l);

/* Gives a failure that was just kept its signature, while the build that failed
 * is there. One that has none is worth as much: that is told, and no error. */
void signatures_keep(const char *store, const char *name);

/* The same in so many milliseconds, and what the runs in it take that were
 * begun. */
void signatures_keep_within(const char *store, const char *name,
			    uint64_t most_ms);

#endif
