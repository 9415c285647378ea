/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_INHERIT_H
#define HEDDLE_INHERIT_H

/*
 * What a run finds mapped. A fork copies the page tables of memory that the
 * process may have changed; those of code it leaves out, for the pages can be
 * found again in their files. So each run would fault on every stretch of code
 * that it uses: twenty of the eighty faults of a small program.
 *
 * Therefore one byte of each segment of code is written, as it was, the way
 * debuggers write breakpoints. The kernel then counts the segment as changed
 * and copies what the server has mapped of it. (Mapping all of it before was no
 * gain: copying the tables cost what the faults had.) Where the kernel does not
 * allow it runs fault as ever.
 */

#pragma GCC visibility push(hidden)

/* In the server, before the first fork. */
void inherit_code(void);

#pragma GCC visibility pop

#endif
