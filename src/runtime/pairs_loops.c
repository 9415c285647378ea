/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"
#include "runtime/pairs.h"

/*
 * Loops, followed while the program runs. The compiler calls a hook at every
 * basic block (heddle cc --blocks); which blocks lie in which loop the tool has
 * found out from the binary. Each thread has a stack of the loops it is in,
 * those of its callers below: a block of another loop ends all loops that it
 * does not lie in, several at once when an inner loop leaves the outer one; a
 * return ends those of the call.
 */

void pairs_loop(struct thread *t, uint64_t *word, uint32_t *began)
{
	struct loops *l = t->loops;

	if (!l)
		return;
	while (l->depth && l->frames[l->depth - 1].call > t->top)
		l->depth--;
	if (!l->depth)
		return;
	*word |= l->frames[l->depth - 1].loop & (PAIR_LOOPS - 1);
	*began = l->frames[l->depth - 1].began;
}

static const struct loop_block *block_find(uint32_t address)
{
	const struct pair_loops *l = &region->pairs.loops;
	uint32_t low = 0, high = l->block_count;

	if (address < l->low || address > l->high)
		return NULL;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (l->blocks[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &l->blocks[low - 1] : NULL;
}

static bool lies_in(uint32_t loop, uint32_t outer)
{
	const struct pair_loops *l = &region->pairs.loops;

	while (loop && loop != outer)
		loop = l->outer[loop];
	return loop;
}

static void loop_begin(struct thread *t, struct loops *l, uint32_t loop)
{
	if (l->depth == LOOP_DEPTH)
		return;
	l->frames[l->depth++] = (struct loop_frame){ .loop = loop,
						     .began = t->pair_count + 1,
						     .call = t->top };
}

static void block_enter(struct thread *t, const struct loop_block *b)
{
	struct loops *l = t->loops;

	while (l->depth && l->frames[l->depth - 1].call > t->top)
		l->depth--;
	while (l->depth && l->frames[l->depth - 1].call == t->top &&
	       !lies_in(b->loop, l->frames[l->depth - 1].loop))
		l->depth--;
	if (!b->loop || !b->is_header)
		return;
	if (l->depth && l->frames[l->depth - 1].call == t->top &&
	    l->frames[l->depth - 1].loop == b->loop)
		l->frames[l->depth - 1].began = t->pair_count + 1;
	else
		loop_begin(t, l, b->loop);
}

COLD void pairs_block(struct thread *t, uintptr_t pc)
{
	const struct region_module *m = &region->modules[0];
	const struct loop_block *b;

	if (!(region->pairs.flags & PAIRS_LOOPS) || pc - m->base >= m->size)
		return;
	b = block_find((uint32_t)(pc - m->bias));
	if (!b)
		return;
	if (!t->loops)
		t->loops = guest_map(sizeof(*t->loops));
	if (t->loops)
		block_enter(t, b);
}
