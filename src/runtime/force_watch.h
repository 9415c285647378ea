/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FORCE_WATCH_H
#define HEDDLE_FORCE_WATCH_H

/*
 * Interleavings P R C that came about although nobody waited for them. The
 * attempt at a rule (forcing.h) is one at a time, of one thread and one object;
 * where many threads pass P on many objects it is mostly of another one. Here
 * each thread and object is looked at by itself: P begins anew, R of another
 * thread on the same memory comes between, C of the thread that did P ends it.
 * So what is told has happened, with no other P, R or C of that thread on that
 * object in between.
 *
 * Rules of another shape are not watched. The last few of a rule are
 * remembered. Called as forcing.h is, from the last event of a rule to the
 * first.
 */

#include "runtime/forcing.h"

#pragma GCC visibility push(hidden)

/* A run begins. */
void watch_begin(uint32_t rule);

/* Is this event P, R or C of an interleaving? */
bool watch_has(uint32_t rule, uint32_t event);

/* The thread comes to this memory: what it began there is over. */
void watch_forget(uint32_t rule, const struct force_stop *s);

/* The thread does what the event says. True: it is C, and all have passed. */
bool watch_pass(uint32_t rule, uint32_t event, const struct force_stop *s);

#pragma GCC visibility pop

#endif
