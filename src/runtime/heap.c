/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap.h"

#include "runtime/heap_control.h"
#include "runtime/pairs.h"
#include "runtime/perturb.h"
#include "runtime/real.h"
#include "runtime/values.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

/*
 * The heap stays libc's, or is our own in a run under control (heap_control.h);
 * we say who got which block and when it ended. An
 * allocation is recorded after it was made and a release before it is, so that
 * nobody else can have had the block in between. What ends a block also counts
 * as a write of it: a thread that still uses the block is in conflict with
 * that, whether or not it comes too late.
 *
 * Two kinds of blocks are from neither. The early ones: looking up the real
 * functions may allocate, before there is a real malloc; these come from
 * `arena` and are never reused. And those on loan, see heap.h.
 */

enum {
	ALIGNMENT = 16,
	PAGE = 4096,
	ARENA_SIZE = 1 << 16,
	/* Of a large block only the beginning is written when it ends: all of
	 * it would cost as much time and shadow as using it had. */
	END_WRITES_MOST = 1 << 16,
};

/* ---- blocks that are from neither heap ---- */

/* In front of each, so that realloc knows how much to copy. */
struct early {
	_Alignas(ALIGNMENT) size_t size;
};

static _Alignas(ALIGNMENT) uint8_t arena[ARENA_SIZE];
static size_t arena_used;

struct loan {
	uint8_t *room;
	size_t size, used;
};

static __thread struct loan loan;

void heap_lend(void *room, size_t size)
{
	size_t skip = -(uintptr_t)room & (ALIGNMENT - 1);

	loan = (struct loan){ .room = room ? (uint8_t *)room + skip : NULL,
			      .size = room ? size - skip : 0 };
}

static bool is_in(const void *p, const uint8_t *room, size_t size)
{
	return (uintptr_t)p - (uintptr_t)room < size;
}

