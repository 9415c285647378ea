/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_PATH_H
#define HEDDLE_SITE_PATH_H

/*
 * Names of source files as people want to read them: without "." and "..",
 * and relative to the current directory when they lie below it. A file from
 * elsewhere keeps the full path its compiler recorded.
 */

#include <stddef.h>

struct site_paths {
	char *here[2]; /* the current directory, by its two names */
};

void site_paths_init(struct site_paths *p);
void site_paths_done(struct site_paths *p);

/* The caller frees. */
char *site_path(const struct site_paths *p, const char *recorded);

#endif
