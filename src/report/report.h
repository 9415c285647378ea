/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORT_H
#define HEDDLE_REPORT_H

/*
 * Findings and verdict of a run, for people (text) and programs (JSON). The
 * report is data gathered by the caller, who owns all of it; printing decides
 * nothing.
 *
 * Both forms are printed to a stream whose errors the caller checks.
 */

#include "analysis/finding.h"
#include "base/err.h"
#include "format/verdict.h"
#include "trace/site.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct report {
	struct trace *trace;
	struct sites *sites;
	const struct run_summary *summary;
	const struct race_finding *races;
	size_t race_count;
	const struct lockcycle_finding *cycles;
	size_t cycle_count;
	bool cycles_were_cut; /* there may be more */
	uint64_t suppressed;  /* findings that a suppression took away */

	enum exit_status verdict; /* of run and findings together */
	const char *ending;	  /* how the program ended, in words */
	const char *name;	  /* what heddle show calls this run */
};

/* Colours only when `is_colourful`. */
void report_text(const struct report *r, bool is_colourful, FILE *out);

/* One JSON object, described in heddle-run(1). */
void report_json(const struct report *r, FILE *out);

/* Every event on a line of its own: the text form of docs/formats.md with the
 * place in the source behind a #, or an object of JSON. */
void report_dump(struct trace *t, struct sites *s, bool as_json, FILE *out);

#endif
