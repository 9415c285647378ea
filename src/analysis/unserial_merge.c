/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analysis/keymap.h"
#include "analysis/unserial_inner.h"

/* Candidates by their sites and pattern: index + 1. */
struct known {
	struct keymap pairs, all;
	uint32_t pair_count;
};

static uint32_t *known_at(struct known *k, const struct unserial_candidate *f)
{
	uint32_t *pair = keymap_at(&k->pairs, f->p.site, f->c.site);

	if (!*pair)
		*pair = ++k->pair_count;
	return keymap_at(&k->all, (uint64_t)*pair << 2 | f->pattern, f->r.site);
}

static void merge_candidates(struct unserial_result *r,
			     const struct unserial_result *other)
{
	struct known known = { 0 };

	r->at = xrealloc(r->at, (r->count + other->count + 1) * sizeof(*r->at));
	for (size_t i = 0; i < r->count; i++)
		*known_at(&known, &r->at[i]) = (uint32_t)i + 1;
	for (size_t i = 0; i < other->count; i++) {
		uint32_t *n = known_at(&known, &other->at[i]);
		struct unserial_candidate *to = *n ? &r->at[*n - 1] :
						     &r->at[r->count];

		if (*n && (to->instances || !other->at[i].instances))
			continue;
		if (!*n)
			*n = (uint32_t)++r->count;
		*to = other->at[i];
		to->exercised = 0;
	}
	keymap_done(&known.pairs);
	keymap_done(&known.all);
}

static void merge_sites(struct unserial_result *r,
			const struct unserial_result *other)
{
	struct keymap seen = { 0 };

	r->site_list = xrealloc(r->site_list, (r->sites + other->sites + 1) *
						      sizeof(*r->site_list));
	for (size_t i = 0; i < r->sites; i++)
		*keymap_at(&seen, r->site_list[i], 0) = 1;
	for (size_t i = 0; i < other->sites; i++) {
		uint32_t *n = keymap_at(&seen, other->site_list[i], 0);

		if (!*n)
			r->site_list[r->sites++] = other->site_list[i];
		*n = 1;
	}
	keymap_done(&seen);
}

/* What one run shows to wait, waits in all. */
static void merge_waiting(struct unserial_result *r,
			  const struct unserial_result *other)
{
	size_t known = r->waiting_count;

	r->waiting = xrealloc(r->waiting, (known + other->waiting_count + 1) *
						  sizeof(*r->waiting));
	for (size_t i = 0; i < other->waiting_count; i++) {
		size_t k = 0;

		while (k < known && r->waiting[k] != other->waiting[i])
			k++;
		if (k == known && other->waiting[i])
			r->waiting[r->waiting_count++] = other->waiting[i];
	}
}

void unserial_merge(struct unserial_result *r, struct unserial_result *other,
		    enum unserial_rank rank)
{
	merge_candidates(r, other);
	merge_sites(r, other);
	merge_waiting(r, other);
	unserial_order(r, rank);
	unserial_free(other);
}
