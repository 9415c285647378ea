/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/real.h"
#include "runtime/runtime.h"

/*
 * What a fortified program calls instead of the functions of access_libc.c and
 * access_string.c. The last parameter is the room at the destination; when it
 * is too small the real function ends the program, and that is recorded like
 * any other use.
 */

#define FORTIFIED(result, name, params)                                        \
	EXPORT result name params;                                             \
	EXPORT result name params

static void copies_block(struct thread *t, void *to, const void *from, size_t n,
			 uintptr_t pc)
{
	access_call_copies(t, to, from, pc);
	access_part(t, from, n, false, pc);
	access_part(t, to, n, true, pc);
}

static void copies(struct thread *t, char *to, const char *from, size_t read,
		   size_t written, uintptr_t pc)
{
	access_text(t, from, read, pc);
	access_part(t, to, written, true, pc);
}

FORTIFIED(void *, __memcpy_chk,
	  (void *to, const void *from, size_t n, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies_block(t, to, from, n, CALLER);
	return real.__memcpy_chk(to, from, n, room);
}

FORTIFIED(void *, __memmove_chk,
	  (void *to, const void *from, size_t n, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies_block(t, to, from, n, CALLER);
	return real.__memmove_chk(to, from, n, room);
}

FORTIFIED(void *, __mempcpy_chk,
	  (void *to, const void *from, size_t n, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies_block(t, to, from, n, CALLER);
	return real.__mempcpy_chk(to, from, n, room);
}

FORTIFIED(void *, __memset_chk, (void *p, int byte, size_t n, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		access_range(t, p, n, true, CALLER);
	return real.__memset_chk(p, byte, n, room);
}

FORTIFIED(void, __explicit_bzero_chk, (void *p, size_t n, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		access_range(t, p, n, true, CALLER);
	real.__explicit_bzero_chk(p, n, room);
}

static COLD void copies_all(struct thread *t, char *to, const char *from,
			    uintptr_t pc)
{
	size_t n;

	access_call_copies(t, to, from, pc);
	n = real.strlen(from) + 1;
	copies(t, to, from, n, n, pc);
}

FORTIFIED(char *, __strcpy_chk, (char *to, const char *from, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies_all(t, to, from, CALLER);
	return real.__strcpy_chk(to, from, room);
}

FORTIFIED(char *, __stpcpy_chk, (char *to, const char *from, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies_all(t, to, from, CALLER);
	return real.__stpcpy_chk(to, from, room);
}

static COLD void copies_most(struct thread *t, char *to, const char *from,
			     size_t n, uintptr_t pc)
{
	size_t length;

	access_call_copies(t, to, from, pc);
	length = real.strnlen(from, n);
	copies(t, to, from, length < n ? length + 1 : n, n, pc);
}

FORTIFIED(char *, __strncpy_chk,
	  (char *to, const char *from, size_t n, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies_most(t, to, from, n, CALLER);
	return real.__strncpy_chk(to, from, n, room);
}

FORTIFIED(char *, __stpncpy_chk,
	  (char *to, const char *from, size_t n, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies_most(t, to, from, n, CALLER);
	return real.__stpncpy_chk(to, from, n, room);
}

static COLD void appends(struct thread *t, char *to, const char *from,
			 size_t most, uintptr_t pc)
{
	size_t end, n;

	access_call_copies(t, to, from, pc);
	end = real.strlen(to);
	n = real.strnlen(from, most);
	access_text(t, to, end + 1, pc);
	copies(t, to + end, from, n < most ? n + 1 : n, n + 1, pc);
}

FORTIFIED(char *, __strcat_chk, (char *to, const char *from, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		appends(t, to, from, SIZE_MAX, CALLER);
	return real.__strcat_chk(to, from, room);
}

FORTIFIED(char *, __strncat_chk,
	  (char *to, const char *from, size_t n, size_t room))
{
	struct thread *t = guest_self();

	if (unlikely(t))
		appends(t, to, from, n, CALLER);
	return real.__strncat_chk(to, from, n, room);
}
