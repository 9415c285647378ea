/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_UTF8_H
#define HEDDLE_UTF8_H

#include <stddef.h>

/*
 * Which bytes of a stranger's text are characters of UTF-8.
 */

/* How many bytes the character at the beginning has, or 0: it is no UTF-8, or a
 * zero byte. */
size_t utf8_length(const char *text, size_t size);

#endif
