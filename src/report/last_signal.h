/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LAST_SIGNAL_H
#define HEDDLE_LAST_SIGNAL_H

/*
 * Threads that wait for a condition for ever: when was it signalled last?
 * Mostly before they began to wait, and that is the bug: what they wait for was
 * changed without the lock, or was not looked at again.
 */

#include "report/witness.h"

#include <stdio.h>

/* The step of the last signal or broadcast; WITNESS_NONE: there was none, or
 * the thread does not wait for a condition. */
uint32_t last_signal(const struct witness *w, const struct witness_wait *x);

/* A sentence for each thread that waits for a condition. */
void last_signals_print(const struct witness *w, FILE *out);

#endif
