/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SYS_H
#define HEDDLE_SYS_H

/*
 * System calls made by the guest itself: straight to the kernel, because
 * libc's functions may be the program's (or our own wrappers), and because
 * errno belongs to the program. Results are the kernel's: -errno on failure.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long sys_call(long number, long a, long b, long c, long d, long e,
			    long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#define SYS_0(n) sys_call(n, 0, 0, 0, 0, 0, 0)
#define SYS_1(n, a) sys_call(n, (long)(a), 0, 0, 0, 0, 0)
#define SYS_2(n, a, b) sys_call(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS_3(n, a, b, c) sys_call(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS_4(n, a, b, c, d)                                                   \
	sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS_6(n, a, b, c, d, e, f)                                             \
	sys_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e),     \
		 (long)(f))

#endif
