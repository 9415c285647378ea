/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WAIT_MACROS_H
#define HEDDLE_WAIT_MACROS_H

/*
 * The macros that a platform provides for a suite of parallel kernels: the
 * first process is main, CREATE makes the others, BARRIER lets them meet, and
 * WAIT_FOR_END(n) waits until the n that were created have ended.
 *
 * Whoever wrote WAIT_FOR_END took n for the number of all processes, so the
 * last one is not waited for. With -DFIXED it is.
 *
 * Kernels do not meet in a barrier after their last phase but rely on the end
 * of the processes, hence what the last one computes there may be late.
 */

#include "subject.h"

#define PROCESSES_MAX 8

static pthread_t process_ids[PROCESSES_MAX];
static int process_count;
static pthread_barrier_t process_barrier;

#define MAIN_INITENV(n) pthread_barrier_init(&process_barrier, NULL, (n))
#define CREATE(body, arg)                                                      \
	subject_start(&process_ids[process_count++], (body), (arg))
#define BARRIER() pthread_barrier_wait(&process_barrier)

#ifdef FIXED
#define WAIT_FOR_END(n)                                                        \
	for (int ended_ = 0; ended_ < (n); ended_++)                           \
	pthread_join(process_ids[ended_], NULL)
#else
#define WAIT_FOR_END(n)                                                        \
	for (int ended_ = 1; ended_ < (n); ended_++)                           \
	pthread_join(process_ids[ended_ - 1], NULL)
#endif

#endif
