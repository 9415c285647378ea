/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"
#include "runtime/filter.h"
#include "runtime/order.h"
#include "runtime/pairs.h"
#include "runtime/perturb.h"
#include "runtime/runtime.h"

/*
 * The compiler's hooks for plain accesses. Nearly every call ends after one
 * look at the shadow: this thread, in this segment, has done the same to these
 * bytes, and nobody else came.
 */

bool steered;

static void access_paired(struct thread *t, uintptr_t addr, size_t size,
			  bool is_write, uintptr_t pc)
{
	if (t->alive && !t->inside && !t->ignoring && size)
		pairs_access(t, addr, size, is_write ? PAIR_WRITE : PAIR_READ,
			     pc);
}

/* What happens next is not left to chance alone, or pairs are collected. */
static __attribute__((noinline)) void access_steered(struct thread *t,
						     uintptr_t addr,
						     size_t size, bool is_write,
						     uintptr_t pc)
{
	if (controlled) {
		control_access(t, addr, size, is_write, pc);
		return;
	}
	if (perturbing && size)
		perturb_access(t, addr, size,
			       is_write ? EVENT_WRITE : EVENT_READ, pc);
	if (pairing)
		access_paired(t, addr, size, is_write, pc);
}

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
		/* What is shared stays so: there is no more to find out. */
		keep |= word_load(&c->write) == SHARED ||
			filter_access(t, g, bytes, is_write, node);
	}
	return keep;
}

/* Has this thread, in this segment, done the same to all these bytes? Memory
 * functions are mostly used on the same few buffers. */
