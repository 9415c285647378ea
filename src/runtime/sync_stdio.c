/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model_stdio.h"
#include "runtime/access_format.h"
#include "runtime/heap_control.h"
#include "runtime/sync.h"

#include <stdio_ext.h>
#include <wchar.h>

/*
 * The functions of stdio that take the lock of their stream. Seen from outside
 * only flockfile is synchronisation, and it is recorded as a mutex that can be
 * taken more than once; the others matter under control, where nobody may wait
 * in the kernel with the turn in his hand.
 *
 * Those without a lock (*_unlocked) are not here, nor those that print into
 * memory.
 */

static struct stream_use enter(FILE *stream, uintptr_t pc)
{
	return unlikely(controlled) ? model_stream_enter(stream, pc) :
				      (struct stream_use){ 0 };
}

static void leave(const struct stream_use *use)
{
	if (unlikely(use->thread))
		model_stream_leave(use);
}

/* For the length of the function; also when cancellation ends it. */
#define USE(stream)                                                            \
	const struct stream_use use __attribute__((cleanup(leave), unused)) =  \
		enter(stream, CALLER)

/* ---- locks ---- */

EXPORT void flockfile(FILE *stream)
{
	USE(stream);

	real.flockfile(stream);
	if (controlled)
		model_stream_held(stream, CALLER);
	sync_record(EVENT_MUTEX_LOCK, stream, 0, CALLER);
}

EXPORT int ftrylockfile(FILE *stream)
{
	int rc;

	if (controlled)
		model_stream_point(stream, EVENT_MUTEX_FAIL, CALLER);
	rc = real.ftrylockfile(stream);
	if (rc == 0) {
		if (controlled)
			model_stream_held(stream, CALLER);
		sync_record(EVENT_MUTEX_LOCK, stream, LOCK_TRIED, CALLER);
	}
	return rc;
}

EXPORT void funlockfile(FILE *stream)
{
	sync_record(EVENT_MUTEX_UNLOCK, stream, 0, CALLER);
	if (controlled)
		model_stream_point(stream, EVENT_MUTEX_UNLOCK, CALLER);
	real.funlockfile(stream);
	if (controlled)
		model_stream_dropped(stream);
}

/* ---- everything else ---- */

/* `look`: at what of the program's memory it is about to read. */
#define ON_LOOKED_AT(result, name, params, args, stream, look)                 \
	EXPORT result name params;                                             \
	EXPORT result name params                                              \
	{                                                                      \
		USE(stream);                                                   \
                                                                               \
		look;                                                          \
		return real.name args;                                         \
	}

#define ON_STREAM(result, name, params, args, stream)                          \
	ON_LOOKED_AT(result, name, params, args, stream, (void)0)
#define ON_BYTES(result, name, params, args, stream, at, size)                 \
	ON_LOOKED_AT(result, name, params, args, stream,                       \
		     print_look(at, size, CALLER))
#define ON_STRING(result, name, params, args, stream, s)                       \
	ON_LOOKED_AT(result, name, params, args, stream,                       \
		     print_look_string(s, CALLER))
#define ON_FORMAT(result, name, params, args, stream, format, list)            \
	ON_LOOKED_AT(result, name, params, args, stream,                       \
		     format_looks(format, list, CALLER))

#define ON_SCAN(name, params, args, stream)                                    \
	EXPORT int name params;                                                \
	EXPORT int name params                                                 \
	{                                                                      \
		USE(stream);                                                   \
		va_list copy;                                                  \
		int rc;                                                        \
                                                                               \
		va_copy(copy, list);                                           \
		rc = real.name args;                                           \
		scan_looks(format, copy, rc, CALLER);                          \
		va_end(copy);                                                  \
		return rc;                                                     \
	}

/* sync_input.c has those. */
#define ON_INPUT(result, name, params, args, stream)

#include "runtime/sync_stdio.def"

/* Those with a list of arguments go to the ones that take it as a va_list. */
#define VARIADIC_AS(name, params, last, target, args, stream, look, then)      \
	EXPORT int name params;                                                \
	EXPORT int name params                                                 \
	{                                                                      \
		USE(stream);                                                   \
		va_list list, again;                                           \
		int rc;                                                        \
                                                                               \
		va_start(list, last);                                          \
		va_copy(again, list);                                          \
		look;                                                          \
		rc = real.target args;                                         \
		then;                                                          \
		va_end(again);                                                 \
		va_end(list);                                                  \
		return rc;                                                     \
	}

#define VARIADIC(name, params, last, target, args, stream)                     \
	VARIADIC_AS(name, params, last, target, args, stream, (void)0, (void)0)
#define PRINTER(name, params, last, target, args, stream)                      \
	VARIADIC_AS(name, params, last, target, args, stream,                  \
		    format_looks(last, list, CALLER), (void)0)
#define SCANNER(name, params, last, target, args, stream)                      \
	VARIADIC_AS(name, params, last, target, args, stream, (void)0,         \
		    scan_looks(last, again, rc, CALLER))

PRINTER(printf, (const char *format, ...), format, vfprintf,
	(stdout, format, list), stdout)
PRINTER(fprintf, (FILE * f, const char *format, ...), format, vfprintf,
	(f, format, list), f)
PRINTER(__printf_chk, (int flag, const char *format, ...), format,
	__vfprintf_chk, (stdout, flag, format, list), stdout)
PRINTER(__fprintf_chk, (FILE * f, int flag, const char *format, ...), format,
	__vfprintf_chk, (f, flag, format, list), f)
VARIADIC(wprintf, (const wchar_t *format, ...), format, vfwprintf,
	 (stdout, format, list), stdout)
VARIADIC(fwprintf, (FILE * f, const wchar_t *format, ...), format, vfwprintf,
	 (f, format, list), f)
/* The scanf of the headers, by the names programs have it under since C99. */
SCANNER(__isoc99_scanf, (const char *format, ...), format, __isoc99_vfscanf,
	(stdin, format, list), stdin)
SCANNER(__isoc99_fscanf, (FILE * f, const char *format, ...), format,
	__isoc99_vfscanf, (f, format, list), f)

/* There is no stream afterwards that could be looked at. */
EXPORT int fclose(FILE *stream)
{
	if (controlled) {
		USE(stream);
	}
	return real.fclose(stream);
}
