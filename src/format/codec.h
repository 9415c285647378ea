/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CODEC_H
#define HEDDLE_CODEC_H

/*
 * Events as bytes: what the guest puts into a slot of the region and what a
 * chunk of a trace holds after decompression. Writer and reader stand side by
 * side. A run of bytes belongs to one thread and decodes by itself: `codec`
 * starts from zero at its beginning.
 *
 *   byte 0     0x80 | is_write<<3 | log2(size)   for READ, WRITE of 1..16 bytes
 *              0x90 | is_write<<3 | log2(size)   for a run of them
 *              0xa0 | is_write                   for EARLIER_READ, _WRITE
 *              kind                              for everything else
 *   stack      zigzag varint, difference to the event before
 *   then, for the fields the kind has, in this order:
 *   addr       zigzag varint, difference to the address before
 *   size       varint
 *   arg        varint
 *   stamp      varint, difference to the stamp before
 *
 * A run stands for `count` accesses of the same size by the same place, each
 * right behind the one before: a loop over an array. After stack and addr (of
 * the first) follows the count, 4 bytes, little endian. The size of an EARLIER
 * event is 4 bytes as well, and its last field. These numbers have a fixed
 * width so that the writer can raise them in place, with one store, while the
 * event is the last of its kind.
 *
 * An event is at most CODEC_MAX bytes.
 */

#include "format/event.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	CODEC_MAX = 1 + 5 + 4 * 10,
	CODEC_RUN_MAX = 1 << 12, /* accesses in one run */
	CODEC_RUN = 0x90,
	CODEC_EARLIER = 0xa0,
};

/* The state of both directions: the values that differences refer to. */
struct codec {
	uint64_t addr;
	uint64_t stamp;
	uint32_t stack;
	/* Reading: what is left of the run that was begun. */
	uint32_t run_left;
	uint8_t run_code;
	const uint8_t *run_end;
};

static inline uint64_t codec_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t codec_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

static inline uint8_t *codec_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Returns the byte behind the number, or NULL when it does not end before
 * `end` or is longer than 64 bits. */
static inline const uint8_t *codec_get(const uint8_t *p, const uint8_t *end,
				       uint64_t *v)
{
	uint64_t sum = 0;

	for (unsigned int shift = 0; p < end && shift < 64; shift += 7) {
		uint64_t b = *p++;

		sum |= (b & 0x7f) << shift;
		if (b < 0x80) {
			*v = sum;
			return p;
		}
	}
	return NULL;
}

/* A plain access of 1 << size_log bytes. */
static inline uint8_t *codec_put_access(struct codec *c, uint8_t *p,
					unsigned int is_write,
					unsigned int size_log, uint64_t addr,
					uint32_t stack)
{
	*p++ = (uint8_t)(0x80 | is_write << 3 | size_log);
	p = codec_put(p, codec_zigzag((int32_t)(stack - c->stack)));
	p = codec_put(p, codec_zigzag((int64_t)(addr - c->addr)));
	c->stack = stack;
	c->addr = addr;
	return p;
}

