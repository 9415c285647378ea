/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_VALUES_H
#define HEDDLE_VALUES_H

/*
 * A run told event by event, with values (format/traced.h). The turn adds a
 * line when a thread goes on from a point; whoever made the point then fills in
 * what came of it: the lock was taken, this value is there.
 *
 * A hook runs before its access. What memory holds then is what a read will
 * get, and what a write replaces. What the write leaves behind is looked at
 * when its thread comes to its next event, returns from a function, or gives
 * memory back; nobody else has run until then. A place that cannot be read is
 * left to the program to stumble over.
 *
 * All functions are called by the thread that has the turn, and do nothing
 * unless the tool asked for values.
 */

#include "runtime/control.h"

#pragma GCC visibility push(hidden)

/* The run is told; false before the first thread is created. */
extern bool values_on;

void values_begin(void);

/* Thread `number` goes on from the point where it stands. `in_time`: what it
 * waited for has come; returned as it is. */
bool values_point(uint32_t number, bool in_time);

/* It has stood here before, `cycle` points of its own ago, in the same private
 * state; for the next line. */
void values_spins(uint32_t number, uint64_t cycle);

/* Is this access to be an event? Remembers whose the memory is. */
bool values_watch(uint32_t thread, uintptr_t addr, size_t size, bool is_write,
		  uint32_t site);

/* An atomic access, which is an event in any case: remembers the same. */
void values_told(uint32_t thread, uintptr_t addr, size_t size, bool is_write);

/* The access that the thread is about to make. */
void values_access(struct thread *t, enum event_kind kind, uintptr_t addr,
		   size_t size, uintptr_t pc);

/* The same of an access of a call that is one step (control.h): the first has
 * the line of the point before the call, others are bound to the line before.
 */
void values_part(struct thread *t, enum event_kind kind, uintptr_t addr,
		 size_t size, uintptr_t pc, bool is_bound);

/* An access to memory that is shared was not told: the next run tells it. */
void values_missed(void);

/* The exchange did not happen. */
void values_failed(void);

/* What was written last is looked at now. */
void values_settle_now(void);
extern bool values_open;

static inline void values_settle(void)
{
	if (unlikely(values_open))
		values_settle_now();
}

/* A mapping is about to end. */
void values_unmap(void);

/* Of the line of thread t that was added last: */
void values_flag(const struct thread *t, enum traced_flag flag);
void values_kind(const struct thread *t, enum event_kind kind);
void values_object(const struct thread *t, uint64_t object);
void values_number(const struct thread *t, uint64_t was, uint32_t other);

/* The write that was told stands for the end of a block. */
void values_frees(const struct thread *t, uintptr_t block);

/* A lock that nobody can take twice was taken, or let go. */
void values_took(const struct thread *t, const volatile void *object);
void values_left(const struct thread *t, const volatile void *object);

/* The run depends on something that is not told. */
void values_unmodelled(enum event_kind kind);

/* A wait has a time limit, whether or not time will end it. */
void values_timed(void);

#pragma GCC visibility pop

#endif
