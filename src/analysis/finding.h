/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FINDING_H
#define HEDDLE_FINDING_H

/*
 * What the analyses conclude, as plain data. Nothing here is formatted: a
 * stack is a node of the trace's tree of calls (stack_resolve), a location is
 * named by location_name, a thread by trace_thread. Whoever prints adds no
 * logic.
 *
 * Findings live in a struct analysis_result (analysis.h), which owns every
 * array they point to.
 */

#include "format/event.h"
#include "trace/location.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lock_kind {
	LOCK_MUTEX,
	LOCK_SPIN,
	LOCK_RWLOCK,
	LOCK_SEMAPHORE, /* that is used as a mutex */
};

/* A lock as a thread held it, or wanted it. */
struct held_lock {
	uint64_t addr;
	enum lock_kind kind;
	bool is_read;	/* a read-write lock taken for reading */
	uint32_t lock;	/* number of the lock in the run, from 1: one address
			    may have been several locks */
	uint32_t stack; /* where it was, or would have been, acquired */
	struct location where;
};

/* One side of a race. */
struct race_access {
	uint32_t thread;
	uint8_t kind;  /* READ, WRITE, VPTR_*, ATOMIC_*, or FREE; never
			    EARLIER_* */
	bool is_write; /* and freeing counts as writing */
	bool is_atomic;
	bool is_earlier; /* told afterwards: stamp and locks are unknown */
	uint32_t stack;
	uint64_t addr, size; /* as the program accessed it */
	uint64_t stamp;
	struct held_lock *locks; /* outermost first */
	size_t lock_count;
};

/* Two accesses to the same bytes, at least one a write and at least one not
 * atomic, by two threads, with nothing that orders them. `first` came first
 * in this run. */
struct race_finding {
	struct race_access first, second;
	uint64_t addr, size;   /* bytes that both touched */
	struct location where; /* of addr */
	uint64_t count;	       /* how often this pair of sites raced */
};

/* A thread held one lock and wanted the next. */
struct lockcycle_edge {
	uint32_t thread;
	uint64_t stamp; /* when it got the wanted one (it did, in this run) */
	struct held_lock held;
	struct held_lock wanted; /* is held by the next edge of the cycle */
};

/* Locks taken in a circle by different threads: they can wait for each other
 * for ever. The last edge wants what the first one holds. */
struct lockcycle_finding {
	struct lockcycle_edge *edges;
	size_t edge_count; /* at least 2 */
	uint64_t count; /* cycles of other locks or threads with these sites */
};

/* The run in numbers. */
struct run_summary {
	uint64_t events;
	uint64_t by_kind[EVENT_KINDS];
	uint64_t threads;  /* that did something */
	uint64_t accesses; /* plain, as recorded */
	uint64_t atomics;
	uint64_t shared_granules; /* 8 bytes of memory used by two threads or
				     more, one of them writing */
	uint64_t shared_objects;  /* heap blocks and mappings holding such, plus
				     one for each such granule elsewhere */
	uint64_t sites;		  /* distinct places of accesses */
	uint64_t stacks;	  /* distinct call stacks of accesses */
	uint64_t locks;		  /* distinct */
	uint64_t acquisitions;
	uint64_t allocations;
	uint64_t allocated_bytes;
	uint64_t first_stamp, last_stamp;
};

#endif
