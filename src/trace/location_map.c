/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/location_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

enum { LEAF_EXTENTS = 64 };

struct extent_leaf {
	size_t count;
	struct extent at[LEAF_EXTENTS];
};

/* The first leaf with an extent that ends after addr. */
static size_t leaf_find(const struct extent_map *m, uint64_t addr)
{
	size_t from = 0, to = m->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct extent_leaf *leaf = m->at[middle];

		if (leaf->at[leaf->count - 1].high <= addr)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The first extent of a leaf that ends after addr. */
static size_t slot_find(const struct extent_leaf *leaf, uint64_t addr)
{
	size_t from = 0, to = leaf->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (leaf->at[middle].high <= addr)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

struct extent *extent_next(const struct extent_map *m, uint64_t addr)
{
	size_t n = leaf_find(m, addr);

	if (n == m->count)
		return NULL;
	return &m->at[n]->at[slot_find(m->at[n], addr)];
}

struct extent *extent_find(const struct extent_map *m, uint64_t addr)
{
	struct extent *e = extent_next(m, addr);

	return e && e->low <= addr ? e : NULL;
}

static struct extent_leaf *leaf_insert(struct extent_map *m, size_t n)
{
	struct extent_leaf *leaf = xmalloc(sizeof(*leaf));

	leaf->count = 0;
	vec_reserve(m, m->count + 1);
	memmove(&m->at[n + 1], &m->at[n], (m->count - n) * sizeof(*m->at));
	m->at[n] = leaf;
	m->count++;
	return leaf;
}

static void leaf_remove(struct extent_map *m, size_t n)
{
	free(m->at[n]);
	m->count--;
	memmove(&m->at[n], &m->at[n + 1], (m->count - n) * sizeof(*m->at));
}

static void leaf_split(struct extent_map *m, size_t n)
{
	struct extent_leaf *right = leaf_insert(m, n + 1);
	struct extent_leaf *left = m->at[n];

	left->count /= 2;
	right->count = LEAF_EXTENTS - left->count;
	memcpy(right->at, left->at + left->count,
	       right->count * sizeof(*right->at));
}

/* The leaf an extent that begins at low goes to, with room for it. One that
 * comes after all others begins a new leaf instead of splitting the last:
 * heaps grow upwards, and their leaves stay full that way. */
static size_t leaf_with_room(struct extent_map *m, uint64_t low)
{
	size_t n = leaf_find(m, low);

	if (n == m->count) {
		if (n == 0 || m->at[n - 1]->count == LEAF_EXTENTS)
			leaf_insert(m, n);
		else
			n--;
	}
	if (m->at[n]->count < LEAF_EXTENTS)
		return n;
	leaf_split(m, n);
	return slot_find(m->at[n], low) < m->at[n]->count ? n : n + 1;
}

void extent_add(struct extent_map *m, struct extent e)
{
	struct extent_leaf *leaf;
	size_t i, n;

	CHECK(e.low < e.high);
	n = leaf_with_room(m, e.low); /* may move m->at */
	leaf = m->at[n];
	i = slot_find(leaf, e.low);
	memmove(&leaf->at[i + 1], &leaf->at[i],
		(leaf->count - i) * sizeof(*leaf->at));
	leaf->at[i] = e;
	leaf->count++;
}

void extent_remove(struct extent_map *m, struct extent *e)
{
	size_t n = leaf_find(m, e->low);
	struct extent_leaf *leaf = m->at[n];
	size_t i = (size_t)(e - leaf->at);

	CHECK(i < leaf->count);
	leaf->count--;
	memmove(&leaf->at[i], &leaf->at[i + 1],
		(leaf->count - i) * sizeof(*leaf->at));
	if (leaf->count == 0)
		leaf_remove(m, n);
}

void extent_map_done(struct extent_map *m)
{
	for (size_t n = 0; n < m->count; n++)
		free(m->at[n]);
	vec_free(m);
}
