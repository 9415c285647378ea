/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap_control.h"

#include "runtime/heap.h"
#include "runtime/real.h"
#include "runtime/settle.h"
#include "runtime/values.h"

#include <errno.h>
#include <sys/uio.h>

/* A thread in the heap. Handlers of the program wait until it has left, also
 * those of a stranger, who might hold a latch. */
struct visit {
	struct thread *t;
	struct heap_who who;
	uint64_t mask;
};

/* A thread that the guest has met, even while it is inside; NULL for others
 * and past its end. */
static struct thread *visitor(void)
{
	struct thread *t = self;

	if (unlikely(!t && gate_is_open()))
		t = life_adopt();
	return t && t->alive ? t : NULL;
}

static void visit_begin(struct visit *v, uintptr_t pc)
{
	v->t = visitor();
	if (likely(v->t)) {
		guest_enter(v->t);
		v->who = (struct heap_who){ .thread = v->t->number,
					    .stack = stack_node(v->t, pc) };
		return;
	}
	v->who = (struct heap_who){ .thread = HEAP_STRANGER };
	signals_block(&v->mask);
}

static void visit_end(struct visit *v)
{
	if (likely(v->t))
		guest_leave(v->t);
	else
		signals_restore(&v->mask);
}

static const struct {
	enum outcome_kind outcome;
	const char *text;
} verdicts[] = {
	[HEAP_USE_AFTER_FREE] = { OUTCOME_USE_AFTER_FREE, NULL },
	[HEAP_BEYOND] = { OUTCOME_BEYOND_BLOCK, "beyond its end" },
	[HEAP_BEFORE] = { OUTCOME_BEYOND_BLOCK, "before its beginning" },
	[HEAP_NEVER] = { OUTCOME_BEYOND_BLOCK,
			 "in memory that was never allocated" },
	[HEAP_DOUBLE_FREE] = { OUTCOME_DOUBLE_FREE, NULL },
	[HEAP_INVALID_FREE] = { OUTCOME_INVALID_FREE, NULL },
};

__attribute__((weak)) void heap_on_misuse(struct thread *t,
					  const struct heap_misuse *m,
					  uintptr_t pc)
{
	struct outcome *o = control_outcome();

	o->addr = m->addr;
	o->block = m->block;
	o->block_size = m->block_size;
	o->alloc_thread = m->alloc_thread;
	o->alloc_stack = m->alloc_stack;
	o->free_thread = m->free_thread;
	o->free_stack = m->free_stack;
	control_fail(t, verdicts[m->kind].outcome, verdicts[m->kind].text, pc);
}

static __thread const void *ending;

void heap_control_ending(const void *p)
{
	ending = p;
}

void heap_control_misuse(struct thread *t, uintptr_t addr, size_t size,
			 uintptr_t pc)
{
	struct heap_misuse m;

	if (ending && addr == (uintptr_t)ending)
		heap_misuse_of_pointer(ending, &m);
	else
		heap_misuse_find(addr, size, &m);
	heap_on_misuse(t, &m, pc);
}

/* ---- lent to libc and the kernel ---- */

void heap_control_lent(const void *at, size_t size, uintptr_t pc)
{
	struct thread *t = controlled ? guest_self() : NULL;

	if (t && !t->ignoring && size)
		heap_control_touch(t, (uintptr_t)at, size, pc);
}

void heap_control_lent_string(const char *s, uintptr_t pc)
{
	if (controlled && heap_is_own(s))
		heap_control_lent(s, real.strlen(s) + 1, pc);
}

void heap_control_lent_parts(const struct iovec *parts, size_t count,
			     size_t size, uintptr_t pc)
{
	if (!controlled)
		return;
	for (size_t i = 0; i < count && size; i++) {
		size_t n = parts[i].iov_len < size ? parts[i].iov_len : size;

		heap_control_lent(parts[i].iov_base, n, pc);
		size -= n;
	}
}

static COLD void misused(struct visit *v, const struct heap_misuse *m,
			 uintptr_t pc)
{
	if (v->t)
		heap_on_misuse(v->t, m, pc);
}

void *heap_control_new(size_t size, size_t alignment, bool is_zeroed,
		       uintptr_t pc)
{
	struct visit v;
	void *p;

	visit_begin(&v, pc);
	p = heap_own_new(v.who, size, alignment, is_zeroed);
	visit_end(&v);
	if (unlikely(!p))
		errno = ENOMEM;
	return p;
}

