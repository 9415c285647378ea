/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_OWNSYNC_INNER_H
#define HEDDLE_OWNSYNC_INNER_H

/*
 * What the files of ownsync share: ownsync_find.c looks at the run ahead of
 * time, ownsync.c says what each event does.
 */

#include "analysis/granules.h"
#include "analysis/keymap.h"
#include "analysis/ownsync.h"
#include "base/vec.h"

enum {
	LOOP_READS = 8, /* that one turn of a loop has at most */
	RECENT = 2 * LOOP_READS,
	/* Turns without anything between, until a loop is one that waits. Of
	 * atomic loads the guest tells one more only if something was stored
	 * since the last: however many there were, two are told. */
	TURNS_ATOMIC = 1,
	TURNS_PLAIN = 16,
	FRESH_BLOCKS = 64, /* of a thread; more are taken as known */
};

/* 8 bytes of memory. */
struct place {
	uint32_t thread;     /* that was there, + 1 */
	uint8_t once, again; /* bytes that were written so often */
	bool is_shared;	     /* several threads were there */
	bool is_awaited;     /* a loop waits for it */
	uint64_t stamp;	     /* of the last write, or of an event before it */
	uint32_t written;    /* its number, while the run is fed */
};

struct seen_read {
	uint64_t addr;
	uint64_t stamp; /* of it, or of an event before */
	uint32_t site, ordinal;
};

/* A read that came again after a wait for a condition, or that ended a loop
 * with nothing in it. */
struct woken_read {
	uint64_t addr, from, to; /* stamps around the wait */
	uint32_t site;
};

/* A word of atomics, as one thread uses it. */
struct held_word {
	uint64_t addr;
	uint32_t last;	/* ordinal of its last exchange, 0 none since a store */
	uint64_t stamp; /* of it */
};

struct fresh_block {
	uint64_t low, high;
};

struct ownsync_thread {
	uint32_t ordinal;   /* of its accesses */
	bool has_created;   /* another thread */
	uint32_t locked;    /* mutexes that it has */
	uint64_t stamp;	    /* of its last event that has one */
	struct event write; /* its last, not written down yet; size 0: none */

	/* Reads since the loop could have begun, newest last. */
	struct seen_read recent[RECENT];
	uint32_t recent_count;
	uint32_t period, alike; /* of a loop, and its reads that were alike */
	bool is_plain;

	/* Reads in the critical section before a wait. */
	struct seen_read before[LOOP_READS];
	uint32_t before_count;
	uint64_t cond; /* that it waits or waited for */
	uint64_t wait_stamp;
	bool waits;

	VEC(struct held_word) words;

	/* While the second time or the run is fed. */
	uint64_t queue; /* + 1, in this critical section */
	VEC(struct fresh_block) fresh;
};

struct queue {
	uint64_t cond;
	uint32_t putter; /* + 1; UINT32_MAX: several */
	uint64_t puts, takes;
	uint64_t fed_puts;
};

/* From an exchange to the store that ends what it began. */
struct word_turn {
	uint64_t from, to; /* stamps */
	uint32_t word, thread;
};

/* A word, as all use it. */
struct word {
	uint64_t addr;
	uint32_t threads, last; /* how many threads locked it */
	bool is_lock;
	bool is_tried_again; /* by who did not get it */
};

struct ownsync {
	struct granules granules;
	VEC(struct place) places; /* [0] unused */
	VEC(struct ownsync_thread) threads;
	VEC(struct woken_read) woken;
	struct keymap waiting; /* sites of reads that wait for a condition */
	VEC(uint32_t) waiting_list;
	struct keymap ends;   /* thread and ordinal: last reads of loops */
	struct keymap looked; /* granule and thread: number of its last read */
	uint32_t fed;	      /* accesses, while the run is fed */
	struct keymap takers; /* queue and thread: it waits there */
	struct keymap taken;  /* queue and thread: how many, while fed */
	struct keymap queue_at; /* by address: queue + 1 */
	VEC(struct queue) queues;
	struct keymap word_at; /* by address: word + 1 */
	VEC(struct word) words;
	VEC(struct word_turn) word_turns;
	struct keymap locks; /* thread and ordinal: the exchange that locked */
	unsigned int times;  /* that all events were shown */
	bool has_loops;
};

struct ownsync_thread *ownsync_thread_at(struct ownsync *s, uint32_t thread);
bool ownsync_is_read(unsigned int kind);
bool ownsync_is_write(unsigned int kind);

/* The bytes of the granule at `at` that the access covers. */
uint8_t ownsync_mask(const struct event *e, uint64_t at);

#endif
