/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap_control.h"

#include "runtime/real.h"
#include "runtime/settle.h"
#include "runtime/values.h"

#include <errno.h>

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
