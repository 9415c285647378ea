/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SERVER_H
#define HEDDLE_SERVER_H

/*
 * Where runs under control begin: before main, or before the first thread that
 * a constructor creates, or where the program says that it is ready. See
 * server.c.
 */

#pragma GCC visibility push(hidden)

/* The program is about to create a thread, perhaps the first. Returns in each
 * run. */
void server_before_thread(void);

/* The program says so. Returns in each run. */
void server_ready(void);

/* Nobody can go on, and somebody waits for the outside: it is ready, if the
 * tool said that this is it. Returns in each run. */
void server_idle(void);

/* The program has ended, perhaps before it was ready. */
void server_end(void);

#pragma GCC visibility pop

#endif
