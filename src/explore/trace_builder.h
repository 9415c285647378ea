/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TRACE_BUILDER_H
#define HEDDLE_TRACE_BUILDER_H

/*
 * What the making of a trace model (trace_model.c) shares with its parts:
 * trace_sync.c for synchronisation, trace_given.c for what came before.
 *
 * A model of a window begins in the middle of a run. What came before is
 * *given*: it is not modelled, but it has left memory with values, locks held,
 * threads waiting and threads over. trace_given.c follows the lines before the
 * window and puts that in front of it, as initial values and as events that no
 * schedule can leave out or move.
 */

#include "analysis/keymap.h"
#include "explore/memory_parts.h"
#include "explore/trace_model.h"

/* What a thread has under way. */
struct actor {
	uint64_t condition; /* it waits for, 0: none */
	uint64_t mutex;
	bool timed_out;
	uint32_t barrier, round; /* it came to last */
	bool is_inside;		 /* an event of the present step is there */
};

/* How a thread holds a lock; 0: not. */
enum { HELD_ALONE = 1, HELD_SHARED };

struct builder {
	const struct run_trace *t;
	struct trace_model *m;
	struct memory_parts parts;
	struct keymap names;  /* of objects, by kind: from 1 */
	struct keymap handed; /* locks: the location of each, from 1 */
	struct keymap held;   /* lock and thread: how */
	uint32_t births; /* location: the next thread's number, or NO_LINE */
	VEC(uint32_t) entered; /* by barrier */
	VEC(uint64_t) now;     /* by location: what is there */
	VEC(bool) is_known;    /* by location: it has an initial value */
	struct actor *actors;
	bool in_step;  /* the line is bound to the one before */
	bool is_given; /* before the window */
	VEC(struct causal_event) given; /* that still matter */
};

/* An event before the window. */
void given_note(struct builder *b, const struct causal_event *e);

/* Locks that were held when the first thread was created, before which no line
 * is written: those that are let go and were never taken. */
void given_begin(struct builder *b);

/* The number of a lock; the variable that stands for one that is handed over,
 * or NO_LINE. */
uint32_t builder_lock(struct builder *b, uint64_t object);
uint32_t builder_handed(struct builder *b, uint64_t object);

/* The window begins. */
void given_settle(struct builder *b);

/* Adds an event; before the window it is noted only. */
void builder_add(struct builder *b, uint32_t line, struct causal_event e);

/* The same, whatever is given. */
void builder_event(struct builder *b, uint32_t line, struct causal_event e);

uint32_t builder_location(struct builder *b, uint64_t address, uint8_t size);

/* Of synchronisation (trace_sync.c): a line, false if it is something else;
 * locks that one thread takes and another lets go become variables, unless
 * conditions use them; where several threads create threads, so does the number
 * that a thread gets;
 * where more threads come to a barrier than make a round, others might meet;
 * where an object is made or destroyed, others might have used it before, or
 * after (trace_remade.c). */
bool sync_line_add(struct builder *b, uint32_t line);
void sync_find_handed(struct builder *b);
void sync_find_creators(struct builder *b);
void sync_find_crowds(struct trace_model *m);
void sync_find_remade(struct builder *b);

#endif
