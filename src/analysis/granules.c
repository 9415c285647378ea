/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/granules.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void granules_init(struct granules *g)
{
	memset(g, 0, sizeof(*g));
}

void granules_done(struct granules *g)
{
	for (size_t i = 0; i < g->room; i++)
		free(g->pages[i]);
	free(g->pages);
	granules_init(g);
}

static size_t hash(const struct granules *g, uint64_t number)
{
	return number * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (g->room - 1);
}

/* Where the page is, or the free place where it belongs. */
static size_t place(const struct granules *g, uint64_t number)
{
	size_t i = hash(g, number);

	while (g->pages[i] && g->pages[i]->number != number)
		i = (i + 1) & (g->room - 1);
	return i;
}

struct granule_page *granules_page(struct granules *g, uint64_t number)
{
	struct granule_page *p;

	if (!g->room)
		return NULL;
	p = g->pages[place(g, number)];
	if (p)
		g->cache[number % GRANULE_CACHE] = p;
	return p;
}

static void grow(struct granules *g)
{
	struct granule_page **old = g->pages;
	size_t room = g->room;

	g->room = room ? room * 2 : 64;
	g->pages = xcalloc(g->room, sizeof(*g->pages));
	for (size_t i = 0; i < room; i++)
		if (old[i])
			g->pages[place(g, old[i]->number)] = old[i];
	free(old);
}

struct granule_page *granules_make(struct granules *g, uint64_t number)
{
	struct granule_page *p = granules_page(g, number);

	if (p)
		return p;
	if (g->count >= g->room / 2)
		grow(g);
	p = xcalloc(1, sizeof(*p));
	p->number = number;
	g->pages[place(g, number)] = p;
	g->count++;
	g->cache[number % GRANULE_CACHE] = p;
	return p;
}

/* Closes the gap at i, so that every page is still found from its hash. */
static void remove_at(struct granules *g, size_t i)
{
	size_t mask = g->room - 1;
	uint64_t number = g->pages[i]->number;

	free(g->pages[i]);
	g->pages[i] = NULL;
	g->cache[number % GRANULE_CACHE] = NULL;
	g->count--;
	for (size_t j = (i + 1) & mask; g->pages[j]; j = (j + 1) & mask) {
		size_t home = hash(g, g->pages[j]->number);

		if (((j - home) & mask) >= ((j - i) & mask)) {
			g->pages[i] = g->pages[j];
			g->pages[j] = NULL;
			i = j;
		}
	}
}

static void walk_page(struct granule_page *p, uint64_t addr, uint64_t end,
		      granule_visit *visit, void *self)
{
	uint64_t base = p->number << GRANULE_PAGE_SHIFT;
	size_t first = addr > base ? (addr - base) / GRANULE_BYTES : 0;
	size_t last = GRANULE_PAGE_SLOTS;

	if ((end - 1) >> GRANULE_PAGE_SHIFT == p->number)
		last = (end - 1 - base) / GRANULE_BYTES + 1;
	for (size_t i = first; i < last; i++)
		if (p->slots[i])
			visit(self, base + i * GRANULE_BYTES, &p->slots[i]);
}

void granules_walk(struct granules *g, uint64_t addr, uint64_t size,
		   granule_visit *visit, void *self)
{
	uint64_t end = granules_end(addr, size);
	uint64_t first = addr >> GRANULE_PAGE_SHIFT;
	uint64_t last;

	if (end <= addr || !g->count)
		return;
	last = (end - 1) >> GRANULE_PAGE_SHIFT;
	if (last - first >= g->room) {
		for (size_t i = 0; i < g->room; i++) {
			struct granule_page *p = g->pages[i];

			if (p && p->number >= first && p->number <= last)
				walk_page(p, addr, end, visit, self);
		}
		return;
	}
	for (uint64_t n = first; n <= last; n++) {
		struct granule_page *p = granules_page(g, n);

		if (p)
			walk_page(p, addr, end, visit, self);
	}
}

/* Removing moves other pages, so the numbers are collected first when the
 * table is walked. */
static void drop_many(struct granules *g, uint64_t first, uint64_t last)
{
	uint64_t *found = xmalloc(g->count * sizeof(*found));
	size_t count = 0;

	for (size_t i = 0; i < g->room; i++) {
		struct granule_page *p = g->pages[i];

		if (p && p->number >= first && p->number < last)
			found[count++] = p->number;
	}
	for (size_t i = 0; i < count; i++)
		remove_at(g, place(g, found[i]));
	free(found);
}

void granules_drop(struct granules *g, uint64_t addr, uint64_t size)
{
	uint64_t page = UINT64_C(1) << GRANULE_PAGE_SHIFT;
	uint64_t end = granules_end(addr, size);
	uint64_t first = addr / page + (addr % page != 0);
	uint64_t last = end / page;

	if (!g->count || first >= last)
		return;
	if (last - first >= g->room) {
		drop_many(g, first, last);
		return;
	}
	for (uint64_t n = first; n < last; n++) {
		size_t i = place(g, n);

		if (g->pages[i])
			remove_at(g, i);
	}
}
