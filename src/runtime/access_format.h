/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ACCESS_FORMAT_H
#define HEDDLE_ACCESS_FORMAT_H

/*
 * What a format makes printf touch: strings that it prints, and numbers that
 * it leaves in memory (%n). Under control it is looked at before libc does, so
 * that a block that was freed is not printed, and what is printed is told as
 * read by the call (control_lent). And what one has made scanf write, which is
 * looked at afterwards.
 *
 * Not looked at: strings of wide characters, and everything from the first
 * conversion on that is not of the C standard or names its argument (%1$s).
 */

#include "runtime/control.h"

#include <stdarg.h>

#pragma GCC visibility push(hidden)

void format_look(const char *format, va_list list, uintptr_t pc);

/* Under control: these bytes, or this string, are about to be printed by a call
 * that is one step. */
void print_look(const void *at, size_t size, uintptr_t pc);
void print_look_string(const char *s, uintptr_t pc);

/* Leaves the list as it is. */
static inline void format_looks(const char *format, va_list list, uintptr_t pc)
{
	va_list copy;

	if (likely(!controlled))
		return;
	va_copy(copy, list);
	format_look(format, copy, pc);
	va_end(copy);
}

/* So many of scanf's arguments were assigned; the list is used up. */
void scan_look(const char *format, va_list list, int assigned, uintptr_t pc);

static inline void scan_looks(const char *format, va_list list, int assigned,
			      uintptr_t pc)
{
	if (unlikely(controlled))
		scan_look(format, list, assigned, pc);
}

#pragma GCC visibility pop

#endif
