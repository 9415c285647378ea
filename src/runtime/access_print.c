/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_format.h"
#include "runtime/heap.h"
#include "runtime/real.h"
#include "runtime/values.h"

/*
 * Printing into memory: the text written is an access of whoever prints. What
 * the format makes it read is looked at under control alone, by format_looks;
 * there a call of these is one step. With values its text is measured before it
 * is written, for what it replaces.
 */

#define PRINTER(name, params)                                                  \
	EXPORT int name params;                                                \
	EXPORT int name params

static void writes(struct thread *t, char *to, size_t room, int n, uintptr_t pc)
{
	if (n >= 0 && room)
		access_part(t, to, (size_t)n < room ? (size_t)n + 1 : room,
			    true, pc);
}

static COLD void begins_controlled(struct thread *t, char *to, size_t room,
				   const char *format, va_list args,
				   uintptr_t pc)
{
	va_list copy;

	access_call(t, to, true, pc);
	format_looks(format, args, pc);
	if (!values_on)
		return;
	va_copy(copy, args);
	writes(t, to, room, real.vsnprintf(NULL, 0, format, copy), pc);
	va_end(copy);
}

static inline void begins(char *to, size_t room, const char *format,
			  va_list args, uintptr_t pc)
{
	struct thread *t = controlled ? guest_self() : NULL;

	if (unlikely(t))
		begins_controlled(t, to, room, format, args, pc);
}

/* `n` characters were wanted, and there was room for `room` bytes. */
static inline int ends(char *to, size_t room, int n, uintptr_t pc)
{
	struct thread *t = values_on ? NULL : guest_self();

	if (unlikely(t))
		writes(t, to, room, n, pc);
	return n;
}

PRINTER(vsprintf, (char *to, const char *format, va_list args))
{
	begins(to, SIZE_MAX, format, args, CALLER);
	return ends(to, SIZE_MAX, real.vsprintf(to, format, args), CALLER);
}

PRINTER(vsnprintf, (char *to, size_t room, const char *format, va_list args))
{
	begins(to, room, format, args, CALLER);
	return ends(to, room, real.vsnprintf(to, room, format, args), CALLER);
}

PRINTER(__vsprintf_chk,
	(char *to, int flag, size_t most, const char *format, va_list args))
{
	begins(to, SIZE_MAX, format, args, CALLER);
	return ends(to, SIZE_MAX,
		    real.__vsprintf_chk(to, flag, most, format, args), CALLER);
}

PRINTER(__vsnprintf_chk, (char *to, size_t room, int flag, size_t most,
			  const char *format, va_list args))
{
	begins(to, room, format, args, CALLER);
	return ends(to, room,
		    real.__vsnprintf_chk(to, room, flag, most, format, args),
		    CALLER);
}

PRINTER(sprintf, (char *to, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	begins(to, SIZE_MAX, format, args, CALLER);
	n = real.vsprintf(to, format, args);
	va_end(args);
	return ends(to, SIZE_MAX, n, CALLER);
}

PRINTER(snprintf, (char *to, size_t room, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	begins(to, room, format, args, CALLER);
	n = real.vsnprintf(to, room, format, args);
	va_end(args);
	return ends(to, room, n, CALLER);
}

PRINTER(__sprintf_chk,
	(char *to, int flag, size_t most, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	begins(to, SIZE_MAX, format, args, CALLER);
	n = real.__vsprintf_chk(to, flag, most, format, args);
	va_end(args);
	return ends(to, SIZE_MAX, n, CALLER);
}

PRINTER(__snprintf_chk,
	(char *to, size_t room, int flag, size_t most, const char *format, ...))
{
	va_list args;
	int n;

	va_start(args, format);
	begins(to, room, format, args, CALLER);
	n = real.__vsnprintf_chk(to, room, flag, most, format, args);
	va_end(args);
	return ends(to, room, n, CALLER);
}

/* ---- into a new block ---- */

static int printed_new(char **to, const char *format, va_list args,
		       uintptr_t pc)
{
	struct thread *t = guest_self();
	uintptr_t outer;
	int n;

	if (unlikely(t))
		access_call(t, format, false, pc);
	format_looks(format, args, pc);
	outer = heap_for(pc);
	n = real.vasprintf(to, format, args);
	heap_for_end(outer);
	if (unlikely(t) && n >= 0)
		writes(t, *to, SIZE_MAX, n, pc);
	return n;
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