/* In a frame that is there; the stack may be one of the program's making. */
static bool is_on_stack(const struct thread *t, uintptr_t addr)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return here >= t->stack_low && addr >= here && addr < t->stack_high;
}

/* Of what was built with hooks only: the linker has blocks in pages of its
 * own. */
static bool is_variable(uintptr_t addr)
{
	uint32_t count = atomic_load(&region->module_count);

	for (uint32_t i = 0; i < count; i++) {
		const struct region_module *m = &region->modules[i];

		if (addr - m->base < m->size)
			return m->instrumented;
	}
	return false;
}

void heap_control_check(struct thread *t, const void *p, uintptr_t pc)
{
	uintptr_t addr = (uintptr_t)p;
	struct heap_misuse m = { .kind = HEAP_INVALID_FREE,
				 .addr = addr,
				 .free_thread = NO_THREAD };

	if (heap_is_own(p))
		return;
	if (is_on_stack(t, addr) || is_variable(addr))
		heap_on_misuse(t, &m, pc);
}

/* ---- who made it ---- */

static bool knows_makers;

void heap_control_prepare(void)
{
	knows_makers = heap_own_init() && heap_cxx_is_whole();
}

void heap_control_made(void *p, enum heap_maker maker)
{
	struct heap_misuse m;

	if (controlled && p && heap_is_own(p))
		heap_own_made(p, maker, &m);
}

/* Only libraries without hooks may do as they like. */
void heap_control_match(const void *p, enum heap_maker maker, uintptr_t pc)
{
	static const char *const makers[] = { "malloc", "new", "new[]" };
	static const char *const enders[] = { "free", "delete", "delete[]" };
	struct thread *t = controlled ? guest_self() : NULL;
	enum heap_maker by = maker;
	struct heap_misuse m;

	if (!t || !knows_makers || !heap_is_own(p) ||
	    !heap_own_maker(p, &by, &m) || by == maker ||
	    !module_is_instrumented(pc))
		return;
	guest_enter(t);
	control_text("allocated by ");
	control_text(makers[by]);
	control_text(" and freed by ");
	control_text(enders[maker]);
	heap_misuse_of_block(p, &m);
	heap_on_misuse(t, &m, pc);
	guest_leave(t);
}

/* ---- the functions of the heap ---- */

void heap_control_end(void *p, uintptr_t pc)
{
	struct heap_misuse m;
	struct visit v;
	bool is_good;

	if (!controlled)
		return;
	values_settle();
	visit_begin(&v, pc);
	is_good = heap_own_end(v.who, p, &m);
	visit_end(&v);
	if (unlikely(!is_good))
		misused(&v, &m, pc);
}

size_t heap_control_size(const void *p, uintptr_t pc)
{
	struct heap_misuse m;
	struct visit v = { .t = self };
	size_t size = 0;

	if (unlikely(!heap_own_size(p, &size, &m)) && controlled)
		misused(&v, &m, pc);
	return size;
}

/* ---- realloc ---- */

static void copy(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb"
			 : "+D"(to), "+S"(from), "+c"(size)
			 :
			 : "memory");
}

static void *moved(void *old, size_t had, size_t size, uintptr_t pc)
{
	void *p = heap_control_new(size, HEAP_ALIGNMENT, false, pc);

	if (p)
		copy(p, old, had < size ? had : size);
	return p;
}

static void *resize_libc(void *old, size_t size, uintptr_t pc)
{
	void *p = moved(old, real.malloc_usable_size(old), size, pc);

	if (p)
		real.free(old);
	return p;
}

static void *resize_own(void *old, size_t size, uintptr_t pc)
{
	struct heap_misuse m;
	struct visit v;
	bool is_good, is_done = false;
	size_t had;
	void *p;

	visit_begin(&v, pc);
	is_good = heap_own_fit(v.who, old, size, &is_done, &m);
	visit_end(&v);
	if (unlikely(!is_good))
		misused(&v, &m, pc);
	if (is_done)
		return old;
	had = heap_control_size(old, pc);
	p = moved(old, had, size, pc);
	if (p)
		heap_control_end(old, pc);
	return p;
}

void *heap_control_resize(void *old, size_t size, uintptr_t pc)
{
	if (!old)
		return heap_control_new(size, HEAP_ALIGNMENT, false, pc);
	if (size)
		return heap_is_own(old) ? resize_own(old, size, pc) :
					  resize_libc(old, size, pc);
	/* As libc does. */
	if (heap_is_own(old))
		heap_control_end(old, pc);
	else
		real.free(old);
	return NULL;
}
