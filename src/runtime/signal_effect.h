/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SIGNAL_EFFECT_H
#define HEDDLE_SIGNAL_EFFECT_H

/*
 * What the kernel would make of a signal, and what it is asked to do with one
 * under control: to raise it now, or to give back one that is pending.
 */

#include "runtime/signals.h"

#pragma GCC visibility push(hidden)

enum effect {
	EFFECT_NONE,
	EFFECT_HANDLER,
	EFFECT_END,    /* of the program */
	EFFECT_KERNEL, /* stops it, or is none of our business */
};

/* The action is filled in, unless the effect is EFFECT_KERNEL. */
enum effect effect_of(int signal, struct sigaction *act);

void effect_raise_for_all(const siginfo_t *info);
void effect_raise_for(long tid, const siginfo_t *info);

/* Takes one of these that is pending, for the calling thread or for all. */
bool effect_take(uint64_t set, siginfo_t *info);

#pragma GCC visibility pop

#endif
