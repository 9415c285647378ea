/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WORDING_H
#define HEDDLE_WORDING_H

/*
 * How things are called in every form of a report.
 */

#include "analysis/finding.h"
#include "trace/site.h"
#include "trace/trace.h"

#include <stdio.h>

/* "write", "atomic read", "free" */
const char *word_access(const struct race_access *a);

/* "mutex", "read lock" ... */
const char *word_lock(const struct held_lock *l);

/* Bytes of a lock of that kind: what its name has to cover. */
uint64_t word_lock_size(const struct held_lock *l);

/* The function a thread runs, or NULL. The caller frees. */
char *word_start(const struct trace *t, struct sites *s, uint32_t thread);

/* The file name at the end of a path. */
const char *word_file(const char *path);

/* "deposit bank.c:14:9", or "libx.so+0x12" where no more is known. */
void word_frame(const struct frame *f, FILE *out);

/* Whether a module is one whose invisibility the reader should know of: not
 * instrumented, and neither part of heddle nor of what the guest stands in
 * front of (libc). */
bool word_is_invisible(const struct region_module *m);

/* "1 race", "2 races" */
void word_count(uint64_t n, const char *one, const char *many, FILE *out);

#endif
