/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stacks.h"

#include "runtime/real.h"
#include "runtime/sys.h"

#include <errno.h>
#include <sys/mman.h>

/* Room for CONTROL_THREADS stacks where Linux puts nothing by itself, clear of
 * the shadow (shadow.h) and the heap (heap_own.h). */
#define STACKS_BASE UINT64_C(0x310000000000)
#define STACK_PITCH (UINT64_C(1) << 30)

/* Stacks of the usual size lie closer together, below: 32 of them share a page
 * of page tables. */
#define NEAR_PITCH (UINT64_C(1) << 25)
#define NEAR_BASE (STACKS_BASE - CONTROL_THREADS * NEAR_PITCH)

enum { GUARD = 1 << 16 };

static bool attr_has_stack(const pthread_attr_t *attr)
{
	void *at = NULL;
	size_t size = 0;

	/* Without one of its own the size is all that is known. */
	return attr && pthread_attr_getstack(attr, &at, &size) == 0 && size &&
	       (uintptr_t)at + size != 0 && at;
}

/* What libc gives where the program says nothing; 0: to be asked. It takes a
 * lock to tell, on a page that a run would otherwise not write to. */
static size_t usual_size;

void stacks_prepare(void)
{
	pthread_attr_t usual;

	usual_size = 0;
	if (pthread_getattr_default_np(&usual) == 0) {
		pthread_attr_getstacksize(&usual, &usual_size);
		pthread_attr_destroy(&usual);
	}
	if (!usual_size)
		usual_size = 8 << 20;
}

EXPORT int pthread_setattr_default_np(const pthread_attr_t *attr)
{
	int rc = real.pthread_setattr_default_np(attr);

	usual_size = 0;
	return rc;
}

static size_t attr_stack_size(const pthread_attr_t *attr)
{
	size_t size = 0;

	if (attr && pthread_attr_getstacksize(attr, &size) == 0 && size)
		return size;
	if (!usual_size)
		stacks_prepare();
	return usual_size;
}

/* Where the slot of a thread ends, for a stack of that size. */
static uintptr_t slot_end(uint32_t number, size_t size)
{
	if (size + GUARD + STACKS_ALTERNATE <= NEAR_PITCH)
		return NEAR_BASE + (number + 1) * NEAR_PITCH;
	return STACKS_BASE + (number + 1) * STACK_PITCH;
}

/* The stack of a thread, NULL when the place is taken. It ends where the
 * alternate stack begins; below it nothing is mapped. */
static void *stack_map(uint32_t number, size_t size)
{
	enum { PAGE = 4096 };
	size_t room = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	uintptr_t top = slot_end(number, room) - STACKS_ALTERNATE;
	long at;

	if (room + GUARD + STACKS_ALTERNATE > STACK_PITCH)
		return NULL;
	at = SYS_6(SYS_mmap, top - room, room + STACKS_ALTERNATE,
		   PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK |
			   MAP_FIXED_NOREPLACE,
		   -1, 0);
	if (at < 0 && at > -4096)
		return NULL;
	region->threads[number].stack_low = top - size;
	region->threads[number].stack_high = top;
	return (void *)(top - size);
}

void *stacks_alternate(uint32_t number)
{
	uintptr_t me = (uintptr_t)pthread_self();
	uintptr_t near = slot_end(number, 0);
	uintptr_t far = slot_end(number, NEAR_PITCH);

	if (me < near && me >= near - NEAR_PITCH)
		return (void *)(near - STACKS_ALTERNATE);
	if (me < far && me >= far - STACK_PITCH)
		return (void *)(far - STACKS_ALTERNATE);
	return NULL;
}

static int create_on(pthread_t *id, const pthread_attr_t *attr,
		     void *(*routine)(void *), void *arg, void *stack,
		     size_t size)
{
	pthread_attr_t with;
	int rc;

	if (attr)
		with = *attr;
	else
		pthread_attr_init(&with);
	pthread_attr_setstack(&with, stack, size);
	rc = real.pthread_create(id, &with, routine, arg);
	if (!attr)
		pthread_attr_destroy(&with);
	return rc;
}

int stacks_create(pthread_t *id, const pthread_attr_t *attr,
		  void *(*routine)(void *), void *arg, uint32_t number)
{
	size_t size = attr_stack_size(attr);
	void *stack = attr_has_stack(attr) ? NULL : stack_map(number, size);

	if (!stack)
		return real.pthread_create(id, attr, routine, arg);
	return create_on(id, attr, routine, arg, stack, size);
}

int stacks_create_c11(thrd_t *id, thrd_start_t routine, void *arg,
		      uint32_t number)
{
	int rc = stacks_create(id, NULL, (void *(*)(void *))(void *)routine,
			       arg, number);

	switch (rc) {
	case 0:
		return thrd_success;
	case ENOMEM:
	case EAGAIN:
		return thrd_nomem;
	default:
		return thrd_error;
	}
}
