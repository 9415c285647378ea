/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SOURCE_TEXT_H
#define HEDDLE_SOURCE_TEXT_H

/*
 * Lines of source files, read once. What a line says is compared between two
 * versions of a program, so blanks count as one and those around it not at
 * all. A file that cannot be read has no lines.
 */

#include "base/vec.h"

struct source_file {
	char *path;
	VEC(char *) lines;
};

/* The zero value knows no file. */
struct sources {
	VEC(struct source_file) files;
};

void sources_done(struct sources *s);

/* Line `number` (from 1), good until the end; NULL when there is none. */
const char *source_text(struct sources *s, const char *path, int number);

/* Makes blanks one and takes those around away, in place. */
void source_squeeze(char *text);

#endif
