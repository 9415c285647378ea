/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/keymap.h"

#include <stdlib.h>

#include "base/xalloc.h"

static uint64_t hash(uint64_t a, uint64_t b)
{
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 32 ^ b) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

static struct keymap_entry *find(const struct keymap *m, uint64_t a, uint64_t b)
{
	size_t i = hash(a, b) & (m->room - 1);

	while (m->at[i].value && (m->at[i].a != a || m->at[i].b != b))
		i = (i + 1) & (m->room - 1);
	return &m->at[i];
}

/* Keys that were asked for and left at 0 are none. */
static void count_anew(struct keymap *m)
{
	m->count = 0;
	for (size_t i = 0; i < m->room; i++)
		m->count += m->at[i].value != 0;
}

static void grow(struct keymap *m)
{
	struct keymap old = *m;

	count_anew(m);
	if (m->count < m->room / 4)
		return;
	m->room = old.room ? old.room * 2 : 64;
	m->at = xcalloc(m->room, sizeof(*m->at));
	for (size_t i = 0; i < old.room; i++) {
		if (old.at[i].value)
			*find(m, old.at[i].a, old.at[i].b) = old.at[i];
	}
	free(old.at);
}

uint32_t *keymap_at(struct keymap *m, uint64_t a, uint64_t b)
{
	struct keymap_entry *e;

	if (m->count >= m->room / 2)
		grow(m);
	e = find(m, a, b);
	if (!e->value) {
		e->a = a;
		e->b = b;
		m->count++;
	}
	return &e->value;
}

uint32_t keymap_find(const struct keymap *m, uint64_t a, uint64_t b)
{
	return m->room ? find(m, a, b)->value : 0;
}

void keymap_expect(const struct keymap *m, uint64_t a, uint64_t b)
{
	if (m->room)
		__builtin_prefetch(&m->at[hash(a, b) & (m->room - 1)]);
}

void keymap_done(struct keymap *m)
{
	free(m->at);
	*m = (struct keymap){ 0 };
}