static void *carve(uint8_t *room, size_t room_size, size_t *used, size_t size)
{
	size_t whole = (size + 2 * ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	struct early *e = (struct early *)(room + *used);

	if (size > room_size || whole > room_size - *used) {
		errno = ENOMEM;
		return NULL;
	}
	*used += whole;
	e->size = size;
	return e + 1;
}

/* Zeroed, which calloc may rely on: both rooms are used once only. */
static COLD void *early_new(size_t size)
{
	return carve(arena, sizeof(arena), &arena_used, size);
}

static COLD void *loan_new(size_t size)
{
	uint8_t *p = carve(loan.room, loan.size, &loan.used, size);

	for (size_t i = 0; p && i < size; i++)
		p[i] = 0;
	return p;
}

static bool is_early(const void *p)
{
	return unlikely(is_in(p, arena, sizeof(arena)));
}

static bool is_lent(const void *p)
{
	return loan.room && is_in(p, loan.room, loan.size);
}

/* No real malloc yet? Then look for it; while that is under way, there is
 * still none. */
static COLD bool is_too_early(void)
{
	real_init();
	return !real_ready;
}

#define TOO_EARLY() (unlikely(!real_ready) && is_too_early())

/* ---- what is recorded ---- */

static __thread uintptr_t caller_told;

uintptr_t heap_for(uintptr_t pc)
{
	uintptr_t outer = caller_told;

	/* Of callers that call each other the outermost is the program's. */
	if (!outer)
		caller_told = pc;
	return outer;
}

void heap_for_end(uintptr_t outer)
{
	if (!outer)
		caller_told = 0;
}

static uintptr_t caller_take(uintptr_t pc)
{
	uintptr_t told = caller_told;

	caller_told = 0;
	return told ? told : pc;
}

static size_t block_size(void *p, uintptr_t pc)
{
	return unlikely(heap_is_own(p)) ? heap_control_size(p, pc) :
					  real.malloc_usable_size(p);
}

static void block_begins(struct thread *t, void *p, size_t size, uintptr_t pc)
{
	size_t got;

	/* Who does not record needs no stack of it either. */
	if (!p || !(recording | pairing))
		return;
	got = block_size(p, pc);
	access_claim(t, p, got, pc);
	if (!recording)
		return;
	record(t, EVENT_ALLOC, p, size,
	       alloc_arg(t->allocations++, got > size ? got - size : 0), pc);
}

static void block_ends(struct thread *t, void *p, size_t size, uintptr_t pc)
{
	access_range(t, p, size < END_WRITES_MOST ? size : END_WRITES_MOST,
		     true, pc);
	values_frees(t, (uintptr_t)p);
	if (recording)
		record(t, EVENT_FREE, p, size, 0, pc);
}

/* Every way to get a new block: the real one, then the record. */
static inline __attribute__((always_inline)) void *made(void *p, size_t size,
							uintptr_t pc)
{
	struct thread *t = guest_self();

	if (unlikely(t))
		block_begins(t, p, size, caller_take(pc));
	return p;
}

/* The same of our own heap, which keeps the caller in mind itself. */
static COLD void *made_own(size_t size, size_t alignment, bool is_zeroed,
			   uintptr_t pc)
{
	uintptr_t from = caller_take(pc);
	void *p = heap_control_new(size, alignment, is_zeroed, from);

	return made(p, size, from);
}

/* ---- malloc and its family ---- */

EXPORT void *malloc(size_t size)
{
	if (TOO_EARLY())
		return early_new(size);
	if (unlikely(loan.room))
		return loan_new(size);
	if (heap_is_controlled())
		return made_own(size, HEAP_ALIGNMENT, false, CALLER);
	return made(real.malloc(size), size, CALLER);
}

EXPORT void *calloc(size_t count, size_t size)
{
	size_t whole;

	if (__builtin_mul_overflow(count, size, &whole))
		whole = SIZE_MAX;
	if (TOO_EARLY())
		return early_new(whole);
	if (unlikely(loan.room))
		return loan_new(whole);
	if (heap_is_controlled())
		return made_own(whole, HEAP_ALIGNMENT, true, CALLER);
	return made(real.calloc(count, size), whole, CALLER);
}

static void freed(void *p, uintptr_t pc)
{
	struct thread *t;

	if (!p || is_early(p) || unlikely(is_lent(p)))
		return;
	t = guest_self();
	if (unlikely(t)) {
		/* Else delete calls, which has seen to it. */
		if (unlikely(controlled) && !caller_told)
			heap_control_match(p, HEAP_MALLOC, pc);
		pc = caller_take(pc);
		if (unlikely(controlled))
			heap_control_check(t, p, pc);
		heap_control_ending(p);
		block_ends(t, p, block_size(p, pc), pc);
		heap_control_ending(NULL);
		if (unlikely(perturbing) && !heap_is_own(p))
			perturb_poison(p, block_size(p, pc));
	}
	if (unlikely(heap_is_own(p)))
		heap_control_end(p, pc);
	else
		real.free(p);
}

EXPORT void free(void *p)
{
	freed(p, CALLER);
}

static void copy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
}

static void *foreign_new(size_t size, uintptr_t pc)
{
	if (TOO_EARLY())
		return early_new(size);
	if (loan.room)
		return loan_new(size);
	return heap_is_controlled() ?
		       heap_control_new(size, HEAP_ALIGNMENT, false, pc) :
		       real.malloc(size);
}

/* Of a block from another heap than the new one will be: it is left where it
 * is, and copied. */
static COLD void *realloc_foreign(void *old, size_t size, uintptr_t pc)
{
	void *p = foreign_new(size, pc);
	size_t had = 0;

	if (is_early(old) || is_lent(old))
		had = ((struct early *)old)[-1].size;
	else if (old)
		had = block_size(old, pc);
	if (p)
		copy(p, old, had < size ? had : size);
	return p;
}

static bool is_foreign(void *old)
{
	return unlikely(!real_ready || loan.room) || is_early(old) ||
	       unlikely(heap_is_own(old) && !controlled);
}

