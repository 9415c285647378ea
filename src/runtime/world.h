/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WORLD_H
#define HEDDLE_WORLD_H

/*
 * The world outside, when the tool plays it (format/linear_block.h): the run
 * asks and stands still until it is answered. Called by the thread that has the
 * turn, inside the guest.
 */

#include "runtime/control.h"

#pragma GCC visibility push(hidden)

/* Does the tool play the world of this run? */
static inline bool world_is_played(void)
{
	return atomic_load_explicit(&control->is_played,
				    memory_order_relaxed) != 0;
}

/* Set-up and probes: nobody else is served meanwhile, so accesses are no places
 * to change threads at. */
extern bool world_is_apart;

/* A run begins. */
void world_begin(void);

/* Nobody can go on. True: what the tool sent is there. False: time passes. Does
 * not return when the run is over. */
bool world_idle(bool has_deadline);

/* Something was sent through this descriptor. */
void world_wrote(int fd);

#pragma GCC visibility pop

#endif
