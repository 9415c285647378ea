/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_KEEPING_H
#define HEDDLE_KEEPING_H

/*
 * Keeping failures of one command: what is the same for all of them, and the
 * making of a repro of each. Owns nothing.
 */

#include "store/repro.h"
#include "trial/captured.h"
#include "trial/feed.h"
#include "trial/oracle.h"

struct keeping {
	const char *store;
	char *const *argv;
	const char *strategy; /* that found them */
	const struct outputs *outputs;
	const struct feed *feed;
	const char *const *inputs; /* files the program was given */
	size_t input_count;
	uint64_t points_most, hang_ms;
	bool is_exec, is_ready_idle;
};

/* Keeps a run that failed. `plan` gives it again; NULL: its own schedule does.
 * The caller frees `name`. `was_known`: the same failure was kept before. */
MUST_USE int keeping_save(const struct keeping *k, const struct captured *run,
			  const struct verdict *v, const struct plan *plan,
			  char **name, bool *was_known, struct err *err);

#endif
