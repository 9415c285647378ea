/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CLEAN_TEXT_H
#define HEDDLE_CLEAN_TEXT_H

/*
 * Text of strangers (names in debug information, lines of source, what a
 * program printed) made fit for formats that hold Unicode alone. What is no
 * UTF-8 becomes U+FFFD, byte by byte; what is, stays as it was.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A copy that is valid UTF-8; a zero byte in the middle becomes U+FFFD as
 * well. The caller frees. */
char *clean_text(const char *text, size_t size);

/* A JSON string, or null for NULL. */
json_t *clean_json(const char *text);
json_t *clean_json_sized(const char *text, size_t size);

#endif
