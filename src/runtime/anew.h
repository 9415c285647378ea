/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ANEW_H
#define HEDDLE_ANEW_H

/*
 * What descriptors a run begins with. A fork shares them: what one run wrote
 * into a pipe the next would read, and a file would be at its end. So each run
 * has its pipes, pairs of sockets, event counters and epolls made anew, under
 * the same numbers and with what was in them; files stand where they stood when
 * the server began. Of a listening socket all runs have the same, one after the
 * other; connections that a run has not taken are gone before the next begins.
 *
 * Not possible is a connection with somebody outside, who will not say the
 * same things again. What is in a file is not put back (--exec is for that),
 * nor is a timer behind a descriptor set again.
 *
 * One end of a pipe whose other end is outside stays what it is.
 */

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* In the server, before the first run: NULL, or why runs cannot have theirs
 * anew. */
const char *anew_note(void);

/* In the run, before it goes on. */
bool anew_make(void);

/* In the server, when a run is over. */
void anew_settle(void);

/* Does the process listen for connections? */
bool anew_listens(void);

#pragma GCC visibility pop

#endif
