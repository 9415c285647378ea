/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SERVER_WATCH_H
#define HEDDLE_SERVER_WATCH_H

/*
 * The server looks after a run: waits for it, ends it when it makes no progress
 * for too long, takes the turn from a thread that sleeps where control does not
 * reach (format/watchdog.h), and afterwards waits for the processes that the
 * program itself has started. Those that do not end by themselves are ended.
 */

#pragma GCC visibility push(hidden)

/* Returns the wait status of the run, a child of this process. */
int server_watch(long pid);

/* All other children of this process: waits for them a while, unless they are
 * to end at once, and ends those that are left. */
void server_orphans(_Bool at_once);

#pragma GCC visibility pop

#endif
