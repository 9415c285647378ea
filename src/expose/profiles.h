/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PROFILES_H
#define HEDDLE_PROFILES_H

/*
 * More profiles than the one that was watched: runs under control, by random
 * walk and by PCT, from seeds that are always the same, with every access
 * recorded. What a program does often depends on who came first; one free run
 * shows one way, and which one is luck. What the others could do is added to
 * the candidates, so that these depend less on what was watched. Where one run
 * shows that a loop waits or that a word is a lock, all are looked at with that
 * in mind, the watched one too.
 *
 * A run that failed is left out: to bring failures about is the next step's.
 * Where the program cannot be controlled, or is too long for it, nothing is
 * added.
 */

#include "expose/expose.h"

/* `count` of them, and more as long as their second half shows something new,
 * for about `ms` milliseconds. Returns how many were of use. */
uint32_t profiles_add(const struct expose_options *o, struct expose_result *r,
		      uint32_t count, uint64_t ms);

#endif
