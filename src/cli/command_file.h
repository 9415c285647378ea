/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_COMMAND_FILE_H
#define HEDDLE_COMMAND_FILE_H

/*
 * A file of commands, one on each line, for heddle test --each. Words are
 * separated by blanks; '...' and "..." hold blanks, and a backslash takes the
 * next character as it is. Nothing else means anything: no shell reads it.
 * Empty lines and those that begin with # are passed over.
 */

#include "base/err.h"
#include "base/vec.h"

struct command {
	VEC(char *) words; /* NULL at the end */
	int line;
};

struct command_file {
	VEC(struct command) commands;
};

MUST_USE int command_file_read(struct command_file *f, const char *path,
			       struct err *err);

/* The same of text; `name` is what errors call it. */
MUST_USE int command_file_parse(struct command_file *f, const char *text,
				const char *name, struct err *err);
void command_file_done(struct command_file *f);

#endif
