/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spin.h"

/*
 * The ways into the turn. Each keeps the registers that its caller may not
 * change, which are what the program had in them or lie on the stack by now;
 * together with the stack they are the whole private state of the thread.
 * Nobody else runs in between, so one place is enough for all threads.
 *
 * A few stores, and then the function itself, which finds its arguments where
 * the caller put them.
 */

/* Sorted among the small variables, whose page is written to in any case. */
struct spin_frame spin_frame __attribute__((aligned(8)));

#define ENTRY(name, function)                                                  \
	__asm__(".text\n"                                                      \
		".globl " #name "\n"                                           \
		".hidden " #name "\n"                                          \
		".type " #name ", @function\n" #name ":\n"                     \
		"	.cfi_startproc\n"                                            \
		"	movq %rbx, spin_frame(%rip)\n"                               \
		"	movq %rbp, spin_frame+8(%rip)\n"                             \
		"	movq %r12, spin_frame+16(%rip)\n"                            \
		"	movq %r13, spin_frame+24(%rip)\n"                            \
		"	movq %r14, spin_frame+32(%rip)\n"                            \
		"	movq %r15, spin_frame+40(%rip)\n"                            \
		"	movq %rsp, spin_frame+48(%rip)\n"                            \
		"	jmp " #function "\n"                                   \
		"	.cfi_endproc\n"                                              \
		".size " #name ", . - " #name "\n")

ENTRY(turn_point, point_here);
ENTRY(turn_await, await_here);
ENTRY(turn_await_signal, await_signal_here);
ENTRY(turn_yield, yield_here);
ENTRY(spin_look_unseen, unseen_here);
