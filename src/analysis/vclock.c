/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/vclock.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static void block_drop(struct vclock_block *b)
{
	if (b && --b->references == 0)
		free(b);
}

static struct vclock_block *block_share(struct vclock_block *b)
{
	if (b)
		b->references++;
	return b;
}

/* A block that only its one holder sees, with the content of `old`. */
static struct vclock_block *block_own(struct vclock_block *old)
{
	struct vclock_block *b;

	if (old && old->references == 1)
		return old;
	b = xcalloc(1, sizeof(*b));
	if (old)
		memcpy(b->at, old->at, sizeof(b->at));
	b->references = 1;
	block_drop(old);
	return b;
}

static void grow(struct vclock *c, uint32_t count)
{
	if (count <= c->count)
		return;
	if (count > c->room) {
		uint32_t room = c->room * 2 > count ? c->room * 2 : count;

		c->blocks = xrealloc(c->blocks, room * sizeof(*c->blocks));
		c->room = room;
	}
	memset(c->blocks + c->count, 0,
	       (count - c->count) * sizeof(*c->blocks));
	c->count = count;
}

void vclock_set(struct vclock *c, uint32_t thread, uint64_t value)
{
	uint32_t n = thread / VCLOCK_BLOCK;

	grow(c, n + 1);
	c->blocks[n] = block_own(c->blocks[n]);
	c->blocks[n]->at[thread % VCLOCK_BLOCK] = value;
}

void vclock_copy(struct vclock *to, const struct vclock *from)
{
	if (to == from)
		return;
	for (uint32_t i = from->count; i < to->count; i++)
		block_drop(to->blocks[i]);
	if (to->count > from->count)
		to->count = from->count;
	grow(to, from->count);
	for (uint32_t i = 0; i < from->count; i++) {
		struct vclock_block *b = block_share(from->blocks[i]);

		block_drop(to->blocks[i]);
		to->blocks[i] = b;
	}
}

static bool block_is_within(const struct vclock_block *a,
			    const struct vclock_block *b)
{
	if (a == b || !a)
		return true;
	for (int i = 0; i < VCLOCK_BLOCK; i++)
		if (a->at[i] > (b ? b->at[i] : 0))
			return false;
	return true;
}

static struct vclock_block *block_join(struct vclock_block *to,
				       struct vclock_block *from)
{
	if (block_is_within(from, to))
		return to;
	if (block_is_within(to, from)) {
		block_share(from);
		block_drop(to);
		return from;
	}
	to = block_own(to);
	for (int i = 0; i < VCLOCK_BLOCK; i++)
		if (to->at[i] < from->at[i])
			to->at[i] = from->at[i];
	return to;
}

void vclock_join(struct vclock *to, const struct vclock *from)
{
	grow(to, from->count);
	for (uint32_t i = 0; i < from->count; i++)
		if (to->blocks[i] != from->blocks[i])
			to->blocks[i] =
				block_join(to->blocks[i], from->blocks[i]);
}

static struct vclock_block *block_at(const struct vclock *c, uint32_t i)
{
	return i < c->count ? c->blocks[i] : NULL;
}

bool vclock_is_within(const struct vclock *a, const struct vclock *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (!block_is_within(a->blocks[i], block_at(b, i)))
			return false;
	return true;
}

bool vclock_is_equal(const struct vclock *a, const struct vclock *b)
{
	return vclock_is_within(a, b) && vclock_is_within(b, a);
}

void vclock_done(struct vclock *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		block_drop(c->blocks[i]);
	free(c->blocks);
	*c = (struct vclock){ 0 };
}
