/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_format.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

#include <stdlib.h>

/*
 * Functions of libc that make numbers of a string: it is read up to where the
 * number ends, and the byte there. In the manner of access_libc.c.
 */

static void reads(struct thread *t, const char *s, const char *end,
		  uintptr_t pc)
{
	access_text(t, s, (size_t)(end - s) + 1, pc);
}

#define INTEGER(result, name)                                                  \
	EXPORT result name(const char *restrict s, char **restrict end,        \
			   int base)                                           \
	{                                                                      \
		struct thread *t = guest_self();                               \
		char *at = (char *)(uintptr_t)s;                               \
		result number;                                                 \
                                                                               \
		access_call_reads(t, s, CALLER);                               \
		number = real.name(s, &at, base);                              \
		if (unlikely(t))                                               \
			reads(t, s, at, CALLER);                               \
		if (end)                                                       \
			*end = at;                                             \
		return number;                                                 \
	}

#define FRACTION(result, name)                                                 \
	EXPORT result name(const char *restrict s, char **restrict end)        \
	{                                                                      \
		struct thread *t = guest_self();                               \
		char *at;                                                      \
		result number;                                                 \
                                                                               \
		access_call_reads(t, s, CALLER);                               \
		number = real.name(s, &at);                                    \
		if (unlikely(t))                                               \
			reads(t, s, at, CALLER);                               \
		if (end)                                                       \
			*end = at;                                             \
		return number;                                                 \
	}

/* As the standard has them. */
#define SIMPLE(result, name, made)                                             \
	EXPORT result name(const char *s)                                      \
	{                                                                      \
		struct thread *t = guest_self();                               \
		char *at;                                                      \
		result number;                                                 \
                                                                               \
		access_call_reads(t, s, CALLER);                               \
		number = (result)made;                                         \
		if (unlikely(t))                                               \
			reads(t, s, at, CALLER);                               \
		return number;                                                 \
	}

INTEGER(long, strtol)
INTEGER(long long, strtoll)
INTEGER(unsigned long, strtoul)
INTEGER(unsigned long long, strtoull)
FRACTION(float, strtof)
FRACTION(double, strtod)
FRACTION(long double, strtold)
SIMPLE(int, atoi, real.strtol(s, &at, 10))
SIMPLE(long, atol, real.strtol(s, &at, 10))
SIMPLE(long long, atoll, real.strtoll(s, &at, 10))
SIMPLE(double, atof, real.strtod(s, &at))

/* ---- by a format: all of the string is looked at ---- */

static int scanned(const char *s, const char *format, va_list list,
		   uintptr_t pc)
{
	struct thread *t = guest_self();
	va_list again;
	int rc;

	access_call_reads(t, s, pc);
	va_copy(again, list);
	rc = real.__isoc99_vsscanf(s, format, list);
	if (unlikely(t))
		reads(t, s, s + real.strlen(s), pc);
	scan_looks(format, again, rc, pc);
	va_end(again);
	return rc;
}

EXPORT int __isoc99_vsscanf(const char *s, const char *format, va_list list);
EXPORT int __isoc99_vsscanf(const char *s, const char *format, va_list list)
{
	return scanned(s, format, list, CALLER);
}

EXPORT int __isoc99_sscanf(const char *s, const char *format, ...);
EXPORT int __isoc99_sscanf(const char *s, const char *format, ...)
{
	va_list list;
	int rc;

	va_start(list, format);
	rc = scanned(s, format, list, CALLER);
	va_end(list);
	return rc;
}
