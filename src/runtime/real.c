/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/real.h"

/*
 * An entry that has not been looked up yet holds the address of its late_NAME,
 * which leaves the entry's place in r11 and goes to real_late. That one saves
 * every register an argument can be in (al counts the vector registers of a
 * variadic call), fills the table, and jumps to what the entry holds now, so
 * that even arguments on the stack are where the callee wants them.
 *
 * Two threads cannot meet here: the wrapper of pthread_create goes through the
 * table as well.
 */

#define REAL(result, name, params)                                             \
	static __attribute__((naked, noinline, used)) void late_##name(void)   \
	{                                                                      \
		__asm__("movl %0, %%r11d\n\tjmp real_late"                     \
			:                                                      \
			: "i"(offsetof(struct real, name)));                   \
	}
#define REAL_VERSION(result, name, params, version) REAL(result, name, params)
#include "runtime/real.def"
#undef REAL
#undef REAL_VERSION

struct real real = {
#define REAL(result, name, params) .name = (result(*) params)late_##name,
#define REAL_VERSION(result, name, params, version) REAL(result, name, params)
#include "runtime/real.def"
#undef REAL
#undef REAL_VERSION
};

bool real_ready;

__asm__(".text\n"
	".type real_late, @function\n"
	"real_late:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	push %rdx\n"
	"	push %rcx\n"
	"	push %r8\n"
	"	push %r9\n"
	"	push %rax\n"
	"	push %r11\n"
	"	sub $128, %rsp\n"
	"	movups %xmm0, (%rsp)\n"
	"	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n"
	"	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n"
	"	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n"
	"	movups %xmm7, 112(%rsp)\n"
	"	call real_init\n"
	"	movups (%rsp), %xmm0\n"
	"	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n"
	"	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n"
	"	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n"
	"	movups 112(%rsp), %xmm7\n"
	"	add $128, %rsp\n"
	"	pop %r11\n"
	"	pop %rax\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rcx\n"
	"	pop %rdx\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	lea real(%rip), %r10\n"
	"	jmp *(%r10, %r11)\n"
	"	.cfi_endproc\n"
	".size real_late, . - real_late\n");

/* In the order of struct real, which is an array of pointers. */
static const struct {
	const char *name;
	const char *version; /* NULL: the default one */
} wanted[] = {
#define REAL(result, name, params) { #name, NULL },
#define REAL_VERSION(result, name, params, version) { #name, version },
#include "runtime/real.def"
#undef REAL
#undef REAL_VERSION
};

enum { WANTED = sizeof(wanted) / sizeof(*wanted) };

_Static_assert(sizeof(struct real) == WANTED * sizeof(void *),
	       "struct real is an array of pointers");

/* The function behind us in the order of lookup. */
static void *find(const char *name, const char *version)
{
	void *function = NULL;

	if (version)
		function = dlvsym(RTLD_NEXT, name, version);
	if (!function)
		function = dlsym(RTLD_NEXT, name);
	return function;
}

void *real_of_cxx(const char *name)
{
	static const char library[] = "libstdc++.so.6";
	void *runtime = real.dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	void *function;

	/* A program that has the runtime linked in (-static-libstdc++) left out
	 * of it what it found in us. */
	if (!runtime)
		runtime = real.dlopen(library, RTLD_LAZY);
	function = runtime ? dlsym(runtime, name) : NULL;
	if (!function)
		__builtin_trap();
	return function;
}

void real_init(void)
{
	static bool begun;
	void **entry = (void **)&real;

	if (begun)
		return;
	begun = true;
	for (int i = 0; i < WANTED; i++) {
		entry[i] = find(wanted[i].name, wanted[i].version);
		if (&entry[i] == (void **)&real.malloc_usable_size)
			real_ready = true;
	}
}
