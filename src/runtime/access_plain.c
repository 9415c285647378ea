/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/filter.h"
#include "runtime/order.h"
#include "runtime/runtime.h"

/*
 * The compiler's hooks for plain accesses. Nearly every call ends after one
 * look at the shadow: this thread, in this segment, has done the same to these
 * bytes, and nobody else came.
 */

/* Puts an access through the filter, granule by granule; true when one of
 * them is worth recording. */
static bool access_filter(struct thread *t, uintptr_t addr, size_t size,
			  bool is_write, uint32_t node)
{
	uintptr_t end = addr + size;
	bool keep = false;

	for (uintptr_t g = addr & ~(uintptr_t)7; g < end; g += 8) {
		uint32_t low = g < addr ? (uint32_t)(addr - g) : 0;
		uint32_t high = end - g < 8 ? (uint32_t)(end - g) : 8;
		uint32_t bytes = (0xffU >> (8 - (high - low))) << low;
		struct cell *c = shadow_find(g);

		if (c && word_covers(word_load(is_write ? &c->write : &c->read),
				     t->tag, bytes))
			continue;
		keep |= filter_access(t, g, bytes, is_write, node);
	}
	return keep;
}

/* The first accesses of a thread are all recorded, so that the trace of a
 * short program is whole. */
static bool access_is_early(struct thread *t)
{
	if (likely(!t->slow))
		return false;
	if (++t->recorded < FILTER_FULL)
		return true;
	order_slow(t, false);
	return false;
}

static COLD void access_any(struct thread *t, uintptr_t addr, size_t size,
			    bool is_write, uintptr_t pc)
{
	uint32_t node;
	bool keep;

	if (!t->alive || t->inside || t->ignoring || !size)
		return;
	guest_enter(t);
	node = stack_node(t, pc);
	if (region->flags & REGION_RECORD_ALL)
		keep = true;
	else
		keep = access_filter(t, addr, size, is_write, node) |
		       access_is_early(t);
	if (keep)
		record_access(t, addr, size, is_write, node);
	guest_leave(t);
}

/* A granule that is known to be shared, the frequent case of those that the
 * first look does not settle. */
static __attribute__((noinline)) void access_shared(struct thread *t,
						    uintptr_t addr, size_t size,
						    bool is_write, uintptr_t pc)
{
	if (unlikely(t->inside || t->ignoring))
		return;
	guest_enter(t);
	record_access(t, addr, size, is_write, stack_node(t, pc));
	guest_leave(t);
}

static inline __attribute__((always_inline)) void
access(struct thread *t, uintptr_t addr, size_t size, bool is_write,
       uintptr_t pc)
{
	unsigned int offset = addr & 7;
	struct cell *c = shadow_find(addr);

	if (likely(c) && offset + size <= 8) {
		uint64_t bytes = (uint64_t)(0xff >> (8 - size)) << offset;
		uint64_t write = word_load(&c->write);
		uint64_t word = is_write ? write : word_load(&c->read);

		if (likely(word_covers(word, t->tag, bytes)))
			return;
		if (write == SHARED && !t->slow) {
			access_shared(t, addr, size, is_write, pc);
			return;
		}
		if (!is_write && word_is_readers(word) &&
		    filter_knows_reader(t, word, bytes))
			return;
	}
	access_any(t, addr, size, is_write, pc);
}

static COLD struct thread *access_meet(void)
{
	return gate ? life_adopt() : NULL;
}

#define ACCESS(addr, size, is_write)                                           \
	struct thread *t = self;                                               \
	if (unlikely(!t) && !(t = gate ? access_meet() : NULL))                \
		return;                                                        \
	access(t, (uintptr_t)(addr), size, is_write, CALLER)

#define HOOK(name, size, is_write)                                             \
	EXPORT HOT void name(void *addr);                                      \
	EXPORT HOT void name(void *addr)                                       \
	{                                                                      \
		ACCESS(addr, size, is_write);                                  \
	}