static bool access_is_known(const struct thread *t, uintptr_t addr, size_t size,
			    bool is_write)
{
	uintptr_t end = addr + size;

	for (uintptr_t g = addr & ~(uintptr_t)7; g < end; g += 8) {
		uint32_t low = g < addr ? (uint32_t)(addr - g) : 0;
		uint32_t high = end - g < 8 ? (uint32_t)(end - g) : 8;
		uint32_t bytes = (0xffU >> (8 - (high - low))) << low;
		struct cell *c = shadow_find(g);

		if (!c ||
		    !word_covers(word_load(is_write ? &c->write : &c->read),
				 t->tag, bytes))
			return false;
	}
	return true;
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

	if (steered) {
		access_steered(t, addr, size, is_write, pc);
		return;
	}
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

/* Where the first look at the shadow does not settle it. `what`: size << 1 |
 * is_write. Out of line and called last, so that the hooks need no frame. */
static HOT __attribute__((noinline)) void access_look(struct thread *t,
						      uintptr_t addr,
						      uintptr_t what,
						      uintptr_t pc)
{
	size_t size = what >> 1;
	bool is_write = what & 1;
	unsigned int offset = addr & 7;
	struct cell *c = shadow_find(addr);

	if (offset + size <= 8) {
		uint64_t bytes = (uint64_t)(0xff >> (8 - size)) << offset;
		uint64_t read = word_load(&c->read);

		if (!is_write && word_is_readers(read) &&
		    (filter_is_among_two(t, read, bytes) ||
		     filter_knows_reader(t, read, bytes)))
			return;
		if (word_load(&c->write) == SHARED &&
		    likely(!(t->slow | t->inside | t->ignoring))) {
			guest_enter(t);
			if (!record_again(t, addr, size, is_write, pc)) {
				record_access(t, addr, size, is_write,
					      stack_node(t, pc));
				record_run_at(t, pc);
			}
			guest_leave(t);
			return;
		}
	}
	access_any(t, addr, size, is_write, pc);
}

/* A thread's first access of all. Under control there is no shadow to look
 * at. */
static COLD void access_meet(uintptr_t addr, uintptr_t what, uintptr_t pc)
{
	struct thread *t = life_adopt();

	if (t)
		access_any(t, addr, what >> 1, what & 1, pc);
}

/* Aligned accesses lie in one granule; unaligned ones that do not are looked
 * at out of line. */
static inline __attribute__((always_inline)) void access(uintptr_t addr,
							 size_t size,
							 bool is_write,
							 bool is_aligned,
							 uintptr_t pc)
{
	struct thread *t = self;
	unsigned int offset = addr & (8 - (is_aligned ? size : 1));

	if (unlikely(!t)) {
		if (unlikely(gate_is_open()))
			access_meet(addr, size << 1 | is_write, pc);
		return;
	}
	if (unlikely(steered)) {
		if (unlikely(!pairing_plain) ||
		    (!is_aligned && offset + size > 8))
			access_steered(t, addr, size, is_write, pc);
		else if (is_write)
			pairs_write(addr, pair_bytes(offset, size), t, pc);
		else
			pairs_read(addr, pair_bytes(offset, size), t, pc);
		return;
	}
	if (is_aligned || likely(offset + size <= 8)) {
		const struct cell *c = shadow_find(addr);
		uint64_t word;
		uint64_t bytes = (uint64_t)(0xff >> (8 - size)) << offset;

		/* The access itself comes next: where both are far away, they
		 * come at the same time and not one after the other. */
		if (is_write)
			__builtin_prefetch((const void *)addr, 1);
		else
			__builtin_prefetch((const void *)addr, 0);
		word = word_load(is_write ? &c->write : &c->read);
		if (likely(word_covers(word, t->tag, bytes)))
			return;
		if (!is_write && word_is_readers(word) &&
		    filter_is_among_two(t, word, bytes))
			return;
	}
	access_look(t, addr, size << 1 | is_write, pc);
}

#define HOOK(name, size, is_write, is_aligned)                                 \
	EXPORT HOT void name(void *addr);                                      \
	EXPORT HOT void name(void *addr)                                       \
	{                                                                      \
		access((uintptr_t)addr, size, is_write, is_aligned, CALLER);   \
	}

/* clang joins a read and the write behind it into one call unless it is told
 * not to; objects built elsewhere may still use these. */
#define READ_WRITE_HOOK(name, size, is_aligned)                                \
	EXPORT HOT void name(void *addr);                                      \
	EXPORT HOT void name(void *addr)                                       \
	{                                                                      \
		access((uintptr_t)addr, size, false, is_aligned, CALLER);      \
		access((uintptr_t)addr, size, true, is_aligned, CALLER);       \
	}

#define HOOKS(prefix, size, is_aligned)                                        \
	HOOK(prefix##read##size, size, false, is_aligned)                      \
	HOOK(prefix##write##size, size, true, is_aligned)                      \
	HOOK(prefix##volatile_read##size, size, false, is_aligned)             \
	HOOK(prefix##volatile_write##size, size, true, is_aligned)             \
	READ_WRITE_HOOK(prefix##read_write##size, size, is_aligned)

HOOKS(__tsan_, 1, true)
HOOKS(__tsan_, 2, true)
HOOKS(__tsan_, 4, true)
HOOKS(__tsan_, 8, true)
HOOKS(__tsan_unaligned_, 2, false)
HOOKS(__tsan_unaligned_, 4, false)
HOOKS(__tsan_unaligned_, 8, false)

/* ---- accesses that take more than one granule ---- */

void access_range(struct thread *t, const volatile void *addr, size_t size,
		  bool is_write, uintptr_t pc)
{
	if (steered || !access_is_known(t, (uintptr_t)addr, size, is_write))
		access_any(t, (uintptr_t)addr, size, is_write, pc);
}

void access_call(struct thread *t, const volatile void *addr, bool is_write,
		 uintptr_t pc)
{
	if (controlled)
		control_call(t, (uintptr_t)addr, is_write, pc);
}

static bool is_on_stack_of(const struct thread *t, const volatile void *addr)
{
	return (uintptr_t)addr - t->stack_low < t->stack_high - t->stack_low;
}

void access_call_copies(struct thread *t, const volatile void *to,
			const volatile void *from, uintptr_t pc)
{
	bool is_taken = is_on_stack_of(t, to);

	access_call(t, is_taken ? from : to, !is_taken, pc);
}

void access_part(struct thread *t, const volatile void *addr, size_t size,
		 bool is_write, uintptr_t pc)
{
	if (controlled)
		control_part(t, (uintptr_t)addr, size, is_write, pc);
	else
		access_range(t, addr, size, is_write, pc);
}

void access_text(struct thread *t, const volatile void *addr, size_t size,
		 uintptr_t pc)
{
	if (controlled)
		control_text_read(t, (uintptr_t)addr, size, pc);
	else
		access_range(t, addr, size, false, pc);
}

void access_texts(struct thread *t, const volatile void *a,
		  const volatile void *b, size_t size, uintptr_t pc)
{
	if (controlled) {
		control_texts_read(t, (uintptr_t)a, (uintptr_t)b, size, pc);
		return;
	}
	access_range(t, a, size, false, pc);
	access_range(t, b, size, false, pc);
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

	if (steered) {
		access_steered(t, addr, sizeof(void *), is_write, pc);
		return;
	}
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

/* ---- memory that begins anew ---- */

enum { CLAIM_MOST = 1 << 16 };

void access_claim(struct thread *t, const volatile void *addr, size_t size,
		  uintptr_t pc)
{
	uint64_t word = 0;

	if (pairing)
		pairs_claim((uintptr_t)addr, size);
	if (!size || steered || region->flags & REGION_RECORD_ALL)
		return;
	guest_enter(t);
	if (size <= CLAIM_MOST)
		filter_forget((uintptr_t)addr, size);
	if (t->incarnation && size <= CLAIM_MOST)
		word = (uint64_t)t->incarnation << WORD_INCARNATION_SHIFT |
		       (uint64_t)t->word_segment << WORD_SEGMENT_SHIFT |
		       WORD_BYTES | stack_node(t, pc);
	shadow_fill((uintptr_t)addr, size, word);
	guest_leave(t);
}

void access_forget(const volatile void *addr, size_t size)
{
	if (pairing)
		pairs_forget((uintptr_t)addr, size);
	else if (gate && size && !control)
		shadow_fill((uintptr_t)addr, size, 0);
}
