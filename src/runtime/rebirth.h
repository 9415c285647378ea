/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REBIRTH_H
#define HEDDLE_REBIRTH_H

/*
 * Forking a process with all its threads. The kernel's fork copies the memory
 * of all and the thread that calls; the others are born again in the child, on
 * their old stacks and with their old thread-local storage.
 *
 * That works because under control every thread without the turn is in one
 * place: it waits for its word (passing.c). On the way to the point where runs
 * begin (`rebirth_expected`) it waits there by rebirth_park, which leaves on
 * its stack all that it takes to go on. In the server they wait for ever, in
 * each run a new thread goes on from there.
 *
 * Kernel ids change, and are put right where libc and the guest keep them:
 * thread control block, owners of mutexes and locks that are held, the region.
 * What else the kernel knows of a thread (signal mask, alternate stack, list of
 * robust mutexes, restartable sequences) is set again. Its name is not.
 *
 * Not possible for threads in a real call, for threads that are not under
 * control, and where libc is not as we know it; then freezing says no.
 */

#include "runtime/control.h"

#include <time.h>

#pragma GCC visibility push(hidden)

/* Threads that wait may be born again. */
extern bool rebirth_expected;

/* Waits for the word, as futex(2) does. */
void rebirth_park(uint32_t me, _Atomic uint32_t *word,
		  const struct timespec *tick);

/* In the thread that has the turn: all others are parked from now on. NULL, or
 * why they cannot be. */
const char *rebirth_freeze(struct thread *t);

/* In the child, by the same thread: everybody is there again, parked. False
 * when the kernel gives no thread. */
bool rebirth_all(struct thread *t);

#pragma GCC visibility pop

#endif
