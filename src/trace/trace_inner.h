/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TRACE_INNER_H
#define HEDDLE_TRACE_INNER_H

/*
 * The reader of traces from inside; only trace_*.c include it.
 *
 *   trace_scan.c    finds chunks, whatever lies between them
 *   trace_tables.c  the tables that chunks carry
 *   trace_spool.c   a chunk of events, unpacked and decoded bit by bit
 *   trace_merge.c   many threads' chunks -> one stream
 *   trace_read.c    opening, and everything one can ask
 *
 * Memory. Opening walks over the headers of all chunks and keeps, besides the
 * tables, a `track` for each thread: where its first and its last chunk are.
 * Reading keeps a spool for each thread that is in the midst of a chunk. The
 * way from a chunk of a thread to its next leads over the headers between
 * them; a cache of fixed size makes that cheap when many threads go the same
 * way. So nothing grows with the length of the file.
 *
 * Nothing in a file is trusted: sizes are bounded before memory is taken,
 * numbers of threads and stacks before they index anything.
 */

#include "trace/trace.h"

#include <stdio.h>
#include <zstd.h>

#include "base/vec.h"
#include "format/codec.h"
#include "trace/trace_layout.h"

/* Where the chunks of a thread are, and how far they have been read. */
struct track {
	uint64_t first, last; /* offsets of chunks; first 0: it has none */
	uint64_t stamp;	      /* reached in reading */
	uint32_t sequence;    /* of the chunk that is being read */
	bool is_begun;	      /* sequence holds */
};

enum { BATCH = 256 };

/* A chunk of events: unpacked, and decoded a batch at a time. */
struct spool {
	struct chunk chunk;
	uint8_t *raw; /* CHUNK_RAW_MAX at most */
	size_t raw_room;
	const uint8_t *p, *end;
	uint32_t left; /* events that are still to be decoded */
	struct codec codec;
	uint64_t floor; /* stamp reached */
	uint32_t ahead; /* events to come that have no stamp of their own... */
	uint64_t step;	/* ...and are this far apart */
	struct event *at, *until; /* decoded and not yet given out */
	struct spool *next;	  /* when it waits for use */
	struct event batch[BATCH];
};

/* A thread in the heap that the merge works on. Its next event has the key
 * (stamp, chunk); while its chunk has not been opened, spool is NULL and stamp
 * a lower bound. */
struct merge_entry {
	uint64_t stamp;
	struct chunk chunk;
	struct spool *spool;
};

struct trace {
	char *path;
	int fd;
	uint64_t size;
	uint64_t chunks_at; /* end of the file header */
	struct trace_info info;
	char *command;
	struct trace_end end;
	bool has_end;
	uint64_t events; /* as the headers say */

	VEC(struct region_thread) threads;
	VEC(struct region_module) modules;
	VEC(struct region_stack) stacks;
	VEC(char *) notes;
	VEC(struct track) tracks;
	VEC(char *) missing;
	size_t missing_more; /* that are not in `missing` */

	struct scan_entry *scanned; /* cache of trace_scan.c */
	ZSTD_DCtx *unpacker;
	VEC(uint8_t) packed; /* room for a payload as it is in the file */
	struct spool *idle;

	/* trace_next */
	bool is_merging;
	VEC(struct merge_entry) heap;
	struct spool *current; /* of heap.at[0] */
	uint64_t below;	       /* current may give events with less stamp */

	/* trace_next_unordered */
	struct spool *walker;
	uint64_t walked; /* to this offset */
};

/* Notes a sentence on what is not there, once. */
void trace_miss(struct trace *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* ---- trace_scan.c ---- */

/* The first whole chunk at or behind `offset`; false when there is none. */
bool scan_chunk(struct trace *t, uint64_t offset, struct chunk *c);

/* The next chunk of the same thread that counts, as told by its track. */
bool scan_same_thread(struct trace *t, struct chunk *c);

/* Reads and unpacks the payload into raw, which has room for raw_size bytes.
 * False, and noted, when it is damaged. */
bool scan_payload(struct trace *t, const struct chunk *c, uint8_t *raw);

void scan_free(struct trace *t);

/* What a chunk is called in a sentence; valid until the next call. */
const char *chunk_name(const struct chunk *c, char buf[64]);

/* ---- trace_tables.c ---- */

/* Takes in a chunk of a table; `raw` is its payload. */
void tables_take(struct trace *t, const struct chunk *c, const uint8_t *raw);

/* Makes entry n exist, as an unknown one if need be. */
void tables_want_thread(struct trace *t, uint32_t n);

void tables_free(struct trace *t);

/* ---- trace_spool.c ---- */

/* A spool with the chunk in it, at its first event; NULL, and noted, when it
 * is damaged or holds none. `floor`: what its thread has reached, and at least
 * the chunk's least stamp. */
struct spool *spool_open(struct trace *t, const struct chunk *c,
			 uint64_t floor);

/* Decodes the next batch: false when there is no more. */
bool spool_fill(struct trace *t, struct spool *s);

/* Puts the spool aside for the next one who opens a chunk. */
void spool_close(struct trace *t, struct spool *s);

void spool_free_idle(struct trace *t);

#endif
