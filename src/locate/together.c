/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/together.h"

#include <stdlib.h>
#include <string.h>

#include "format/rng.h"

static bool is_same_iteration(uint16_t loop, uint32_t began, uint16_t loop2,
			      uint32_t began2)
{
	return !loop || loop != loop2 || began == began2;
}

bool together_is(const struct spectrum_instance *x,
		 const struct spectrum_instance *y, enum level level)
{
	if (level == LEVEL_PC)
		return true;
	if (x->head_thread != y->tail_thread ||
	    x->tail_thread != y->head_thread)
		return false;
	if (level == LEVEL_THREAD)
		return true;
	return is_same_iteration(x->head_loop, x->head_began, y->tail_loop,
				 y->tail_began) &&
	       is_same_iteration(x->tail_loop, x->tail_began, y->head_loop,
				 y->head_began);
}

/* ---- the index ---- */

/*
 * An occurrence can be looked up by pair and threads, and, for each of its two
 * ends, by the loop with its iteration or without: what the one that asks has
 * to agree in depends on whether it is in the same loop.
 */
enum { BY_HEAD = 1, BY_TAIL = 2, WAYS = 4 };

static void key_of(const struct spectrum_instance *x, int by, uint64_t *a,
		   uint64_t *b)
{
	*a = (uint64_t)x->pair << 32 | (uint32_t)x->head_thread << 16 |
	     x->tail_thread;
	*b = (uint64_t)by << 60;
	if (by & BY_HEAD)
		*b ^= rng_mix((uint64_t)x->head_loop << 32 | x->head_began) >>
		      4;
	if (by & BY_TAIL)
		*b ^= rng_mix(((uint64_t)x->tail_loop << 32 | x->tail_began) +
			      1) >>
		      6;
}

static int compare(const void *a, const void *b)
{
	const struct spectrum_instance *x = a, *y = b;

	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	if (x->head_count != y->head_count)
		return x->head_count < y->head_count ? -1 : 1;
	return (x->tail_count > y->tail_count) -
	       (x->tail_count < y->tail_count);
}

void together_init(struct together *t, const struct spectrum_instance *all,
		   size_t count, size_t pairs, enum level level)
{
	struct spectrum_instance *own = xcalloc(count + 1, sizeof(*own));
	int ways = level >= LEVEL_LOOP ? WAYS : 1;

	if (count)
		memcpy(own, all, count * sizeof(*own));
	qsort(own, count, sizeof(*own), compare);
	*t = (struct together){ .instances = own,
				.count = count,
				.level = level,
				.from = xcalloc(pairs + 1, sizeof(*t->from)) };
	for (size_t i = 0, n = 0; n <= pairs; n++) {
		while (i < count && own[i].pair < n)
			i++;
		t->from[n] = (uint32_t)i;
	}
	for (size_t i = 0; level > LEVEL_PC && i < count; i++)
		for (int by = 0; by < ways; by++) {
			uint64_t a, b;
			uint32_t *at;

			key_of(&own[i], by, &a, &b);
			at = keymap_at(&t->keys, a, b);
			if (!*at)
				*at = (uint32_t)i + 1;
		}
}

void together_done(struct together *t)
{
	free((void *)(uintptr_t)t->instances);
	free(t->from);
	keymap_done(&t->keys);
}

static uint32_t find(struct together *t, const struct spectrum_instance *asked,
		     int by)
{
	uint64_t a, b;

	key_of(asked, by, &a, &b);
	return *keymap_at(&t->keys, a, b);
}

/* An occurrence of pair j together with x; UINT32_MAX: none. The loops that j
 * is in are those of its first occurrence in these threads. */
static uint32_t partner_of(struct together *t,
			   const struct spectrum_instance *x, uint32_t j)
{
	struct spectrum_instance asked = { .pair = j,
					   .head_thread = x->tail_thread,
					   .tail_thread = x->head_thread,
					   .head_loop = x->tail_loop,
					   .head_began = x->tail_began,
					   .tail_loop = x->head_loop,
					   .tail_began = x->head_began };
	uint32_t n = find(t, &asked, 0);
	const struct spectrum_instance *y;
	int by = 0;

	if (!n || t->level == LEVEL_THREAD)
		return n - 1;
	y = &t->instances[n - 1];
	if (y->head_loop && y->head_loop == asked.head_loop)
		by |= BY_HEAD;
	if (y->tail_loop && y->tail_loop == asked.tail_loop)
		by |= BY_TAIL;
	return find(t, &asked, by) - 1;
}

bool together_has(struct together *t, uint32_t i, uint32_t j,
		  const struct spectrum_instance **of_i,
		  const struct spectrum_instance **of_j)
{
	uint32_t size_i = t->from[i + 1] - t->from[i];
	uint32_t size_j = t->from[j + 1] - t->from[j];

	if (!size_i || !size_j)
		return false;
	if (size_j < size_i)
		return together_has(t, j, i, of_j, of_i);
	for (uint32_t k = t->from[i]; k < t->from[i + 1]; k++) {
		const struct spectrum_instance *x = &t->instances[k];
		uint32_t n = t->level == LEVEL_PC ? t->from[j] :
						    partner_of(t, x, j);

		if (n == UINT32_MAX)
			continue;
		if (of_i)
			*of_i = x;
		if (of_j)
			*of_j = &t->instances[n];
		return true;
	}
	return false;
}
