/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SUPPRESS_H
#define HEDDLE_SUPPRESS_H

/*
 * Suppressions: findings that somebody has looked at and does not want to see
 * again. A file of lines
 *
 *	# statistics may be off by some
 *	race: variable=stats.*
 *	race: function=log_*
 *	race: file=zconf.h
 *	deadlock: function=cache_flush
 *
 * The pattern goes to the end of the line, blanks and all; it is a shell
 * pattern in which * matches a slash too.
 *
 *   function   of any frame of either access (of any acquisition)
 *   file       of any frame, by its path or by its last part
 *   variable   the name of the location (of a lock), as reports tell it
 *
 * Finds: what a line names. Misses: nothing it names; a frame that cannot be
 * resolved has no name. Wrong when: a pattern is wider than was meant, which
 * is why uses are counted.
 */

#include "analysis/finding.h"
#include "base/err.h"
#include "trace/site.h"

enum suppress_finding {
	SUPPRESS_RACE,
	SUPPRESS_DEADLOCK,
};

enum suppress_by {
	SUPPRESS_FUNCTION,
	SUPPRESS_FILE,
	SUPPRESS_VARIABLE,
};

struct suppression {
	enum suppress_finding finding;
	enum suppress_by by;
	char *pattern;
	unsigned int line;
	uint64_t used; /* findings it has silenced */
};

struct suppressions;

MUST_USE struct suppressions *suppressions_read(const char *path,
						struct err *err);

/* `name` is what errors call the text. */
MUST_USE struct suppressions *suppressions_parse(const char *name,
						 const char *text,
						 struct err *err);
void suppressions_free(struct suppressions *s);

size_t suppressions_count(const struct suppressions *s);
const struct suppression *suppressions_get(const struct suppressions *s,
					   size_t n);

/* The first suppression that names the finding, and counts it; or NULL. */
const struct suppression *suppress_race(struct suppressions *s,
					const struct race_finding *f,
					struct sites *sites);
const struct suppression *suppress_lockcycle(struct suppressions *s,
					     const struct lockcycle_finding *f,
					     struct sites *sites);

/* Whether one line names a frame, or a location of this name. */
bool suppression_names_frame(const struct suppression *s,
			     const struct frame *frame);
bool suppression_names_variable(const struct suppression *s, const char *name);

#endif
