/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PROFILES_H
#define HEDDLE_PROFILES_H

/*
 * More profiles than the one that was watched: runs under control, by random
 * walk and by PCT, from seeds that are always the same, with every access
 * recorded. What a program does often depends on who came first; one free run
 * shows one way, and which one is luck. What the others could do is added to
 * the candidates, so that these depend less on what was watched.
 *
 * A run that failed is left out: to bring failures about is the next step's.
 * Where the program cannot be controlled, or is too long for it, nothing is
 * added.
 */

#include "expose/expose.h"

/* Up to `count` of them, for about `ms` milliseconds. Returns how many. */
uint32_t profiles_add(const struct expose_options *o, struct expose_result *r,
		      uint32_t count, uint64_t ms);

/* What one run under control shows, its numbers those of the trace `here`, as
 * are those of what is known by another. NULL if it failed or could not be
 * made. */
struct unserial_result *profile_controlled(struct worker *w,
					   const struct trace *here,
					   const struct unserial_result *known,
					   const struct control_ask *ask,
					   enum unserial_rank rank);

#endif
