/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_STANDING_H
#define HEDDLE_STANDING_H

/*
 * Where the threads of a captured run stood when it failed, in words: stacks,
 * what each holds and what it waits for.
 *
 * The *own* frames of a stack are those in modules built with heddle cc; if it
 * has none, those outside of heddle and libc.
 */

#include "trial/captured.h"

#include <stdio.h>

/* The innermost own frames of a stack, at most `most`; returns how many. */
size_t standing_own(const struct captured *c, struct sites *s, uint32_t stack,
		    const struct frame **frames, size_t most);

/* "push (queue.c:40)", or "prog+0x1139" where no more is known. */
void standing_frame(const struct frame *f, FILE *out);

/* A stack, one frame a line, outermost frames of libc left out. */
void standing_stack(const struct captured *c, struct sites *s, uint32_t stack,
		    FILE *out);

/* "thread 1 (deposit)" */
void standing_name(const struct captured *c, struct sites *s, uint32_t thread,
		   FILE *out);

/* What an object is called that is waited for, or held, by an event of this
 * kind ("mutex"), or NULL; and what its name has to cover, lest it be that of a
 * member. */
const char *standing_object(unsigned int kind);
uint64_t standing_object_size(unsigned int kind);

/* Whether the thread is there and cannot go on by itself. */
bool standing_waits(const struct control_thread *t);

/* Every thread that has not ended, with all that is known. */
void standing_threads(const struct captured *c, struct sites *s, FILE *out);

#endif
