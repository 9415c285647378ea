/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

#include <ctype.h>
#include <string.h>

/*
 * The string functions of libc, in the manner of access_libc.c: a string is
 * read up to and including its end, or the place where the function stopped.
 * Real functions are called for lengths, so that nothing is recorded twice.
 */

static void reads(struct thread *t, const char *s, size_t n, uintptr_t pc)
{
	access_text(t, s, n, pc);
}

static void writes(struct thread *t, char *s, size_t n, uintptr_t pc)
{
	access_part(t, s, n, true, pc);
}

static void reads_all(struct thread *t, const char *s, uintptr_t pc)
{
	reads(t, s, real.strlen(s) + 1, pc);
}

/* A string that is looked at up to its end, but not beyond n bytes. */
static void reads_most(struct thread *t, const char *s, size_t n, uintptr_t pc)
{
	size_t length = real.strnlen(s, n);

	reads(t, s, length < n ? length + 1 : n, pc);
}

/* ---- lengths ---- */

EXPORT size_t strlen(const char *s)
{
	struct thread *t = guest_self();
	size_t n;

	access_call_reads(t, s, CALLER);
	n = real.strlen(s);
	if (unlikely(t))
		reads(t, s, n + 1, CALLER);
	return n;
}

EXPORT size_t strnlen(const char *s, size_t most)
{
	struct thread *t = guest_self();
	size_t n;

	access_call_reads(t, s, CALLER);
	n = real.strnlen(s, most);
	if (unlikely(t))
		reads(t, s, n < most ? n + 1 : most, CALLER);
	return n;
}

/* ---- copying ---- */

static COLD void copies(struct thread *t, char *to, const char *from,
			uintptr_t pc)
{
	size_t n;

	access_call_copies(t, to, from, pc);
	n = real.strlen(from) + 1;
	reads(t, from, n, pc);
	writes(t, to, n, pc);
}

EXPORT char *strcpy(char *to, const char *from)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies(t, to, from, CALLER);
	return real.strcpy(to, from);
}

EXPORT char *stpcpy(char *to, const char *from)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		copies(t, to, from, CALLER);
	return real.stpcpy(to, from);
}

/* What is shorter is filled up: all n bytes are written in any case. */
EXPORT char *strncpy(char *to, const char *from, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t)) {
		access_call_copies(t, to, from, CALLER);
		reads_most(t, from, n, CALLER);
		writes(t, to, n, CALLER);
	}
	return real.strncpy(to, from, n);
}

EXPORT char *stpncpy(char *to, const char *from, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t)) {
		access_call_copies(t, to, from, CALLER);
		reads_most(t, from, n, CALLER);
		writes(t, to, n, CALLER);
	}
	return real.stpncpy(to, from, n);
}

static COLD void appends(struct thread *t, char *to, const char *from,
			 size_t most, uintptr_t pc)
{
	size_t end, n;

	access_call_copies(t, to, from, pc);
	end = real.strlen(to);
	n = real.strnlen(from, most);
	reads(t, to, end + 1, pc);
	reads(t, from, n < most ? n + 1 : n, pc);
	writes(t, to + end, n + 1, pc);
}

EXPORT char *strcat(char *to, const char *from)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		appends(t, to, from, SIZE_MAX, CALLER);
	return real.strcat(to, from);
}

EXPORT char *strncat(char *to, const char *from, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		appends(t, to, from, n, CALLER);
	return real.strncat(to, from, n);
}

/* ---- comparing ---- */

static COLD void compares(struct thread *t, const char *a, const char *b,
			  size_t most, bool fold, uintptr_t pc)
{
	size_t n = 0;

	access_call(t, a, false, pc);
	while (n < most && a[n] &&
	       (a[n] == b[n] || (fold && tolower((unsigned char)a[n]) ==
						 tolower((unsigned char)b[n]))))
		n++;
	n = n < most ? n + 1 : most;
	access_texts(t, a, b, n, pc);
}

EXPORT int strcmp(const char *a, const char *b)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		compares(t, a, b, SIZE_MAX, false, CALLER);
	return real.strcmp(a, b);
}

EXPORT int strncmp(const char *a, const char *b, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		compares(t, a, b, n, false, CALLER);
	return real.strncmp(a, b, n);
}

EXPORT int strcasecmp(const char *a, const char *b)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		compares(t, a, b, SIZE_MAX, true, CALLER);
	return real.strcasecmp(a, b);
}

EXPORT int strncasecmp(const char *a, const char *b, size_t n)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		compares(t, a, b, n, true, CALLER);
	return real.strncasecmp(a, b, n);
}

EXPORT int strcoll(const char *a, const char *b)
{
	struct thread *t = guest_self();

	if (unlikely(t)) {
		access_call(t, a, false, CALLER);
		reads_all(t, a, CALLER);
		reads_all(t, b, CALLER);
	}
	return real.strcoll(a, b);
}

/* ---- searching ---- */

/* Read up to the place found, or to the end when there was none. */
static COLD void searches(struct thread *t, const char *s, const char *found,
			  uintptr_t pc)
{
	if (found)
		reads(t, s, (size_t)(found - s) + 1, pc);
	else
		reads_all(t, s, pc);
}

EXPORT char *strchr(const char *s, int c)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, s, CALLER);
	at = real.strchr(s, c);
	if (unlikely(t))
		searches(t, s, at, CALLER);
	return at;
}

EXPORT char *strchrnul(const char *s, int c)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, s, CALLER);
	at = real.strchrnul(s, c);
	if (unlikely(t))
		searches(t, s, at, CALLER);
	return at;
}

EXPORT char *index(const char *s, int c)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, s, CALLER);
	at = real.strchr(s, c);
	if (unlikely(t))
		searches(t, s, at, CALLER);
	return at;
}

