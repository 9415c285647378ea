/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORT_UNSERIAL_H
#define HEDDLE_REPORT_UNSERIAL_H

/*
 * The unserializable interleavings of a run (unserial.h) as a table for
 * people: by rank, with the places of the three accesses, how long the second
 * thread had to come between, and what became of each.
 */

#include "analysis/unserial.h"
#include "trace/site.h"
#include "trace/trace.h"

#include <stdio.h>

struct unserial_report {
	const struct trace *trace;
	struct sites *sites;
	const struct unserial_result *result;
};

/* " by a condition or atomics": what kept a candidate from happening. */
void report_keepers(const struct unserial_candidate *f, const char *before,
		    FILE *out);

/* Only how many there are of what. */
void report_unserial_head(const struct unserial_report *r, FILE *out);

void report_unserial(const struct unserial_report *r, FILE *out);

#endif
