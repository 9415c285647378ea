/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LEARN_H
#define HEDDLE_LEARN_H

/*
 * Which sites touch memory that several threads use? The first few runs of a
 * program find out (CONTROL_LEARN); the rest have points there only.
 *
 * A granule (8 bytes) is shared when, while more than one thread was alive,
 * two threads used it in one run and one of them wrote. That it is shared is
 * remembered over runs, for addresses agree between them under control; so the
 * next run also finds the sites that used it before the second thread came.
 * A site is private only if it was met, and never on a shared granule.
 *
 * And how often does each thread come to each object? A thread has the same
 * name in every run: that of its creator, and which of its creations it was.
 * What it does counts for all it descends from too. Of several runs the largest
 * number is kept, in control->profile.
 */

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/* In the server, before the first run: what runs are to remember together. */
void learn_prepare(void);
void learn_begin(void);
void learn_access(uint32_t thread, uintptr_t addr, size_t size, bool is_write,
		  uint32_t site);

/* The same where the run is told with values (values.h): false when an earlier
 * access of this run should have been told, and was not. */
bool learn_watch(uint32_t thread, uintptr_t addr, size_t size, bool is_write,
		 uint32_t site);

/* The same of an atomic access, which is a point and told wherever it is. */
bool learn_told(uint32_t thread, uintptr_t addr, size_t size, bool is_write);

/* The only thread there is touches memory: its place counts as shared if the
 * memory does. */
void learn_alone(uintptr_t addr, size_t size, uint32_t site);

/* The thread stands before an event, as its control_thread says. */
void learn_event(uint32_t thread);

/* The name of a thread that is the same in every run. */
uint64_t learn_name(uint32_t thread);

/* Is this event one that is counted, and of which object? 0: none. */
uint64_t learn_object(const struct control_thread *c);

/* How often a thread of that name, and those it creates, come to the object. */
uint32_t learn_count(uint64_t object, uint64_t name);

#pragma GCC visibility pop

#endif
