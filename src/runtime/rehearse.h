/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REHEARSE_H
#define HEDDLE_REHEARSE_H

/*
 * The first thread of a process costs libc more than the others: it sets up
 * signals of its own, tells every stream that it needs locks from now on, and
 * notes that there is more than one thread, each on another page. So that not
 * every run pays for that, a thread that does nothing is created and joined
 * before the first run.
 *
 * What is left of it is what libc knows. A program may see that as
 * __libc_single_threaded, which is false from its beginning on: libc is not
 * sure. It is so in every run under control, forked or not, so that they are
 * alike. (To set only that variable will not do: libc then takes its signals
 * and streams for prepared, and setgroups waits for ever.)
 */

#pragma GCC visibility push(hidden)

/* In a process that has no other thread, and does not have one afterwards. */
void rehearse(void);

#pragma GCC visibility pop

#endif