EXPORT char *strrchr(const char *s, int c)
{
	struct thread *t = guest_self();

	if (unlikely(t)) {
		access_call(t, s, false, CALLER);
		reads_all(t, s, CALLER);
	}
	return real.strrchr(s, c);
}

EXPORT char *rindex(const char *s, int c)
{
	struct thread *t = guest_self();

	if (unlikely(t)) {
		access_call(t, s, false, CALLER);
		reads_all(t, s, CALLER);
	}
	return real.strrchr(s, c);
}

static COLD void matches(struct thread *t, const char *hay, const char *needle,
			 const char *at, uintptr_t pc)
{
	size_t n = real.strlen(needle);

	reads(t, needle, n + 1, pc);
	if (at)
		reads(t, hay, (size_t)(at - hay) + n, pc);
	else
		reads_all(t, hay, pc);
}

EXPORT char *strstr(const char *hay, const char *needle)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, hay, CALLER);
	at = real.strstr(hay, needle);
	if (unlikely(t))
		matches(t, hay, needle, at, CALLER);
	return at;
}

EXPORT char *strcasestr(const char *hay, const char *needle)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, hay, CALLER);
	at = real.strcasestr(hay, needle);
	if (unlikely(t))
		matches(t, hay, needle, at, CALLER);
	return at;
}

EXPORT char *strpbrk(const char *s, const char *set)
{
	struct thread *t = guest_self();
	char *at;

	access_call_reads(t, s, CALLER);
	at = real.strpbrk(s, set);
	if (unlikely(t)) {
		reads_all(t, set, CALLER);
		searches(t, s, at, CALLER);
	}
	return at;
}

EXPORT size_t strspn(const char *s, const char *set)
{
	struct thread *t = guest_self();
	size_t n;

	access_call_reads(t, s, CALLER);
	n = real.strspn(s, set);
	if (unlikely(t)) {
		reads_all(t, set, CALLER);
		reads(t, s, n + 1, CALLER);
	}
	return n;
}

EXPORT size_t strcspn(const char *s, const char *set)
{
	struct thread *t = guest_self();
	size_t n;

	access_call_reads(t, s, CALLER);
	n = real.strcspn(s, set);
	if (unlikely(t)) {
		reads_all(t, set, CALLER);
		reads(t, s, n + 1, CALLER);
	}
	return n;
}

/* ---- cutting ---- */

/* A cut reads from where it begins up to a separator or the end, and writes an
 * end over the separator. `token`: what it will find. */
static COLD void cuts(struct thread *t, char *from, char *token,
		      const char *set, uintptr_t pc)
{
	char *end = token + real.strcspn(token, set);

	reads_all(t, set, pc);
	reads(t, from, (size_t)(end - from) + 1, pc);
	if (*end)
		writes(t, end, 1, pc);
}

/* Separators in front of a token are skipped. */
static COLD void cuts_token(struct thread *t, char *from, const char *set,
			    uintptr_t pc)
{
	access_call(t, from, true, pc);
	cuts(t, from, from + real.strspn(from, set), set, pc);
}

EXPORT char *strtok_r(char *restrict s, const char *restrict set,
		      char **restrict next)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		cuts_token(t, s ? s : *next, set, CALLER);
	return real.strtok_r(s, set, next);
}

EXPORT char *strtok(char *restrict s, const char *restrict set)
{
	static char *next;
	struct thread *t = guest_self();

	if (!s && !next)
		return NULL;
	if (unlikely(t))
		cuts_token(t, s ? s : next, set, CALLER);
	return real.strtok_r(s, set, &next);
}

EXPORT char *strsep(char **next, const char *set)
{
	struct thread *t = guest_self();

	if (unlikely(t) && *next) {
		access_call(t, *next, true, CALLER);
		cuts(t, *next, *next, set, CALLER);
	}
	return real.strsep(next, set);
}

/* ---- copies in the heap ---- */

static char *duplicated(struct thread *t, char *copy, uintptr_t outer,
			uintptr_t pc)
{
	heap_for_end(outer);
	if (copy)
		writes(t, copy, real.strlen(copy) + 1, pc);
	return copy;
}

EXPORT char *strdup(const char *s)
{
	struct thread *t = guest_self();
	uintptr_t outer;

	if (likely(!t))
		return real.strdup(s);
	access_call(t, s, false, CALLER);
	reads_all(t, s, CALLER);
	outer = heap_for(CALLER);
	return duplicated(t, real.strdup(s), outer, CALLER);
}

EXPORT char *strndup(const char *s, size_t n)
{
	struct thread *t = guest_self();
	uintptr_t outer;

	if (likely(!t))
		return real.strndup(s, n);
	access_call(t, s, false, CALLER);
	reads_most(t, s, n, CALLER);
	outer = heap_for(CALLER);
	return duplicated(t, real.strndup(s, n), outer, CALLER);
}

EXPORT char *__strdup(const char *s)
{
	struct thread *t = guest_self();
	uintptr_t outer;

	if (likely(!t))
		return real.__strdup(s);
	access_call(t, s, false, CALLER);
	reads_all(t, s, CALLER);
	outer = heap_for(CALLER);
	return duplicated(t, real.__strdup(s), outer, CALLER);
}

EXPORT char *__strndup(const char *s, size_t n)
{
	struct thread *t = guest_self();
	uintptr_t outer;

	if (likely(!t))
		return real.__strndup(s, n);
	access_call(t, s, false, CALLER);
	reads_most(t, s, n, CALLER);
	outer = heap_for(CALLER);
	return duplicated(t, real.__strndup(s, n), outer, CALLER);
}
