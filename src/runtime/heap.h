/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_HEAP_H
#define HEDDLE_HEAP_H

/*
 * What other parts of the guest ask of the wrappers of malloc.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next allocation (or release) of this thread is made for a caller of
 * ours: it is recorded for that place in the program, not for the one in libc
 * or in the C++ runtime which calls malloc. What heap_for returned goes to
 * heap_for_end. An exception in between does no harm: it means that malloc was
 * called and failed. */
uintptr_t heap_for(uintptr_t pc);
void heap_for_end(uintptr_t outer);

/* Are all forms of new and delete the C++ runtime's, behind ours? A program may
 * bring some of its own. */
bool heap_cxx_is_whole(void);

/* Until the loan ends (NULL), what libc allocates in this thread while it is
 * inside the guest comes from `room` and is forgotten with it. The guest must
 * not leave blocks in the program's heap, and may be called where the heap
 * must not be used. */
void heap_lend(void *room, size_t size);

#endif
