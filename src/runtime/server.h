/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SERVER_H
#define HEDDLE_SERVER_H

/*
 * Where runs under control begin: before main, or where the program says that
 * it is ready. See server.c.
 */

#pragma GCC visibility push(hidden)

/* The program says so. Returns in each run. */
void server_ready(void);

/* Nobody can go on, and somebody waits for the outside: it is ready, if the
 * tool said that this is it. Returns in each run. */
void server_idle(void);

#pragma GCC visibility pop

#endif
