/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_VIEW_H
#define HEDDLE_VIEW_H

/*
 * Analysing a trace and printing what came of it: what run does with the
 * trace it has made, and show with one that lies there.
 */

#include "base/args.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct view_options {
	bool dump, json;
	const char *output;
	const char *suppress;
	const char *fail_on;
	const char *colour;
	/* for show alone */
	bool interleavings; /* list them instead */
	const char *rank;
};

#define VIEW_DEFAULTS                                                          \
	{                                                                      \
		.fail_on = "none", .colour = "auto", .rank = "gap"             \
	}

/* The rows of the option table of a verb whose struct has a `view`. */
#define VIEW_ARGS(type)                                                        \
	ARG_FLAG(type, view.dump, "dump", 0,                                   \
		 "print the events instead of a summary"),                     \
		ARG_FLAG(type, view.json, "json", 0, "print JSON"),            \
		ARG_PATH(type, view.output, "output", 'o', "FILE",             \
			 "print to FILE instead of standard output"),          \
		ARG_PATH(type, view.suppress, "suppress", 's', "FILE",         \
			 "leave out the findings that FILE names"),            \
		ARG_CHOICE(type, view.fail_on, "fail-on", 0,                   \
			   "any|race|cycle|none",                              \
			   "findings that make the status 1 (none)"),          \
		ARG_CHOICE(type, view.colour, "colour", 0,                     \
			   "auto|always|never",                                \
			   "colours (auto: on a terminal)")

/* What is looked at. */
struct view {
	const struct view_options *options;
	const char *path;      /* of the trace */
	const char *name;      /* for "heddle show NAME" */
	bool is_after_program; /* its own output stands above ours */
};

/* Whether a report for --output goes to standard output: no file, or "-". */
bool view_is_stdout(const char *output);

/* Are colours wanted there? */
bool view_is_colourful(const struct view_options *options, FILE *out);

/* Can it be written, if it is a file? Said before a program is run for it. What
 * stands there stays until there is something better. */
MUST_USE int view_check_output(const char *output, struct err *err);

/* What would stop view_trace, said before a program is run for it. */
MUST_USE int view_check(const struct view_options *options, struct err *err);

/* Returns the exit status, or -1. */
MUST_USE int view_trace(const struct view *v, struct err *err);

#endif
