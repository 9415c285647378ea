/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/location_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/err.h"
#include "base/vec.h"

enum { LEAF_EXTENTS = 64 };

/* Where each begins stands apart, to be searched in few cache lines. */
struct extent_leaf {
	size_t count;
	uint64_t low[LEAF_EXTENTS];
	struct extent at[LEAF_EXTENTS];
};

/* The last leaf that begins at addr or before; the first if none does. */
static size_t leaf_find(const struct extent_map *m, uint64_t addr)
{
	size_t after = bisect(i, 0, m->count, m->at[i].low <= addr);

	return after ? after - 1 : 0;
}

/* How many extents of a leaf begin at addr or before. */
static size_t slots_before(const struct extent_leaf *leaf, uint64_t addr)
{
	return bisect(i, 0, leaf->count, leaf->low[i] <= addr);
}

struct extent *extent_next(const struct extent_map *m, uint64_t addr)
{
	size_t n = leaf_find(m, addr), i;
	struct extent_leaf *leaf;

	if (m->count == 0)
		return NULL;
	leaf = m->at[n].leaf;
	i = slots_before(leaf, addr);
	if (i > 0 && leaf->at[i - 1].high > addr)
		return &leaf->at[i - 1];
	if (i < leaf->count)
		return &leaf->at[i];
	return n + 1 < m->count ? &m->at[n + 1].leaf->at[0] : NULL;
}

struct extent *extent_find(const struct extent_map *m, uint64_t addr)
{
	struct extent *e = extent_next(m, addr);

	return e && e->low <= addr ? e : NULL;
}

static struct extent_leaf *leaf_insert(struct extent_map *m, size_t n,
				       uint64_t low)
{
	struct extent_leaf *leaf = xmalloc(sizeof(*leaf));

	leaf->count = 0;
	vec_reserve(m, m->count + 1);
	memmove(&m->at[n + 1], &m->at[n], (m->count - n) * sizeof(*m->at));
	m->at[n] = (struct extent_branch){ low, leaf };
	m->count++;
	return leaf;
}

static void leaf_remove(struct extent_map *m, size_t n)
{
	free(m->at[n].leaf);
	m->count--;
	memmove(&m->at[n], &m->at[n + 1], (m->count - n) * sizeof(*m->at));
}

static void leaf_split(struct extent_map *m, size_t n)
{
	struct extent_leaf *left = m->at[n].leaf, *right;

	left->count /= 2;
	right = leaf_insert(m, n + 1, left->low[left->count]);
	right->count = LEAF_EXTENTS - left->count;
	memcpy(right->at, left->at + left->count,
	       right->count * sizeof(*right->at));
	memcpy(right->low, left->low + left->count,
	       right->count * sizeof(*right->low));
}

static bool is_after_all(const struct extent_map *m, uint64_t low)
{
	const struct extent_leaf *last = m->at[m->count - 1].leaf;

	return last->low[last->count - 1] < low;
}

/* The leaf an extent that begins at low goes to, with room for it. One that
 * comes after all others begins a new leaf instead of splitting the last:
 * heaps grow upwards, and their leaves stay full that way. */
static size_t leaf_with_room(struct extent_map *m, uint64_t low)
{
	size_t n = leaf_find(m, low);

	if (m->count == 0) {
		leaf_insert(m, 0, low);
		return 0;
	}
	if (m->at[n].leaf->count < LEAF_EXTENTS)
		return n;
	if (is_after_all(m, low)) {
		leaf_insert(m, n + 1, low);
		return n + 1;
	}
	leaf_split(m, n);
	return m->at[n + 1].low <= low ? n + 1 : n;
}

/* Moves the extents from slot `from` on. */
static void slots_move(struct extent_leaf *leaf, size_t from, size_t to)
{
	size_t count = leaf->count - from;

	memmove(&leaf->at[to], &leaf->at[from], count * sizeof(*leaf->at));
	memmove(&leaf->low[to], &leaf->low[from], count * sizeof(*leaf->low));
}

void extent_add(struct extent_map *m, struct extent e)
{
	struct extent_branch *branch;
	struct extent_leaf *leaf;
	size_t n, i;

	CHECK(e.low < e.high);
	n = leaf_with_room(m, e.low);
	branch = &m->at[n];
	leaf = branch->leaf;
	i = slots_before(leaf, e.low);
	slots_move(leaf, i, i + 1);
	leaf->at[i] = e;
	leaf->low[i] = e.low;
	leaf->count++;
	branch->low = leaf->low[0];
}

void extent_remove(struct extent_map *m, struct extent *e)
{
	size_t n = leaf_find(m, e->low);
	struct extent_leaf *leaf = m->at[n].leaf;
	size_t i = (size_t)(e - leaf->at);

	CHECK(i < leaf->count);
	slots_move(leaf, i + 1, i);
	leaf->count--;
	if (leaf->count)
		m->at[n].low = leaf->low[0];
	else
		leaf_remove(m, n);
}

void extent_map_done(struct extent_map *m)
{
	for (size_t n = 0; n < m->count; n++)
		free(m->at[n].leaf);
	vec_free(m);
}