static void *block_resize(void *old, size_t size, uintptr_t pc)
{
	return heap_is_controlled() ? heap_control_resize(old, size, pc) :
				      real.realloc(old, size);
}

/* A new block and the end of the old one, even where libc leaves the bytes in
 * place: pointers to the old block are as dead either way. */
static void *realloc_seen(struct thread *t, void *old, size_t size,
			  uintptr_t pc)
{
	size_t had = old ? block_size(old, pc) : 0;
	void *p;

	if (old)
		block_ends(t, old, had, pc);
	p = block_resize(old, size, pc);
	if (p) {
		block_begins(t, p, size, pc);
		if (old)
			access_range(t, p, had < size ? had : size, true, pc);
	} else if (old && size) {
		/* It failed, and the old block lives on after all. */
		int kept = errno;

		record(t, EVENT_ALLOC, old, had, alloc_arg(t->allocations++, 0),
		       pc);
		errno = kept;
	}
	return p;
}

static void *resized(void *old, size_t size, uintptr_t pc)
{
	struct thread *t;

	if (is_foreign(old))
		return realloc_foreign(old, size, pc);
	t = guest_self();
	if (unlikely(t)) {
		heap_control_match(old, HEAP_MALLOC, pc);
		return realloc_seen(t, old, size, caller_take(pc));
	}
	return block_resize(old, size, pc);
}

EXPORT void *realloc(void *old, size_t size)
{
	return resized(old, size, CALLER);
}

EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	size_t whole;

	if (__builtin_mul_overflow(count, size, &whole)) {
		errno = ENOMEM;
		return NULL;
	}
	return resized(old, whole, CALLER);
}

/* ---- aligned ones: nothing that runs early uses them ---- */

/* Under control, with libc's rules: any alignment is rounded up to a power of
 * two. */
static COLD void *made_aligned(size_t alignment, size_t size, uintptr_t pc)
{
	const size_t most = SIZE_MAX / 2 + 1;

	if (alignment > most) {
		errno = EINVAL;
		return NULL;
	}
	if (alignment & (alignment - 1))
		alignment = (size_t)2 << (63 - __builtin_clzl(alignment));
	return made_own(size, alignment, false, pc);
}

static COLD int made_posix(void **at, size_t alignment, size_t size,
			   uintptr_t pc)
{
	int kept = errno;
	void *p;

	if (!alignment || alignment & (alignment - 1) ||
	    alignment % sizeof(void *))
		return EINVAL;
	p = made_own(size, alignment, false, pc);
	errno = kept;
	if (!p)
		return ENOMEM;
	*at = p;
	return 0;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	if (heap_is_controlled())
		return made_aligned(alignment, size, CALLER);
	return made(real.memalign(alignment, size), size, CALLER);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	if (heap_is_controlled())
		return made_aligned(alignment, size, CALLER);
	return made(real.aligned_alloc(alignment, size), size, CALLER);
}

EXPORT int posix_memalign(void **p, size_t alignment, size_t size)
{
	int rc;

	if (heap_is_controlled())
		return made_posix(p, alignment, size, CALLER);
	rc = real.posix_memalign(p, alignment, size);
	if (rc == 0)
		made(*p, size, CALLER);
	return rc;
}

EXPORT void *valloc(size_t size)
{
	if (heap_is_controlled())
		return made_own(size, PAGE, false, CALLER);
	return made(real.valloc(size), size, CALLER);
}

EXPORT void *pvalloc(size_t size)
{
	size_t whole = (size + PAGE - 1) & ~(size_t)(PAGE - 1);

	if (heap_is_controlled())
		return made_own(whole < size ? SIZE_MAX : whole, PAGE, false,
				CALLER);
	return made(real.pvalloc(size), size, CALLER);
}

/* Only for the blocks that are not libc's, which it would take for its own. */
EXPORT size_t malloc_usable_size(void *p)
{
	if (is_early(p))
		return ((struct early *)p)[-1].size;
	return block_size(p, CALLER);
}
