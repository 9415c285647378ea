/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_XALLOC_H
#define HEDDLE_XALLOC_H

/*
 * Memory of the tool. Running out of it ends the tool with one line: there is
 * nothing sensible to do then. The guest never uses these.
 */

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
