/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TRACE_TEXT_H
#define HEDDLE_TRACE_TEXT_H

/*
 * A trace as text, for tests and for people: one line for each event and each
 * entry of a table, described in docs/formats.md.
 *
 *	0 thread-create arg=1
 *	0 write 0x1000 size=4 stack=1
 *	1 read 0x1000 size=4 stack=2
 *	1 mutex-lock 0x2000 stamp=17
 *
 * What trace_text_write prints, trace_text_read takes back, and printing that
 * again gives the same text. Text written by hand may leave out nearly all: a
 * stamp that is not given is one more than the highest before, a size is 4,
 * other numbers are 0; threads and stacks that no line describes come into
 * being when they are first named. The order of the lines is the order in
 * which trace_next gives the events, unless stamps say otherwise.
 */

#include "trace/trace.h"

#include <stdio.h>

/* Tables, then all events in the order of trace_next, from the start. */
MUST_USE int trace_text_write(FILE *out, struct trace *t, struct err *err);

/* One event as one line. */
void trace_text_event(FILE *out, const struct event *e);

/* Reads text and writes a trace to `path`. `name` is what errors call the
 * text. */
MUST_USE int trace_text_read(FILE *in, const char *name, const char *path,
			     struct err *err);

/* A trace, open for reading, that is in no directory. */
MUST_USE struct trace *trace_from_text(const char *text, struct err *err);

#endif
