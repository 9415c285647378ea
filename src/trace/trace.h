/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TRACE_H
#define HEDDLE_TRACE_H

/*
 * A trace: what happened in one run, as a file. docs/formats.md describes it
 * byte by byte; this header is the only way the tool writes and reads one.
 *
 * A file is a header and chunks, each with its own checksum, compressed by
 * zstd. A chunk of EVENTS holds events of one thread (codec.h); chunks of
 * THREADS, MODULES, STACKS and NOTES carry the tables of the
 * region as far as they had grown, and stand before the first chunk that
 * refers to them; an END chunk says that the file is whole and how the run
 * ended.
 *
 * Reading never needs more memory than the tables and one chunk of each
 * thread. A file that was cut off or damaged is read as far as it is whole;
 * trace_missing() says what is not there.
 */

#include "base/err.h"
#include "format/event.h"
#include "format/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_VERSION = 1 };

/* What is known of the run as a whole. */
struct trace_info {
	uint64_t stamps_per_second; /* 0: unknown */
	uint64_t started;	    /* seconds since 1970 */
	uint32_t mode;		    /* enum region_mode */
	uint32_t flags;		    /* enum region_flag */
	const char *command; /* program and arguments, one NUL after each */
	size_t command_size;
};

/* How it ended, from the END chunk. */
struct trace_end {
	uint32_t closed;     /* the guest said goodbye */
	int32_t wait_status; /* as of waitpid */
	uint64_t lost;	     /* events the guest could not record */
	uint64_t events;     /* events in the file */
};

/* ---- writing ---- */

struct trace_writer;

MUST_USE struct trace_writer *trace_create(const char *path,
					   const struct trace_info *info,
					   struct err *err);

/* Appends what the region's tables have grown by since the last call. */
MUST_USE int trace_write_tables(struct trace_writer *w,
				const struct region *region, struct err *err);

/* Appends encoded events of one thread: `size` bytes of whole events, as the
 * slot holds them. Sequence numbers of a thread count from 0; a chunk that
 * comes before its predecessors is held back for them, for a while. Bytes that
 * are no events are kept, and the reader tells of them. */
MUST_USE int trace_write_events(struct trace_writer *w, uint32_t thread,
				uint32_t sequence, uint64_t first_stamp,
				const void *bytes, size_t size,
				struct err *err);

/* The same where the number of events is known: counting costs as much as
 * packing. A wrong number is told by the reader. */
MUST_USE int trace_write_counted(struct trace_writer *w, uint32_t thread,
				 uint32_t sequence, uint64_t first_stamp,
				 const void *bytes, size_t size, uint32_t count,
				 struct err *err);

/* Writes the END chunk and closes; frees w in any case. The writer counts the
 * events itself: end->events is not looked at. */
MUST_USE int trace_finish(struct trace_writer *w, const struct trace_end *end,
			  struct err *err);

/* Closes without an END chunk: the file then reads as cut off. */
void trace_abandon(struct trace_writer *w);

/* ---- reading ---- */

struct trace;

MUST_USE struct trace *trace_open(const char *path, struct err *err);
void trace_close(struct trace *t);

const struct trace_info *trace_info(const struct trace *t);

/* The tables, complete from the start (opening reads all of them). Entries of
 * numbers at or beyond the count are NULL. Every thread that has events is
 * counted; parents have smaller numbers than their children, in threads and in
 * stacks, so following them ends; stack 0 is there always. */
uint32_t trace_threads(const struct trace *t);
const struct region_thread *trace_thread(const struct trace *t, uint32_t n);
uint32_t trace_modules(const struct trace *t);
const struct region_module *trace_module(const struct trace *t, uint32_t n);
uint32_t trace_stacks(const struct trace *t);
const struct region_stack *trace_stack(const struct trace *t, uint32_t n);

/* Of the calls that lead to the innermost place, as rules have it (force.h). */
uint32_t trace_calls_hash(const struct trace *t, uint32_t stack);
uint32_t trace_notes(const struct trace *t);
const char *trace_note(const struct trace *t, uint32_t n);

/* NULL when the file has no END chunk. */
const struct trace_end *trace_end(const struct trace *t);

/* What is missing or damaged, one sentence each, found so far; empty when all
 * is whole. */
size_t trace_missing(const struct trace *t);
const char *trace_missing_text(const struct trace *t, size_t n);

/* The module a site lies in, or NULL. offset: from the module's base, so that
 * base + offset - bias is the address in its file. */
const struct region_module *trace_site_module(const struct trace *t,
					      uint32_t site, uint64_t *offset);

/* The next event of all threads together, in the order of stamps (among equal
 * ones in the order of their chunks in the file): 1, or 0 at the end. Plain
 * accesses have interpolated stamps, never before the stamped event before
 * them in their thread nor after the one behind. Damage is not an error: it is
 * left out and noted. EARLIER events come as recorded (thread: who told;
 * earlier_thread(arg): who did). */
int trace_next(struct trace *t, struct event *e);

/* The next event of any thread, each thread in order but threads chunk by
 * chunk as they stand in the file: the fastest way through. Not to be mixed
 * with trace_next without trace_rewind between. */
int trace_next_unordered(struct trace *t, struct event *e);

void trace_rewind(struct trace *t);

#endif
