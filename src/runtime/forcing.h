/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FORCING_H
#define HEDDLE_FORCING_H

/*
 * Obeying rules (format/force.h): who must wait, and what has passed. There is
 * one attempt at each rule at a time. It begins with the rule's first event,
 * and while nobody is held the latest first event counts. What a thread did
 * first is remembered for each thread apart, so that a thread which comes to a
 * later event finds its own attempt again although others began theirs
 * meanwhile.
 *
 * Nothing here waits or locks: perturb.c, where threads run freely, calls
 * under a lock of its own; strategy_force.c has the turn.
 */

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

#define FORCE_NONE UINT32_MAX

/* A thread is about to do something. */
struct force_stop {
	uint64_t addr, size;
	uint32_t thread;
	uint32_t site;
	uint32_t stack; /* hash of its calls, if rules ask for it */
	uint8_t kinds;	/* enum force_kind */
};

/* What holds a thread. */
struct force_hold {
	uint32_t rule; /* FORCE_NONE: nothing does */
	uint32_t event;
	bool has_begun; /* an attempt: something waits to be completed */
};

/* A run begins: the window of its seed. */
void force_begin(uint64_t seed);

/* Do rules of this run name the site? */
bool force_names(uint32_t site);

/* Must the thread be held? It is not yet. */
struct force_hold force_look(const struct force_stop *s);

/* Is what the thread stands before the next event of an attempt that has
 * begun? */
bool force_is_due(const struct force_stop *s);

/* The thread is held, and is not any more: because all before it has passed,
 * or in vain. */
void force_held(const struct force_stop *s, struct force_hold h);
void force_released(const struct force_stop *s, struct force_hold h);
bool force_is_released(struct force_hold h);

/* It happens. */
void force_pass(const struct force_stop *s);

/* What an event of this kind is to rules. */
uint8_t force_kinds(enum event_kind kind, uint64_t arg);

/* Under control time is counted in points. */
extern uint64_t (*force_clock)(void);

/* How long a thread may be held for this rule now, in microseconds. */
uint32_t force_patience(uint32_t rule);

void force_mark(uint32_t rule, uint32_t event, uint32_t thread, uint64_t object,
		enum force_mark_what what);

#pragma GCC visibility pop

#endif
