/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_IROOT_H
#define HEDDLE_IROOT_H

/*
 * Maple's iRoots (Yu, Narayanasamy, Pereira, Pokam, OOPSLA 2012): small
 * patterns of dependencies between threads, by idiom:
 *
 *   1  a -> b                  one dependency
 *   2  a1 -> b -> a2           a remote access between two local ones, to one
 *                              object
 *   3  a1 -> b1, b2 -> a2      two remote ones between them, to one object
 *   4  a1(x) -> b1(x), b2(y) -> a2(y)  two objects in the same order: an action
 *                              on both that is not one
 *   5  the same with b2 before b1 in the text: two objects in opposite order,
 *                              as in deadlocks
 *
 * Whatever order a profiled run had, both orders of two conflicting events are
 * iRoots if the threads lived at the same time. Local pairs are taken within a
 * window of a few events.
 *
 * Finds: what was seen and what is predicted, by places, each once.
 * Misses: what the input does not reach, and pairs beyond the window.
 * Wrong when: an order by a condition or semaphore makes an iRoot impossible;
 *   trying it then costs runs and comes to nothing, as in Maple.
 */

#include "regress/candidate.h"

/* `events` are those of a run, but with the site of each as its stack. Appends
 * in the order of the idioms; their events are in the order of the iRoot, not
 * of the run. */
void iroots_find(const struct event *events, size_t count,
		 struct candidates *out);

#endif
