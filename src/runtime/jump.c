/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"
#include "runtime/real.h"
#include "runtime/signal_control.h"

/*
 * A jump leaves functions without their exit hooks, and perhaps handlers of
 * signals. Which ones is told by the stack pointer it goes to: that stands in
 * the buffer, where glibc hides it (rotated, and mixed with a secret of the
 * thread) so that it cannot be forged.
 */

enum { JUMP_SP = 6, HIDDEN_ROTATION = 17 };

static uintptr_t jump_target(const struct __jmp_buf_tag *to)
{
	uintptr_t hidden = (uintptr_t)to->__jmpbuf[JUMP_SP];
	uintptr_t secret;

	__asm__("movq %%fs:0x30, %0" : "=r"(secret));
	return (hidden >> HIDDEN_ROTATION | hidden << (64 - HIDDEN_ROTATION)) ^
	       secret;
}

static void jump_begin(const struct __jmp_buf_tag *to)
{
	struct thread *t = self;
	uintptr_t frame;

	if (!t || !t->alive)
		return;
	/* A handler of an instant signal may jump out of the guest; nobody
	 * comes back to leave it. */
	t->inside = 0;
	frame = jump_target(to);
	signal_unwind(t, frame);
	stack_unwind(t, frame);
	if (controlled && to->__mask_was_saved)
		signal_mask_set(t->number,
				*(const uint64_t *)&to->__saved_mask);
}

EXPORT void longjmp(struct __jmp_buf_tag to[1], int value)
{
	jump_begin(to);
	real.longjmp(to, value);
	__builtin_unreachable();
}

EXPORT void _longjmp(struct __jmp_buf_tag to[1], int value)
{
	jump_begin(to);
	real._longjmp(to, value);
	__builtin_unreachable();
}

EXPORT void siglongjmp(struct __jmp_buf_tag to[1], int value)
{
	jump_begin(to);
	real.siglongjmp(to, value);
	__builtin_unreachable();
}

EXPORT void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
	__attribute__((noreturn));
EXPORT void __longjmp_chk(struct __jmp_buf_tag to[1], int value)
{
	jump_begin(to);
	real.__longjmp_chk(to, value);
	__builtin_unreachable();
}
