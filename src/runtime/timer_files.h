/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TIMER_FILES_H
#define HEDDLE_TIMER_FILES_H

/*
 * Timers that are descriptors (timerfd_create), on virtual time. They last
 * until their descriptor is closed; a copy of it made by dup keeps what was
 * counted, and counts no further.
 */

#pragma GCC visibility push(hidden)

/* The descriptor is about to be closed, or is another from now on. */
void timer_file_closed(int fd);

#pragma GCC visibility pop

#endif
