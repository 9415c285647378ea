/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LOCATION_H
#define HEDDLE_LOCATION_H

/*
 * What memory an address was at a moment of the run. An address that was freed
 * and given out again is a different location: a heap location is named by the
 * block's allocating thread and count, which are the same in every run.
 *
 * Feed every event in the order of trace_next; then ask about the present.
 * Memory that was given back is still known by its last use until it gets a
 * new one, so that a use after free can be told from a wild address.
 */

#include "trace/site.h"

enum location_kind {
	LOCATION_UNKNOWN,
	LOCATION_GLOBAL,
	LOCATION_HEAP,
	LOCATION_STACK,
	LOCATION_MAPPED,
};

/* A value; copies are free. Two locations are the same place of the same
 * object iff kind, owner, generation and offset are equal. */
struct location {
	enum location_kind kind;
	uint32_t owner; /* heap, mapped: allocating thread; stack: its thread */
	uint64_t generation; /* heap, mapped: count of that thread */
	uint64_t offset;     /* in the object; STACK: below its top;
				GLOBAL, UNKNOWN: the address */
	uint64_t size;	     /* of the object; 0 unknown */
	uint32_t stack;	     /* where it was allocated, or NO_STACK */
	bool is_gone;	     /* it was freed, unmapped, or its thread ended */
};

struct locations;

struct locations *locations_new(const struct trace *t);
void locations_free(struct locations *l);
void locations_feed(struct locations *l, const struct event *e);
struct location location_find(struct locations *l, uint64_t addr);

/* "global table.count", "heap block of 64 bytes allocated at list.c:31, +8",
 * "freed heap block ...", "stack of thread 2, 96 bytes below its top". The
 * caller frees. */
char *location_name(const struct location *where, uint64_t addr, uint64_t size,
		    struct sites *sites);

#endif
