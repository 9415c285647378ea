/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_MODEL_STDIO_H
#define HEDDLE_MODEL_STDIO_H

/*
 * Streams under control. Nearly every function of stdio takes the lock of its
 * stream, and flockfile keeps it; a thread that would have to wait for it waits
 * for the turn instead. Inside the functions there are no points, so that they
 * are atomic, as they are meant to be; unless a stream is made of the program's
 * own functions, and then its lock is seen to be taken.
 */

#include "runtime/runtime.h"

#include <bits/types/FILE.h>

#pragma GCC visibility push(hidden)

/* A call of a function of stdio, from before the real one until it is over. */
struct stream_use {
	struct thread *thread; /* NULL: not modelled */
	FILE *stream;
	bool is_locked; /* by us, besides */
};

/* Waits until the real function will not; `stream` NULL: all of them. */
struct stream_use model_stream_enter(FILE *stream, uintptr_t pc);
void model_stream_leave(const struct stream_use *use);

/* flockfile and its like, besides. */
void model_stream_held(const FILE *stream, uintptr_t pc);
void model_stream_point(const FILE *stream, enum event_kind kind, uintptr_t pc);
void model_stream_dropped(const FILE *stream);

#pragma GCC visibility pop

#endif
