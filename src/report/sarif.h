/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SARIF_H
#define HEDDLE_SARIF_H

/*
 * Failures as SARIF 2.1.0 (OASIS), which code hosts show beside the source. A
 * result has a place, related places, and a code flow: a thread flow for each
 * thread, whose locations carry their place in the interleaving as execution
 * order. The caller owns everything.
 *
 * Files below `root` are told relative to it (%SRCROOT%), others by their whole
 * path. What is not known (NULL, 0) is left out.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sarif_place {
	const char *file; /* path; NULL: nothing is known */
	int line, column;
	const char *function;
	const char *message; /* what is there, for people; may be NULL */
};

/* A step of the interleaving. */
struct sarif_step {
	uint32_t thread;
	struct sarif_place place;
	int is_essential; /* a viewer shows it first */
};

struct sarif_result {
	const char *rule;  /* "deadlock", "data-race": [a-z-]+ */
	const char *level; /* "error", "warning" or "note" */
	const char *message;
	const char *fingerprint; /* the same for the same bug; may be NULL */
	const char *name;	 /* of the repro; may be NULL */
	struct sarif_place place;
	const struct sarif_place *related;
	size_t related_count;
	const struct sarif_step *steps; /* in the order of time */
	size_t step_count;
	const char *const *threads; /* names, by number */
	size_t thread_count;
};

struct sarif_log {
	const char *root; /* absolute directory; NULL: none */
	const struct sarif_result *results;
	size_t count;
};

void sarif_write(const struct sarif_log *log, FILE *out);

/* What a rule means, in a sentence; NULL: it is not one of ours. */
const char *sarif_rule_text(const char *rule);

#endif
