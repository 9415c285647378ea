/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_memo.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/xalloc.h"

static size_t slot_of(const struct memo *m, uint64_t key)
{
	/* Fibonacci hashing: keys are often multiples of a power of two. */
	size_t i = (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->room - 1);

	while (m->slots[i].key && m->slots[i].key != key)
		i = (i + 1) & (m->room - 1);
	return i;
}

static void memo_grow(struct memo *m)
{
	struct memo old = *m;

	m->room = old.room ? old.room * 2 : 64;
	m->slots = xcalloc(m->room, sizeof(*m->slots));
	for (size_t i = 0; i < old.room; i++) {
		if (old.slots[i].key)
			m->slots[slot_of(m, old.slots[i].key)] = old.slots[i];
	}
	free(old.slots);
}

const void *memo_get(const struct memo *m, uint64_t key)
{
	return m->room ? m->slots[slot_of(m, key)].value : NULL;
}

void memo_put(struct memo *m, uint64_t key, const void *value)
{
	struct memo_slot *slot;

	CHECK(key != 0);
	if (2 * m->count >= m->room)
		memo_grow(m);
	slot = &m->slots[slot_of(m, key)];
	m->count += slot->key == 0;
	slot->key = key;
	slot->value = value;
}

void memo_done(struct memo *m)
{
	free(m->slots);
	*m = (struct memo){ 0 };
}
