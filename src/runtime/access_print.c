/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_format.h"
#include "runtime/heap.h"
#include "runtime/real.h"

/*
 * Printing into memory: the text written is an access of whoever prints. What
 * the format makes it read is not recorded; under control it is looked at.
 */

#define PRINTER(name, params)                                                  \
	EXPORT int name params;                                                \
	EXPORT int name params

/* `n` characters were wanted, and there was room for `room` bytes. */
static int printed(char *to, size_t room, int n, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (unlikely(t) && n >= 0 && room)
		access_range(t, to, (size_t)n < room ? (size_t)n + 1 : room,
			     true, pc);
	return n;
}

PRINTER(vsprintf, (char *to, const char *format, va_list args))
{
	format_looks(format, args, CALLER);
	return printed(to, SIZE_MAX, real.vsprintf(to, format, args), CALLER);
}

PRINTER(vsnprintf, (char *to, size_t room, const char *format, va_list args))
{
	format_looks(format, args, CALLER);
	return printed(to, room, real.vsnprintf(to, room, format, args),
		       CALLER);
}

PRINTER(__vsprintf_chk,
	(char *to, int flag, size_t most, const char *format, va_list args))
{
	format_looks(format, args, CALLER);
	return printed(to, SIZE_MAX,
		       real.__vsprintf_chk(to, flag, most, format, args),
		       CALLER);
}

PRINTER(__vsnprintf_chk, (char *to, size_t room, int flag, size_t most,
			  const char *format, va_list args))
{
	format_looks(format, args, CALLER);
	return printed(to, room,
		       real.__vsnprintf_chk(to, room, flag, most, format, args),
		       CALLER);
}

PRINTER(sprintf, (char *to, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	format_looks(format, args, CALLER);
	n = real.vsprintf(to, format, args);
	va_end(args);
	return printed(to, SIZE_MAX, n, CALLER);
}

PRINTER(snprintf, (char *to, size_t room, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	format_looks(format, args, CALLER);
	n = real.vsnprintf(to, room, format, args);
	va_end(args);
	return printed(to, room, n, CALLER);
}

PRINTER(__sprintf_chk,
	(char *to, int flag, size_t most, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	format_looks(format, args, CALLER);
	n = real.__vsprintf_chk(to, flag, most, format, args);
	va_end(args);
	return printed(to, SIZE_MAX, n, CALLER);
}

PRINTER(__snprintf_chk,
	(char *to, size_t room, int flag, size_t most, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	format_looks(format, args, CALLER);
	n = real.__vsnprintf_chk(to, room, flag, most, format, args);
	va_end(args);
	return printed(to, room, n, CALLER);
}

/* ---- into a new block ---- */

static int printed_new(char **to, const char *format, va_list args,
		       uintptr_t pc)
{
	uintptr_t outer;
	int n;

	format_looks(format, args, pc);
	outer = heap_for(pc);
	n = real.vasprintf(to, format, args);
	heap_for_end(outer);
	return n < 0 ? n : printed(*to, SIZE_MAX, n, pc);
}

PRINTER(vasprintf, (char **to, const char *format, va_list args))
{
	return printed_new(to, format, args, CALLER);
}

PRINTER(asprintf, (char **to, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	n = printed_new(to, format, args, CALLER);
	va_end(args);
	return n;
}
