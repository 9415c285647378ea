/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SYNCMAP_H
#define HEDDLE_SYNCMAP_H

/*
 * The synchronisation objects that exist at a moment of the run, by address
 * and class, each with a number of its own. An object is there from its first
 * use until it is destroyed or its memory ends; what comes to the same address
 * later is another object.
 *
 * The map knows addresses and numbers only. The user keeps what belongs to
 * the number, and is told when one is over so that it can let go of it.
 */

#include "analysis/granules.h"
#include "format/event.h"

#include <stdint.h>

enum sync_class {
	SYNC_NONE,
	SYNC_MUTEX, /* and spin locks: one address cannot be both */
	SYNC_RWLOCK,
	SYNC_COND,
	SYNC_SEM,
	SYNC_BARRIER,
	SYNC_ONCE,
	SYNC_ATOMIC,
	SYNC_NOTE,
};

struct sync_node {
	uint64_t addr;
	uint32_t next; /* in the same granule, or in the list of free nodes */
	uint32_t number;
	uint8_t class;
};

struct syncmap {
	struct granules granules;
	struct sync_node *nodes; /* nodes[0] is not used */
	uint32_t count, room, free;
	void (*over)(void *self, uint32_t number);
	void *self;
};

/* What class of object an event is about; SYNC_NONE when about none. */
enum sync_class sync_class_of(unsigned int kind);

/* `over` may be NULL. */
void syncmap_init(struct syncmap *m, void (*over)(void *, uint32_t),
		  void *self);
void syncmap_done(struct syncmap *m);

/* The number's place; 0 when the object is new, and then the caller gives it
 * one. NULL never. Good until the next call. */
uint32_t *syncmap_at(struct syncmap *m, uint64_t addr, enum sync_class class);

/* The number, or 0. */
uint32_t syncmap_find(struct syncmap *m, uint64_t addr, enum sync_class class);

/* Ends what the event ends: destroying, or memory that comes or goes. */
void syncmap_feed(struct syncmap *m, const struct event *e);

#endif
