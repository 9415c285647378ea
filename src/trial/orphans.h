/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ORPHANS_H
#define HEDDLE_ORPHANS_H

/*
 * Processes that tested programs forked, and that have outlived them. They
 * come to the tool (orphans_adopt), which ends them when it is done: heddle
 * leaves nothing running.
 */

void orphans_adopt(void);

/* Ends every child of this process that there still is. */
void orphans_end(void);

#endif
