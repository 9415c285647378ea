/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CONTROL_H
#define HEDDLE_CONTROL_H

/*
 * A run under control, from before main to its end.
 *
 * While `controlled`, exactly one thread has the turn (turn.h) and runs code
 * of the program; all others wait for it inside the guest, or are in a real
 * call. Everything here and in turn.c is called by the thread that has the
 * turn, so none of it is locked. `controlled` is false in an observed process,
 * in the server, which only forks runs, and in processes the program forks.
 *
 * What happens is told in region->control (format/control_block.h). A run that
 * failed ends at once, in control_fail; the stacks of all threads are told
 * first.
 */

#include "format/control_block.h"
#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

extern bool controlled;

/* Controlled or perturbed (perturb.h): accesses go there instead of into the
 * filter. */
extern bool steered;

/* Of the region; NULL unless the tool asked for control. */
extern struct control *control;

/* Before the first run, in the server: what every run needs and can be born
 * with. It must not be in memory that fork empties (guest_map); but mappings of
 * such memory are inherited. */
void control_prepare(void);

/* In the process that is the run, before main. */
void control_begin(void);

/* The region tells of a new run, of this process. */
void control_reset(void);

/* In a process that the run forked. */
void control_leave(void);

/* A plain access of the program is about to happen. */
void control_access(struct thread *t, uintptr_t addr, size_t size,
		    bool is_write, uintptr_t pc);

/* A call of libc is one step: a point before it looks at memory, and none at
 * what it then touches (access_call). */
void control_call(struct thread *t, uintptr_t addr, bool is_write,
		  uintptr_t pc);
void control_part(struct thread *t, uintptr_t addr, size_t size, bool is_write,
		  uintptr_t pc);

/* What is read as far as it says itself: told in pieces, so that each depends
 * on nothing but those before. */
void control_text_read(struct thread *t, uintptr_t addr, size_t size,
		       uintptr_t pc);
void control_texts_read(struct thread *t, uintptr_t a, uintptr_t b, size_t size,
			uintptr_t pc);

/* The thread has come to the call by a point of another kind. */
void control_call_stands(struct thread *t);

/* What the call reads where nothing is recorded of it: printing. */
void control_lent(struct thread *t, uintptr_t addr, size_t size, uintptr_t pc);
void control_lent_text(struct thread *t, uintptr_t addr, size_t size,
		       uintptr_t pc);

/* The same for an atomic one, which counts as synchronisation. The thread is
 * inside. */
void control_atomic(struct thread *t, enum event_kind kind,
		    const volatile void *addr, size_t size, uintptr_t pc);

/* A basic block begins, of a program that was built so that it tells. It is no
 * point, but the last resort against loops without any (spin.h). */
void control_block(struct thread *t, uintptr_t pc);

/* The run has failed: tells how and ends the process. `text` may be NULL. The
 * outcome may have been filled in part by the caller (control_outcome). */
_Noreturn void control_fail(struct thread *t, enum outcome_kind kind,
			    const char *text, uintptr_t pc);

/* The same without ending the process, for failures after which the program
 * itself goes on to end (an assertion, a fault). Only the first counts. */
void control_tell(struct thread *t, enum outcome_kind kind, const char *text,
		  uintptr_t pc);

static inline struct outcome *control_outcome(void)
{
	return &control->run.outcome;
}

/* Stops for a debugger, if one is there. */
void control_trap(void);

/* Appends to the text of the outcome, for messages made of parts. */
void control_text(const char *part);

/* The place of code as sites count it, 0 when it is not known. Quick in the
 * main module once control_site_prepare was called. */
uint32_t control_site(uintptr_t pc);
void control_site_prepare(void);

#pragma GCC visibility pop

#endif