static inline void codec_set_number(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

/* The first access of a run. *count_at: where its number is, 1 for now. */
static inline uint8_t *codec_put_run(struct codec *c, uint8_t *p,
				     unsigned int is_write,
				     unsigned int size_log, uint64_t addr,
				     uint32_t stack, uint8_t **count_at)
{
	uint8_t *end = codec_put_access(c, p, is_write, size_log, addr, stack);

	*p |= CODEC_RUN;
	*count_at = end;
	codec_set_number(end, 1);
	return end + 4;
}

/* *size_at: where its size is, to be raised when the bytes behind it turn out
 * to belong to it. */
static inline uint8_t *codec_put_earlier(struct codec *c, uint8_t *p,
					 const struct event *e,
					 uint8_t **size_at)
{
	*p++ = (uint8_t)(CODEC_EARLIER | (e->kind == EVENT_EARLIER_WRITE));
	p = codec_put(p, codec_zigzag((int32_t)(e->stack - c->stack)));
	p = codec_put(p, codec_zigzag((int64_t)(e->addr - c->addr)));
	p = codec_put(p, e->arg);
	c->stack = e->stack;
	c->addr = e->addr;
	*size_at = p;
	codec_set_number(p, (uint32_t)e->size);
	return p + 4;
}

static inline uint8_t *codec_put_event(struct codec *c, uint8_t *p,
				       const struct event *e)
{
	unsigned int fields = event_fields(e->kind);

	*p++ = e->kind;
	p = codec_put(p, codec_zigzag((int32_t)(e->stack - c->stack)));
	c->stack = e->stack;
	if (fields & FIELD_ADDR) {
		p = codec_put(p, codec_zigzag((int64_t)(e->addr - c->addr)));
		c->addr = e->addr;
	}
	if (fields & FIELD_SIZE)
		p = codec_put(p, e->size);
	if (fields & FIELD_ARG)
		p = codec_put(p, e->arg);
	if (fields & FIELD_STAMP) {
		p = codec_put(p, e->stamp - c->stamp);
		c->stamp = e->stamp;
	}
	return p;
}

/* codec_get for numbers with at least 10 readable bytes at p. Most are one
 * byte; the others are taken eight bytes at once, without a branch for each. */
static inline const uint8_t *codec_get_near(const uint8_t *p, uint64_t *v)
{
	uint64_t x, ends;

	if (*p < 0x80) {
		*v = *p;
		return p + 1;
	}
	memcpy(&x, p, sizeof(x));
	ends = ~x & UINT64_C(0x8080808080808080);
	if (__builtin_expect(!ends, 0))
		return codec_get(p, p + 10, v);
	x &= ends ^ (ends - 1); /* up to the first byte without the high bit */
	x = (x & UINT64_C(0x007f007f007f007f)) |
	    (x & UINT64_C(0x7f007f007f007f00)) >> 1;
	x = (x & UINT64_C(0x00003fff00003fff)) |
	    (x & UINT64_C(0x3fff00003fff0000)) >> 2;
	*v = (x & UINT64_C(0x0fffffff)) |
	     (x & UINT64_C(0x0fffffff00000000)) >> 4;
	return p + (__builtin_ctzll(ends) >> 3) + 1;
}

/* Both of them; `is_near` is known when compiling. */
static inline __attribute__((always_inline)) const uint8_t *codec_take(
	const uint8_t *p, const uint8_t *end, uint64_t *v, bool is_near)
{
	return is_near ? codec_get_near(p, v) : codec_get(p, end, v);
}

/* One access of a run, at c->addr. */
static inline void codec_run_event(const struct codec *c, struct event *e)
{
	e->addr = c->addr;
	e->stamp = c->stamp;
	e->stack = c->stack;
	e->arg = 0;
	e->size = (uint64_t)1 << (c->run_code & 7);
	e->kind = c->run_code & 8 ? EVENT_WRITE : EVENT_READ;
}

/* The events that end with a number of fixed width: `p` stands behind their
 * address. A run is not left until its last access was given out, so `start`
 * is returned before that. */
static inline const uint8_t *codec_take_sized(
	struct codec *c, const uint8_t *start, const uint8_t *p,
	const uint8_t *end, unsigned int code, struct event *e)
{
	uint32_t number;

	if ((code & 0xfe) == CODEC_EARLIER) {
		p = codec_get(p, end, &e->arg);
		if (!p || end - p < 4)
			return NULL;
		memcpy(&number, p, sizeof(number));
		e->size = number;
		e->kind = code & 1 ? EVENT_EARLIER_WRITE : EVENT_EARLIER_READ;
		return p + 4;
	}
	if ((code & 0xf0) != CODEC_RUN || (code & 7) > 4 || end - p < 4)
		return NULL;
	memcpy(&number, p, sizeof(number));
	if (!number || number > CODEC_RUN_MAX)
		return NULL;
	c->run_code = (uint8_t)code;
	c->run_left = number - 1;
	c->run_end = p + 4;
	codec_run_event(c, e);
	return c->run_left ? start : c->run_end;
}

static inline __attribute__((always_inline)) const uint8_t *codec_take_event(
	struct codec *c, const uint8_t *p, const uint8_t *end, struct event *e,
	bool is_near)
{
	const uint8_t *start = p;
	uint64_t v;
	unsigned int code, fields;

	code = *p++;
	p = codec_take(p, end, &v, is_near);
	if (!p)
		return NULL;
	c->stack += (uint32_t)codec_unzigzag(v);
	e->stack = c->stack;
	e->stamp = c->stamp;
	e->arg = 0;
	if (code & 0x80) {
		p = codec_take(p, end, &v, is_near);
		if (!p)
			return NULL;
		c->addr += (uint64_t)codec_unzigzag(v);
		e->addr = c->addr;
		if (__builtin_expect((code & 0xf0) != 0x80, 0))
			return codec_take_sized(c, start, p, end, code, e);
		if ((code & 7) > 4)
			return NULL;
		e->size = (uint64_t)1 << (code & 7);
		e->kind = code & 8 ? EVENT_WRITE : EVENT_READ;
		return p;
	}
	if (code >= EVENT_KINDS)
		return NULL;
	fields = event_fields(code);
	e->kind = (uint8_t)code;
	e->addr = e->size = 0;
	if (fields & FIELD_ADDR) {
		p = codec_take(p, end, &v, is_near);
		if (!p)
			return NULL;
		c->addr += (uint64_t)codec_unzigzag(v);
		e->addr = c->addr;
	}
	if (fields & FIELD_SIZE && !(p = codec_take(p, end, &e->size, is_near)))
		return NULL;
	if (fields & FIELD_ARG && !(p = codec_take(p, end, &e->arg, is_near)))
		return NULL;
	if (fields & FIELD_STAMP) {
		p = codec_take(p, end, &v, is_near);
		if (!p)
			return NULL;
		c->stamp += v;
		e->stamp = c->stamp;
	}
	return p;
}

/* Decodes one event; `thread` is left to the caller, and so is the stamp of
 * an event whose kind has none (it gets the stamp before). Returns NULL when
 * the bytes are not an event. */
static inline const uint8_t *codec_get_event(struct codec *c, const uint8_t *p,
					     const uint8_t *end,
					     struct event *e)
{
	if (__builtin_expect(c->run_left, 0)) {
		c->addr += (uint64_t)1 << (c->run_code & 7);
		codec_run_event(c, e);
		return --c->run_left ? p : c->run_end;
	}
	if (__builtin_expect(end - p >= CODEC_MAX, 1))
		return codec_take_event(c, p, end, e, true);
	return p < end ? codec_take_event(c, p, end, e, false) : NULL;
}

/* Passes over the accesses of a run that are still to come: how many. To be
 * called with what codec_get_event returned. */
static inline uint32_t codec_skip_run(struct codec *c, const uint8_t **p)
{
	uint32_t left = c->run_left;

	if (left) {
		c->addr += (uint64_t)left << (c->run_code & 7);
		c->run_left = 0;
		*p = c->run_end;
	}
	return left;
}

#endif
