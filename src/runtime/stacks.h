/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STACKS_H
#define HEDDLE_STACKS_H

/*
 * Stacks of threads under control: at an address fixed by the thread's number,
 * not used twice in a run. A pthread_t is an address in the stack, and libc
 * gives stacks again when the kernel happens to be done with them; programs
 * see both.
 */

#include "runtime/runtime.h"

#include <pthread.h>
#include <threads.h>

#pragma GCC visibility push(hidden)

/* Before the first run. */
void stacks_prepare(void);

/* As pthread_create and thrd_create, on a stack of ours unless the program
 * gave its own. */
int stacks_create(pthread_t *id, const pthread_attr_t *attr,
		  void *(*routine)(void *), void *arg, uint32_t number);
int stacks_create_c11(thrd_t *id, thrd_start_t routine, void *arg,
		      uint32_t number);

/* Above each of our stacks there is one for handlers, NULL if the calling
 * thread, whose number is given, has another stack. */
enum { STACKS_ALTERNATE = 1 << 16 };
void *stacks_alternate(uint32_t number);

#pragma GCC visibility pop

#endif