#define HOOKS(size)                                                            \
	HOOK(__tsan_read##size, size, false)                                   \
	HOOK(__tsan_write##size, size, true)                                   \
	HOOK(__tsan_volatile_read##size, size, false)                          \
	HOOK(__tsan_volatile_write##size, size, true)

#define UNALIGNED_HOOKS(size)                                                  \
	HOOK(__tsan_unaligned_read##size, size, false)                         \
	HOOK(__tsan_unaligned_write##size, size, true)                         \
	HOOK(__tsan_unaligned_volatile_read##size, size, false)                \
	HOOK(__tsan_unaligned_volatile_write##size, size, true)

/* clang joins a read and the write behind it into one call unless it is told
 * not to; objects built elsewhere may still use these. */
#define READ_WRITE_HOOK(name, size)                                            \
	EXPORT HOT void name(void *addr);                                      \
	EXPORT HOT void name(void *addr)                                       \
	{                                                                      \
		ACCESS(addr, size, false);                                     \
		access(t, (uintptr_t)addr, size, true, CALLER);                \
	}

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
UNALIGNED_HOOKS(2)
UNALIGNED_HOOKS(4)
UNALIGNED_HOOKS(8)
READ_WRITE_HOOK(__tsan_read_write1, 1)
READ_WRITE_HOOK(__tsan_read_write2, 2)
READ_WRITE_HOOK(__tsan_read_write4, 4)
READ_WRITE_HOOK(__tsan_read_write8, 8)
READ_WRITE_HOOK(__tsan_unaligned_read_write2, 2)
READ_WRITE_HOOK(__tsan_unaligned_read_write4, 4)
READ_WRITE_HOOK(__tsan_unaligned_read_write8, 8)

/* ---- accesses that take more than one granule ---- */

void access_range(struct thread *t, const volatile void *addr, size_t size,
		  bool is_write, uintptr_t pc)
{
	access_any(t, (uintptr_t)addr, size, is_write, pc);
}

#define WIDE_HOOK(name, is_write)                                              \
	EXPORT void name(void *addr);                                          \
	EXPORT void name(void *addr)                                           \
	{                                                                      \
		struct thread *t = guest_self();                               \
		if (t)                                                         \
			access_any(t, (uintptr_t)addr, 16, is_write, CALLER);  \
	}

WIDE_HOOK(__tsan_read16, false)
WIDE_HOOK(__tsan_write16, true)
WIDE_HOOK(__tsan_volatile_read16, false)
WIDE_HOOK(__tsan_volatile_write16, true)
WIDE_HOOK(__tsan_unaligned_read16, false)
WIDE_HOOK(__tsan_unaligned_write16, true)
WIDE_HOOK(__tsan_unaligned_volatile_read16, false)
WIDE_HOOK(__tsan_unaligned_volatile_write16, true)

EXPORT void __tsan_read_range(void *addr, unsigned long size);
EXPORT void __tsan_read_range(void *addr, unsigned long size)
{
	struct thread *t = guest_self();

	if (t)
		access_any(t, (uintptr_t)addr, size, false, CALLER);
}

EXPORT void __tsan_write_range(void *addr, unsigned long size);
EXPORT void __tsan_write_range(void *addr, unsigned long size)
{
	struct thread *t = guest_self();

	if (t)
		access_any(t, (uintptr_t)addr, size, true, CALLER);
}

/* ---- the pointer to the table of virtual functions ---- */

static void access_vptr(struct thread *t, uintptr_t addr, bool is_write,
			uintptr_t pc)
{
	uint32_t node;

	if (t->ignoring)
		return;
	guest_enter(t);
	node = stack_node(t, pc);
	if (region->flags & REGION_RECORD_ALL ||
	    access_filter(t, addr, sizeof(void *), is_write, node) |
		    access_is_early(t))
		record_at(t, is_write ? EVENT_VPTR_WRITE : EVENT_VPTR_READ,
			  addr, sizeof(void *), 0, node);
	guest_leave(t);
}

EXPORT void __tsan_vptr_read(void **addr);
EXPORT void __tsan_vptr_read(void **addr)
{
	struct thread *t = guest_self();

	if (t)
		access_vptr(t, (uintptr_t)addr, false, CALLER);
}

/* Construction and destruction set the same value again and again; only a
 * change is a write that anybody could notice. */
EXPORT void __tsan_vptr_update(void **addr, void *value);
EXPORT void __tsan_vptr_update(void **addr, void *value)
{
	struct thread *t = guest_self();

	if (t && *addr != value)
		access_vptr(t, (uintptr_t)addr, true, CALLER);
}

void access_forget(const volatile void *addr, size_t size)
{
	if (gate && size)
		shadow_clear((uintptr_t)addr, size);
}
