/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TRACE_LAYOUT_H
#define HEDDLE_TRACE_LAYOUT_H

/*
 * Where the bytes of a trace file are; shared by its writer and its reader,
 * and by nobody else. docs/formats.md tells the same in prose.
 *
 * All numbers are little-endian. The file header is HEADER_SIZE bytes and the
 * command; a chunk is CHUNK_HEADER bytes and a payload packed by zstd. Both
 * headers carry a sum of themselves, so that a reader who has lost its way
 * finds the next chunk by its magic and can trust what it says of itself
 * before touching the payload, which has its own sum.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TRACE_MAGIC "heddle\x1a\n"
#define CHUNK_MAGIC UINT32_C(0x6b43d148) /* 48 d1 43 6b */

enum {
	TRACE_MAGIC_SIZE = 8,
	HEADER_SIZE = 56,
	HEADER_SUM_AT = 48,
	COMMAND_MAX = 1 << 24,
	CHUNK_HEADER = 64,
	CHUNK_SUM_AT = 56,
	CHUNK_RAW_MAX = 1 << 20,
	/* zstd may expand what cannot be packed, by less than this. */
	CHUNK_PACKED_MAX = CHUNK_RAW_MAX + (CHUNK_RAW_MAX >> 7),
	EVENT_BYTES_MIN = 3, /* kind, stack and one field at least */
};

enum chunk_type {
	CHUNK_EVENTS = 1,
	CHUNK_THREADS = 2,
	CHUNK_THREAD_ENDS = 3,
	CHUNK_MODULES = 4,
	CHUNK_STACKS = 5,
	CHUNK_NOTES = 6,
	CHUNK_END = 7,
};

/* The header of a chunk, decoded. */
struct chunk {
	uint64_t offset;      /* of the header in the file */
	uint64_t first_stamp; /* what codec.stamp starts from */
	uint64_t least_stamp; /* no event in it has a lower one */
	uint64_t payload_sum;
	uint32_t type;
	uint32_t thread;   /* of EVENTS; in tables the first entry's number */
	uint32_t sequence; /* of EVENTS */
	uint32_t raw_size;
	uint32_t packed_size;
	uint32_t count; /* events or entries */
};

static inline uint64_t chunk_payload(const struct chunk *c)
{
	return c->offset + CHUNK_HEADER;
}

static inline uint64_t chunk_behind(const struct chunk *c)
{
	return chunk_payload(c) + c->packed_size;
}

static inline uint8_t *layout_put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint8_t *layout_put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

/* Bytes to be read one number after the other; when they do not suffice,
 * `is_short` is set and zeroes come. */
struct layout_view {
	const uint8_t *p, *end;
	bool is_short;
};

static inline const uint8_t *layout_take(struct layout_view *v, size_t size)
{
	const uint8_t *p = v->p;

	if ((size_t)(v->end - p) < size) {
		v->is_short = true;
		return NULL;
	}
	v->p += size;
	return p;
}

static inline uint32_t layout_take32(struct layout_view *v)
{
	const uint8_t *p = layout_take(v, 4);
	uint32_t n = 0;

	if (p)
		memcpy(&n, p, sizeof(n));
	return n;
}

static inline uint64_t layout_take64(struct layout_view *v)
{
	const uint8_t *p = layout_take(v, 8);
	uint64_t n = 0;

	if (p)
		memcpy(&n, p, sizeof(n));
	return n;
}

#endif
