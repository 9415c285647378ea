/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/pairs.h"

/*
 * Loops, followed while the program runs. The compiler calls a hook at every
 * basic block (heddle cc --loops); which of them stand where an iteration
 * begins, or behind the end of a loop, the tool has found out from the binary.
 * Each thread has a stack of the loops it is in, those of its callers below.
 * Each call knows how many there are, and of the innermost its iteration; what
 * it knew of the one around it is kept on the stack until it is back there. A
 * hook ends all loops of its call that it does not lie in, several at once when
 * an inner loop leaves the outer one; a return, by whatever way, forgets those
 * of the call.
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

/* How many of the thread's loops are those of its callers. */
static uint32_t callers_loops(const struct thread *t)
{
	return t->top > t->base ? t->top[-1].loops : 0;
}

static void loop_leave(struct call *c, const struct loop_frame *f)
{
	c->header = f->header;
	c->began = f->began;
	c->loops--;
}

static void loop_enter(struct call *c, struct loop_frame *f, uint32_t loop)
{
	*f = (struct loop_frame){ .loop = loop,
				  .header = c->header,
				  .began = c->began };
	c->loops++;
}

static void hook_pass(struct thread *t, const struct loop_hook *h, uintptr_t pc)
{
	struct loop_frame *frames = t->loops;
	struct call *c = t->top;
	uint32_t base = callers_loops(t);

	while (c->loops > base && !lies_in(h->loop, frames[c->loops - 1].loop))
		loop_leave(c, &frames[c->loops - 1]);
	if (!h->is_header)
		return;
	if (c->loops == base || frames[c->loops - 1].loop != h->loop) {
		if (c->loops == LOOP_DEPTH)
			return;
		loop_enter(c, &frames[c->loops], h->loop);
	}
	c->header = (uint32_t)pc;
	c->began = t->pair_count + 1;
}

HOT void pairs_block_new(struct thread *t, uintptr_t pc)
{
	const struct region_module *m = &region->modules[0];
	const struct loop_hook *h;

	if (!(region->pairs.flags & PAIRS_LOOPS) || pc - m->base >= m->size)
		return;
	h = hook_find((uint32_t)(pc - m->bias));
	if (!h)
		return;
	if (unlikely(!t->loops))
		t->loops = guest_map(LOOP_DEPTH * sizeof(*t->loops));
	if (t->loops)
		hook_pass(t, h, pc);
}
