/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/values.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

/*
 * Mappings the program makes by itself. As with the heap, a beginning is
 * recorded after it happened and an end before; the shadow forgets at the
 * beginning, so that a late access to memory that was unmapped still meets
 * what was known of it.
 */

/* An end counts as a write, of the beginning of a large mapping. */
enum { PAGE = 4096, END_WRITES_MOST = 1 << 16 };

static void mapping_begins(struct thread *t, void *p, size_t size, uintptr_t pc)
{
	int kept = errno;

	access_forget(p, size);
	record(t, EVENT_MAP, p, size, 0, pc);
	errno = kept;
}

static void mapping_ends(struct thread *t, void *p, size_t size, uintptr_t pc)
{
	access_range(t, p, size < END_WRITES_MOST ? size : END_WRITES_MOST,
		     true, pc);
	record(t, EVENT_UNMAP, p, size, 0, pc);
	values_unmap();
}

/* What is written to a file that is mapped so, other processes see. */
static bool is_common(int protection, int flags)
{
	return protection & PROT_WRITE && flags & MAP_SHARED &&
	       !(flags & MAP_ANONYMOUS);
}

static void *mapped(void *p, size_t size, bool is_seen, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (p == MAP_FAILED)
		return p;
	if (is_seen)
		model_have_company();
	if (t)
		mapping_begins(t, p, size, pc);
	return p;
}

EXPORT void *mmap(void *p, size_t size, int protection, int flags, int fd,
		  off_t offset)
{
	return mapped(real.mmap(p, size, protection, flags, fd, offset), size,
		      is_common(protection, flags), CALLER);
}

EXPORT void *mmap64(void *p, size_t size, int protection, int flags, int fd,
		    off64_t offset)
{
	return mapped(real.mmap64(p, size, protection, flags, fd, offset), size,
		      is_common(protection, flags), CALLER);
}

/* What the kernel would refuse must not be recorded as an end. */
static bool can_end(const void *p, size_t size)
{
	return size && (uintptr_t)p % PAGE == 0;
}

EXPORT int munmap(void *p, size_t size)
{
	struct thread *t = guest_self();
	int rc;

	if (!t || !can_end(p, size))
		return real.munmap(p, size);
	mapping_ends(t, p, size, CALLER);
	rc = real.munmap(p, size);
	if (rc != 0)
		mapping_begins(t, p, size, CALLER);
	return rc;
}

EXPORT void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	struct thread *t = guest_self();
	void *to, *p;
	va_list rest;

	/* The kernel looks at it only if the flags say that it is there. */
	va_start(rest, flags);
	to = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(rest, void *) :
							 NULL;
	va_end(rest);
	if (!t || !can_end(old, old_size))
		return real.mremap(old, old_size, size, flags, to);
	mapping_ends(t, old, old_size, CALLER);
	p = real.mremap(old, old_size, size, flags, to);
	if (p == MAP_FAILED)
		mapping_begins(t, old, old_size, CALLER);
	else
		mapping_begins(t, p, size, CALLER);
	return p;
}
