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

#pragma GCC visibility pop

#endif
