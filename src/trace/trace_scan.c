/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding chunks. Where a header does not hold, the bytes from there on are
 * searched for the next magic whose header does: damage costs what it hit.
 */
#include "trace/trace_inner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum {
	SCAN_CACHE = 1 << 14, /* entries, a power of two */
	SEARCH_WINDOW = 1 << 16,
};

/* The answer to scan_chunk(offset); found.offset 0: nothing is there. */
struct scan_entry {
	uint64_t asked;
	struct chunk found;
};

/* Reads `size` bytes at `offset`; false when they are not there. */
static bool read_at(struct trace *t, void *to, size_t size, uint64_t offset)
{
	uint8_t *p = to;

	while (size > 0) {
		ssize_t n = pread(t->fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return true;
}

/* The chunk at exactly this offset, when its header holds and its payload is
 * within the file. */
static bool chunk_at(struct trace *t, uint64_t offset, struct chunk *c)
{
	uint8_t bytes[CHUNK_HEADER];
	struct layout_view v = { bytes, bytes + sizeof(bytes), false };

	if (offset + CHUNK_HEADER > t->size ||
	    !read_at(t, bytes, sizeof(bytes), offset))
		return false;
	if (layout_take32(&v) != CHUNK_MAGIC)
		return false;
	c->offset = offset;
	c->type = layout_take32(&v);
	c->thread = layout_take32(&v);
	c->sequence = layout_take32(&v);
	c->raw_size = layout_take32(&v);
	c->packed_size = layout_take32(&v);
	c->first_stamp = layout_take64(&v);
	c->least_stamp = layout_take64(&v);
	c->count = layout_take32(&v);
	layout_take32(&v);
	c->payload_sum = layout_take64(&v);
	return layout_take64(&v) == XXH64(bytes, CHUNK_SUM_AT, 0) &&
	       c->raw_size <= CHUNK_RAW_MAX &&
	       c->packed_size <= CHUNK_PACKED_MAX && chunk_behind(c) <= t->size;
}

/* The first chunk in [offset, offset + size) of which `window` is a copy. */
static bool search_window(struct trace *t, const uint8_t *window, size_t size,
			  uint64_t offset, struct chunk *c)
{
	const uint32_t magic = CHUNK_MAGIC;
	const uint8_t *p = window, *end = window + size;

	while ((p = memmem(p, (size_t)(end - p), &magic, sizeof(magic)))) {
		if (chunk_at(t, offset + (uint64_t)(p - window), c))
			return true;
		p++;
	}
	return false;
}

static bool search(struct trace *t, uint64_t offset, struct chunk *c)
{
	uint8_t *window = xmalloc(SEARCH_WINDOW);
	bool found = false;

	while (!found && offset + CHUNK_HEADER <= t->size) {
		uint64_t size = t->size - offset;

		if (size > SEARCH_WINDOW)
			size = SEARCH_WINDOW;
		if (!read_at(t, window, size, offset))
			break;
		found = search_window(t, window, size, offset, c);
		/* A magic may lie across the border. */
		offset += size - 3;
	}
	free(window);
	return found;
}

bool scan_chunk(struct trace *t, uint64_t offset, struct chunk *c)
{
	uint64_t mixed = offset * UINT64_C(0x9e3779b97f4a7c15);
	struct scan_entry *e;

	if (offset >= t->size)
		return false;
	if (!t->scanned)
		t->scanned = xcalloc(SCAN_CACHE, sizeof(*t->scanned));
	e = &t->scanned[mixed >> 50 & (SCAN_CACHE - 1)];
	if (e->asked != offset) {
		e->asked = offset;
		if (!chunk_at(t, offset, &e->found) &&
		    !search(t, offset + 1, &e->found))
			e->found.offset = 0;
	}
	*c = e->found;
	return e->found.offset != 0;
}

bool scan_same_thread(struct trace *t, struct chunk *c)
{
	const struct track *track = &t->tracks.at[c->thread];
	uint32_t thread = c->thread;

	while (c->offset < track->last && scan_chunk(t, chunk_behind(c), c))
		if (c->type == CHUNK_EVENTS && c->thread == thread &&
		    c->sequence > track->sequence)
			return true;
	return false;
}

void scan_free(struct trace *t)
{
	free(t->scanned);
}

const char *chunk_name(const struct chunk *c, char buf[64])
{
	static const char *const names[] = {
		[CHUNK_THREADS] = "threads",
		[CHUNK_THREAD_ENDS] = "thread ends",
		[CHUNK_MODULES] = "modules",
		[CHUNK_STACKS] = "stacks",
		[CHUNK_NOTES] = "notes",
		[CHUNK_END] = "the end",
	};

	if (c->type == CHUNK_EVENTS)
		snprintf(buf, 64, "chunk %" PRIu32 " of thread %" PRIu32,
			 c->sequence, c->thread);
	else
		snprintf(buf, 64, "the chunk of %s at byte %" PRIu64,
			 c->type < sizeof(names) / sizeof(names[0]) &&
					 names[c->type] ?
				 names[c->type] :
				 "an unknown type",
			 c->offset);
	return buf;
}

bool scan_payload(struct trace *t, const struct chunk *c, uint8_t *raw)
{
	char name[64];
	size_t n;

	vec_reserve(&t->packed, c->packed_size);
	if (!read_at(t, t->packed.at, c->packed_size, chunk_payload(c)) ||
	    XXH64(t->packed.at, c->packed_size, 0) != c->payload_sum) {
		trace_miss(t, "%s is damaged: its %" PRIu32 " %s are missing",
			   chunk_name(c, name), c->count,
			   c->type == CHUNK_EVENTS ? "events" : "entries");
		return false;
	}
	n = ZSTD_decompressDCtx(t->unpacker, raw, c->raw_size, t->packed.at,
				c->packed_size);
	if (ZSTD_isError(n) || n != c->raw_size) {
		trace_miss(t,
			   "%s cannot be unpacked: its %" PRIu32
			   " %s are missing",
			   chunk_name(c, name), c->count,
			   c->type == CHUNK_EVENTS ? "events" : "entries");
		return false;
	}
	return true;
}
