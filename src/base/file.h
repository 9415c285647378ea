/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FILE_H
#define HEDDLE_FILE_H

/*
 * Whole files and directories. Errors name the path.
 */

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* The contents with a zero byte behind, and their size. The caller frees. */
MUST_USE char *file_read(const char *path, size_t *size, struct err *err);

/* Replaces the file. */
MUST_USE int file_write(const char *path, const char *text, struct err *err);

/* Or a link to one; NULL is none. */
bool file_is_directory(const char *path);

/* Makes the directory and those above it; it may exist. */
MUST_USE int file_make_directory(const char *path, struct err *err);

/* Makes a directory of our own where temporary files go. The caller frees the
 * path; NULL: it failed. */
MUST_USE char *file_make_temporary(struct err *err);

/* Copies a file, or a directory with all that is in it, to a path where nothing
 * is yet. */
MUST_USE int file_copy(const char *from, const char *to, struct err *err);

/* Removes a file or a directory with all that is in it; follows no links. */
MUST_USE int file_remove(const char *path, struct err *err);

#endif
