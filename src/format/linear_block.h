/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_BLOCK_H
#define HEDDLE_LINEAR_BLOCK_H

/*
 * Requests and state: what a run under control tells of the requests it served
 * and of the state it is left with, and how the tool plays the world around it.
 * It is a part of the region (region.h).
 *
 * The world. When control.is_played is set, the tool is all the world there
 * is: its clients are the only ones who connect. The run then never waits for
 * the kernel to say what arrived. It *asks* (raises `said`): here I begin,
 * nobody can go on without the world, something was written to a socket. It
 * stands still until the tool *answers* (`answered` is then `said`): go on,
 * what is new is there; let time pass; tell the state and end. So what comes
 * from outside comes at a place of the schedule and not at a time of the day,
 * and runs with one seed are alike.
 *
 * The order. With `order_count` above 0 requests that the program marks are let
 * in one at a time, in this order: a serial execution. A request is named by
 * its thread and how many the thread made before it.
 *
 * The log. Requests and changes of the state are appended to `log` as entries,
 * in the order in which they happened, by whichever thread has the turn. The
 * tool builds components from them (linear/component.h). What the log has no
 * room for is counted in `lost`.
 */

#include <stdatomic.h>
#include <stdint.h>

enum {
	LINEAR_LOG = 1 << 26,
	LINEAR_ORDER = 1 << 12,
	LINEAR_THREADS = 1 << 12,
	LINEAR_SUMMARIES = 64,
};

enum world_word {
	WORLD_SILENT,
	WORLD_BEGINS, /* a run begins: nothing of it has happened */
	WORLD_IDLE,   /* nobody can go on without the world */
	WORLD_WROTE,  /* to a socket, if `wants_writes` */
};

enum world_answer {
	WORLD_GO_ON,
	WORLD_START, /* the same, and what is to be tested begins here */
	WORLD_REST,  /* the same, and what is to be tested is over */
	WORLD_TIME,  /* nothing will come before the next deadline */
	WORLD_TELL,  /* write the state into the log, and ask again */
	WORLD_END,   /* end the run here */
};

enum linear_kind {
	LINEAR_SET,
	LINEAR_MULTISET,
	LINEAR_SEQUENCE,
	LINEAR_MAP,
	LINEAR_COUNTER,
	LINEAR_BYTES,
	LINEAR_KINDS,
	/* Not of the state: */
	LINEAR_BEGIN = 16, /* of a request; the value is its input */
	LINEAR_FINISH,	   /* its end; the value is its output */
	LINEAR_SUMMARY,	   /* what follows was told at the end */
};

enum linear_change {
	LINEAR_ADD,    /* an element; a number to a counter */
	LINEAR_REMOVE, /* an element, a key */
	LINEAR_PUT,    /* the value of a key, of a counter, of bytes */
	LINEAR_CLEAR,  /* everything */
};

/* An entry of the log; name, key and value follow, then room up to a multiple
 * of 8. The number of a counter is a value of 8 bytes. */
struct linear_entry {
	uint32_t size; /* of all of it */
	uint8_t kind;  /* enum linear_kind */
	uint8_t change;
	uint16_t name_size;
	uint32_t thread;
	uint32_t nth; /* of a request, among those of its thread */
	uint32_t key_size, value_size;
};

struct linear_place {
	uint32_t thread, nth;
};

struct linear_block {
	/* The tool's. */
	_Atomic uint32_t wants_writes;
	_Atomic uint32_t answered; /* futex */
	_Atomic uint32_t answer;   /* enum world_answer */
	uint32_t order_count;
	struct linear_place order[LINEAR_ORDER];

	/* The guest's. */
	_Alignas(64) _Atomic uint32_t said; /* futex */
	_Atomic uint32_t word;		    /* enum world_word */
	uint32_t has_deadline;		    /* somebody waits for a time */
	_Atomic uint32_t log_used;	    /* bytes, whole entries */
	uint32_t lost;			    /* entries without room */
	uint32_t told_summaries;
	uint32_t position; /* in the order */
	uint32_t is_active;
	uint32_t active; /* thread whose request is being served */
	uint32_t made[LINEAR_THREADS];
	_Alignas(4096) uint8_t log[LINEAR_LOG];
};

#endif
