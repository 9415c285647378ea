/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/place.h"

#include "runtime/sys.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unwind.h>

/* The code of the program itself. */
static uintptr_t text_low, text_high;

void place_prepare(void)
{
	const ElfW(Phdr) *header = (void *)getauxval(AT_PHDR);
	uintptr_t base = (uintptr_t)header;

	for (unsigned long i = 0; header && i < getauxval(AT_PHNUM); i++) {
		if (header[i].p_type == PT_PHDR)
			base -= header[i].p_vaddr;
		if (header[i].p_type != PT_LOAD || !(header[i].p_flags & PF_X))
			continue;
		text_low = base + header[i].p_vaddr;
		text_high = text_low + header[i].p_memsz;
	}
}

static bool is_in_text(uintptr_t pc)
{
	return pc >= text_low && pc < text_high;
}

/* Or in a library that has hooks as the program has, known already or not. */
static bool is_in_program(uintptr_t pc)
{
	return is_in_text(pc) ||
	       (module_site(pc) && module_is_instrumented(pc));
}

/* ---- by the tables for unwinding ---- */

/* Where a search goes on that met a fault. */
static __thread void *walk_end[5];
static __thread bool is_walking;

void place_fault(void)
{
	if (is_walking)
		__builtin_longjmp(walk_end, 1);
}

/* Frames of ours are skipped as those of libc are. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *frame, void *to)
{
	uintptr_t *found = to, pc = _Unwind_GetIP(frame);

	if (!is_in_program(pc))
		return _URC_NO_REASON;
	*found = pc;
	return _URC_END_OF_STACK;
}

/* Unwinding reads what return addresses point to, and a stack that was written
 * over has any: so faults come through meanwhile. */
static void faults_let_in(void)
{
	uint64_t faults = UINT64_C(1) << (SIGSEGV - 1) |
			  UINT64_C(1) << (SIGBUS - 1);

	SYS_4(SYS_rt_sigprocmask, SIG_UNBLOCK, &faults, NULL, sizeof(faults));
}

/* 0: there is none, or no way to it. The tables are found without a lock
 * (_dl_find_object). */
static __attribute__((noinline)) uintptr_t walk(uintptr_t pc)
{
	struct dl_find_object module;
	uintptr_t found = 0;

	/* A jump to nowhere: there is nothing to unwind. */
	if (_dl_find_object((void *)pc, &module) != 0)
		return 0;
	if (__builtin_setjmp(walk_end) == 0) {
		is_walking = true;
		faults_let_in();
		_Unwind_Backtrace(visit, &found);
	}
	is_walking = false;
	return *(volatile uintptr_t *)&found;
}

/* ---- by the look of words ---- */

/* Behind a call, direct or through a register or a pointer. */
static bool is_return(uintptr_t pc)
{
	const uint8_t *code = (const uint8_t *)pc;

	if (!is_in_text(pc) || pc - text_low < 6)
		return false;
	return code[-5] == 0xe8 || (code[-6] == 0xff && code[-5] == 0x15) ||
	       (code[-2] == 0xff && (code[-1] & 0xf8) == 0xd0) ||
	       (code[-3] == 0xff && (code[-2] & 0x38) == 0x10);
}

/* The first word on the stack that leads back into the program. It may be left
 * from an earlier call. */
static uintptr_t scan(const struct thread *t, uintptr_t sp)
{
	enum { LOOK = 1024 };
	const uintptr_t *at = (const uintptr_t *)(sp & ~(uintptr_t)7);

	if ((uintptr_t)at < t->stack_low)
		return 0;
	for (int i = 0; i < LOOK && (uintptr_t)(at + i) < t->stack_high; i++)
		if (is_return(at[i]))
			return at[i];
	return 0;
}

uintptr_t place_of(const struct thread *t, uintptr_t pc, uintptr_t sp)
{
	uintptr_t found;

	if (is_in_program(pc))
		return pc;
	found = walk(pc);
	if (!found)
		found = scan(t, sp);
	return found ? found : pc;
}
