/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPRO_H
#define HEDDLE_REPRO_H

/*
 * A repro: a failure that was kept, with all it takes to see it again, as a
 * directory of plain files (docs/formats.md):
 *
 *	.heddle/repros/<program>-<n>/repro    what was run, and how
 *	                             plan     the schedule that failed
 *	                             verdict  how it ended, for people
 *	                             signature  for heddle regress
 *	                             output   what the program printed
 *	                             stdin    what it read, if anything
 *	                             expect   the output it should have had
 *	                             input/   files it was given
 *
 * Each failure is kept once: one of the same program with the same identity is
 * the same failure. Numbers are shared with the runs of store.h, so that a name
 * means one thing.
 *
 * A repro may come from a stranger. Whatever it says, it names a program and
 * its arguments, which are shown and executed without a shell; a check command
 * is shown and not run unless the user allows it; of environment variables only
 * harmless ones are taken (repro_is_harmless); names of input files are plain
 * and stay in the directory.
 */

#include "base/err.h"
#include "base/vec.h"
#include "format/control_block.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPRO_VERSION = 1 };

struct repro {
	char *name; /* "bank-3"; NULL: not saved yet */
	char *path; /* its directory */

	VEC(char *) arguments;	 /* the program first */
	VEC(char *) environment; /* NAME=value */
	VEC(char *) inputs;	 /* plain names, in input/ */
	VEC(char *) check;	 /* command of --check, with its arguments */
	char *directory;	 /* where it ran */

	char *origin;	/* name of the repro it is a new form of; NULL: none */
	char *strategy; /* that found it */
	uint64_t seed;
	bool is_exec;	    /* each run is a fresh process in a directory of its
			 own */
	bool is_ready_idle; /* runs begin where it listens and waits */
	uint64_t points_most;
	uint64_t hang_ms;

	uint32_t outcome;  /* enum outcome_kind */
	char *verdict;	   /* one line for people */
	char *identity;	   /* what makes it the same failure */
	uint64_t schedule; /* hash of the steps, as the guest counts */
	uint64_t points;
	int32_t wait_status;

	struct plan *plan;
	char *details; /* the rest of the verdict: stacks; may be NULL */
	char *output;
	size_t output_size;
	char *input; /* standard input; NULL: none */
	size_t input_size;
	char *expected; /* NULL: none */
	size_t expected_size;
};

struct repro *repro_new(void);
void repro_free(struct repro *r);

/* Keeps the failure: makes the directory, fills name and path. `inputs` are
 * copied from the paths in `input_files` (as many). When it was kept before,
 * the name is the old one, `was_known` is set and nothing is written; but one
 * that has an origin is kept once for each build. */
MUST_USE int repro_save(struct repro *r, const char *store,
			char *const *input_files, bool *was_known,
			struct err *err);

/* Writes plan, verdict and output anew (after shrinking). */
MUST_USE int repro_update(const struct repro *r, struct err *err);

/* `name`: of a repro in the store, or a path of a repro's directory. */
MUST_USE struct repro *repro_load(const char *store, const char *name,
				  struct err *err);

struct repro_line {
	char *name;
	char *verdict; /* one line */
};

/* All repros, by name; the caller frees with repro_list_free. */
struct repro_list {
	VEC(struct repro_line) lines;
};

void repro_list_init(struct repro_list *list, const char *store);
void repro_list_done(struct repro_list *list);

MUST_USE int repro_remove(const char *store, const char *name, struct err *err);

/* Removes the oldest until `keep` are left. */
MUST_USE int repro_tidy(const char *store, uint64_t keep, struct err *err);

/* May this NAME=value be given to a program that a stranger named? */
bool repro_is_harmless(const char *variable);

/* ---- repro_text.c: the file `repro` ---- */

void repro_write(const struct repro *r, FILE *out);
MUST_USE int repro_read(struct repro *r, const char *text, size_t size,
			const char *name, struct err *err);

#endif
