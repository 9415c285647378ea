/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_MEMORY_PARTS_H
#define HEDDLE_MEMORY_PARTS_H

/*
 * The memory that a run touched, cut where any access begins or ends, and at
 * least every 8 bytes: so each access touches every part whole or not at all.
 */

#include "explore/run_trace.h"

struct memory_part {
	uint64_t begin;
	uint32_t size;	   /* 0: nobody touches it */
	uint32_t location; /* for whoever numbers them; all bits at first */
	uint16_t thread;
	bool is_shared; /* by two threads */
	bool is_written;
};

struct memory_parts {
	VEC(struct memory_part) all; /* by address */
	uint32_t *positions;	     /* by thread: events so far */
};

void memory_parts_init(struct memory_parts *p, const struct run_trace *t);
void memory_parts_done(struct memory_parts *p);

/* The first part at that address or behind it. */
size_t memory_parts_find(const struct memory_parts *p, uint64_t address);

#endif
