/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/real.h"
#include "runtime/runtime.h"

#include <string.h>

/*
 * The memory functions of libc: the bytes they really touch are accesses of
 * whoever calls them. Idle they cost a look at one thread-local variable and a
 * jump. A function that stops early (at a difference, at a byte found) has
 * touched what lies before and the place where it stopped; if it only reads,
 * the real one comes first, because its result tells how far it went. Before
 * all stands access_call: under control nobody comes in between.
 *
 * Libraries without hooks call these as well, so that part of what they do is
 * seen too. Calls inside libc do not come by here.
 */

static inline void reads(struct thread *t, const void *p, size_t n,
			 uintptr_t pc)
{
	access_part(t, p, n, false, pc);
}

static inline void writes(struct thread *t, void *p, size_t n, uintptr_t pc)
{
	access_part(t, p, n, true, pc);
}

/* ---- copying ---- */

static void copies(struct thread *t, void *to, const void *from, size_t n,
		   uintptr_t pc)
{
	access_call_copies(t, to, from, pc);
	reads(t, from, n, pc);
	writes(t, to, n, pc);
}

EXPORT void *memcpy(void *to, const void *from, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies(t, to, from, n, CALLER);
	return real.memcpy(to, from, n);
}

EXPORT void *memmove(void *to, const void *from, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies(t, to, from, n, CALLER);
	return real.memmove(to, from, n);
}

EXPORT void *mempcpy(void *to, const void *from, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies(t, to, from, n, CALLER);
	return real.mempcpy(to, from, n);
}

EXPORT void bcopy(const void *from, void *to, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies(t, to, from, n, CALLER);
	real.bcopy(from, to, n);
}

static COLD void copies_until(struct thread *t, void *to, const char *from,
			      int stop, size_t n, uintptr_t pc)
{
	const char *at;

	access_call_copies(t, to, from, pc);
	at = real.memchr(from, stop, n);
	if (at)
		n = (size_t)(at - from) + 1;
	access_text(t, from, n, pc);
	writes(t, to, n, pc);
}

EXPORT void *memccpy(void *to, const void *from, int stop, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies_until(t, to, from, stop, n, CALLER);
	return real.memccpy(to, from, stop, n);
}

EXPORT void swab(const void *restrict from, void *restrict to, ssize_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t) && n > 1)
		copies(t, to, from, (size_t)n & ~(size_t)1, CALLER);
	real.swab(from, to, n);
}

/* ---- filling ---- */

EXPORT void *memset(void *p, int byte, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		access_range(t, p, n, true, CALLER);
	return real.memset(p, byte, n);
}

EXPORT void bzero(void *p, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		access_range(t, p, n, true, CALLER);
	real.bzero(p, n);
}

EXPORT void explicit_bzero(void *p, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		access_range(t, p, n, true, CALLER);
	real.explicit_bzero(p, n);
}

/* ---- comparing and searching ---- */

static COLD void compares(struct thread *t, const void *a, const void *b,
			  size_t n, int result, uintptr_t pc)
{
	const char *x = a, *y = b;
	size_t i = 0;

	if (result) {
		while (i < n && x[i] == y[i])
			i++;
		n = i < n ? i + 1 : n;
	}
	access_texts(t, a, b, n, pc);
}

EXPORT int memcmp(const void *a, const void *b, size_t n)
{
	struct thread *t = guest_self();
	int result;

	access_call_reads(t, a, CALLER);
	result = real.memcmp(a, b, n);
	if (unlikely(t))
		compares(t, a, b, n, result, CALLER);
	return result;
}

EXPORT int bcmp(const void *a, const void *b, size_t n)
{
	struct thread *t = guest_self();
	int result;

	access_call_reads(t, a, CALLER);
	result = real.bcmp(a, b, n);
	if (unlikely(t))
		compares(t, a, b, n, result, CALLER);
	return result;
}

EXPORT void *memchr(const void *p, int byte, size_t n)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, p, CALLER);
	at = real.memchr(p, byte, n);
	if (unlikely(t))
		access_text(t, p, at ? (size_t)(at - (const char *)p) + 1 : n,
			    CALLER);
	return at;
}

EXPORT void *memrchr(const void *p, int byte, size_t n)
{
	struct thread *t = guest_self();
	const char *from;
	char *at;

	access_call_reads(t, p, CALLER);
	at = real.memrchr(p, byte, n);
	from = at ? at : p;
	if (unlikely(t))
		reads(t, from, (size_t)((const char *)p + n - from), CALLER);
	return at;
}

EXPORT void *rawmemchr(const void *p, int byte)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, p, CALLER);
	at = real.rawmemchr(p, byte);
	if (unlikely(t))
		access_text(t, p, (size_t)(at - (const char *)p) + 1, CALLER);
	return at;
}

EXPORT void *memmem(const void *hay, size_t size, const void *needle, size_t n)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, hay, CALLER);
	at = real.memmem(hay, size, needle, n);
	if (unlikely(t)) {
		reads(t, hay, at ? (size_t)(at - (const char *)hay) + n : size,
		      CALLER);
		reads(t, needle, n, CALLER);
	}
	return at;
}

/* ---- what clang 15 and later call instead ---- */

EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n);
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies(t, to, from, n, CALLER);
	return real.memcpy(to, from, n);
}

EXPORT void *__tsan_memmove(void *to, const void *from, size_t n);
EXPORT void *__tsan_memmove(void *to, const void *from, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies(t, to, from, n, CALLER);
	return real.memmove(to, from, n);
}

EXPORT void *__tsan_memset(void *p, int byte, size_t n);
EXPORT void *__tsan_memset(void *p, int byte, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		access_range(t, p, n, true, CALLER);
	return real.memset(p, byte, n);
}
