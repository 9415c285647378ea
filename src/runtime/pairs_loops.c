/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs.h"

/*
 * Loops, followed while the program runs. The compiler calls a hook at every
 * basic block (heddle cc --loops); which of them stand where an iteration
 * begins, or behind the end of a loop, the tool has found out from the binary.
 * Each thread has a stack of the loops it is in, those of its callers below,
 * and each call knows how many there are. A hook ends all loops of its call
 * that it does not lie in, several at once when an inner loop leaves the outer
 * one; a return, by whatever way, forgets those of the call.
 */

static const struct loop_hook *hook_find(uint32_t address)
{
	const struct pair_loops *l = &region->pairs.loops;
	uint32_t at = loop_hook_slot(address);

	while (l->hooks[at].address && l->hooks[at].address != address)
		at = (at + 1) & (LOOP_HOOKS - 1);
	return l->hooks[at].address ? &l->hooks[at] : NULL;
}

static bool lies_in(uint32_t loop, uint32_t outer)
{
	/* Inner loops have higher numbers. */
	while (loop > outer)
		loop = region->pairs.loops.outer[loop];
	return loop == outer;
}

static void hook_pass(struct thread *t, const struct loop_hook *h, uintptr_t pc)
{
	struct loop_frame *frames = t->loops->frames;
	uint32_t base = t->top > t->base ? t->top[-1].loops : 0;
	uint32_t depth = t->top->loops;

	while (depth > base && !lies_in(h->loop, frames[depth - 1].loop))
		depth--;
	if (h->is_header) {
		if (depth == base || frames[depth - 1].loop != h->loop) {
			if (depth == LOOP_DEPTH)
				return;
			frames[depth++].loop = h->loop;
		}
		frames[depth - 1].began = t->pair_count + 1;
		t->loops->pc = pc;
		t->loops->call = t->top;
		t->loops->depth = depth;
	}
	t->top->loops = depth;
}

/* Mostly it is the same loop's next iteration. */
static inline bool is_next_iteration(const struct thread *t, uintptr_t pc)
{
	const struct loops *l = t->loops;
	const struct call *c = t->top;

	return l && l->pc == pc && l->call == c && c->loops == l->depth &&
	       c > t->base && c[-1].loops < c->loops;
}

HOT void pairs_block(struct thread *t, uintptr_t pc)
{
	const struct region_module *m = &region->modules[0];
	const struct loop_hook *h;

	if (likely(is_next_iteration(t, pc))) {
		t->loops->frames[t->loops->depth - 1].began = t->pair_count + 1;
		return;
	}
	if (!(region->pairs.flags & PAIRS_LOOPS) || pc - m->base >= m->size)
		return;
	h = hook_find((uint32_t)(pc - m->bias));
	if (!h)
		return;
	if (unlikely(!t->loops))
		t->loops = guest_map(sizeof(*t->loops));
	if (t->loops)
		hook_pass(t, h, pc);
}
