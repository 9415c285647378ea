/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ROSTER_H
#define HEDDLE_ROSTER_H

/*
 * The roster says which thread of ours a pthread_t means.
 *
 * libc gives a pthread_t again as soon as its thread was joined, or was
 * detached and has ended; so for a moment two entries may have the same one:
 * that of the thread whose joiner has not struck it off yet, and that of its
 * successor. Whoever asks before joining means the newest.
 *
 * An entry exists from roster_add (by creator or child, whoever comes first)
 * until the thread was joined, or was detached and has ended. It has its place
 * by thread number, and numbers are never used twice. Callers must be inside
 * the guest: there is a lock.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

void roster_add(uint32_t number, pthread_t id);

/* NO_THREAD when it is not there. */
uint32_t roster_find(pthread_t id);

void roster_joined(uint32_t number);
void roster_detached(uint32_t number);
void roster_ended(uint32_t number);
bool roster_is_detached(uint32_t number);

#endif
