/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/similar.h"

#include <string.h>

/* A line of a brace says nothing. */
enum { TEXT_LEAST = 4 };

static void place_add(struct places *out, uint64_t low, uint64_t high,
		      uint32_t by)
{
	if (high > CONTROL_SITES)
		high = CONTROL_SITES;
	if (low < high)
		vec_push(&out->all, (struct place){ .low = (uint32_t)low,
						    .high = (uint32_t)high,
						    .by = by });
}

/* From so many bytes before a site to as many behind it, but within the limits
 * low and high. */
static void place_around(struct places *out, uint64_t site, uint32_t w,
			 uint64_t low, uint64_t high, uint32_t by)
{
	uint64_t from = site > w ? site - w : 0, to = site + w + 1;

	place_add(out, from > low ? from : low, to < high ? to : high, by);
}

/* ---- by offset ---- */

/* Where the event's offset is in this program; false: nowhere. */
static bool offset_site(const struct code_map *m,
			const struct signature_event *e,
			const struct region_module **module, int64_t *site)
{
	*module = code_module(m, e->module);
	if (!*module)
		return false;
	*site = (int64_t)(*module)->site +
		(int64_t)(e->address + (*module)->bias - (*module)->base);
	return true;
}

static void by_offset(const struct code_map *m, const struct signature_event *e,
		      uint32_t w, struct places *out)
{
	const struct region_module *module;
	int64_t site;

	if (!offset_site(m, e, &module, &site) || site < 0)
		return;
	place_around(out, (uint64_t)site, w, module->site,
		     (uint64_t)module->site + module->size, SIMILAR_OFFSET);
}

/* ---- by function and offset ---- */

static bool is_holder(const struct code_function *f,
		      const struct signature_event *e)
{
	return *e->holder && strcmp(f->name, e->holder) == 0;
}

/* Events are return addresses: behind the instruction they come from. */
static void by_function(const struct code_map *m,
			const struct signature_event *e, uint32_t w,
			struct places *out)
{
	for (size_t i = 0; i < m->functions.count; i++) {
		const struct code_function *f = &m->functions.at[i];

		if (is_holder(f, e))
			place_around(out, f->low + e->offset, w,
				     (uint64_t)f->low + 1,
				     (uint64_t)f->high + 1, SIMILAR_FUNCTION);
	}
}

/* ---- by text ---- */

static bool has_text(struct code_map *m, const struct code_piece *p,
		     const struct signature_event *e)
{
	const char *text;

	if (!e->source || strlen(e->source) < TEXT_LEAST)
		return false;
	text = code_text(m, p);
	return text && strcmp(text, e->source) == 0;
}

static bool is_in_function(const struct code_piece *p,
			   const struct signature_event *e)
{
	const char *name = site_chain_told(&p->chain)->function;

	return name && *e->function && strcmp(name, e->function) == 0;
}

static uint32_t text_way(struct code_map *m, const struct code_piece *p,
			 const struct signature_event *e)
{
	if (!has_text(m, p, e))
		return 0;
	return is_in_function(p, e) ? SIMILAR_TEXT : SIMILAR_MOVED;
}

static void by_text(struct code_map *m, const struct signature_event *e,
		    uint32_t by, struct places *out)
{
	for (size_t i = 0; i < m->pieces.count; i++) {
		const struct code_piece *p = &m->pieces.at[i];
		uint32_t way = text_way(m, p, e);

		if (way & by)
			place_add(out, (uint64_t)p->low + 1,
				  (uint64_t)p->high + 1, way);
	}
}

/* ---- by the name of the function alone ---- */

static void by_name(struct code_map *m, const struct signature_event *e,
		    struct places *out)
{
	for (size_t i = 0; i < m->pieces.count; i++) {
		const struct code_piece *p = &m->pieces.at[i];

		if (is_in_function(p, e))
			place_add(out, (uint64_t)p->low + 1,
				  (uint64_t)p->high + 1, SIMILAR_NAMED);
	}
}

/* Of "table.rows[3]" the variable is "table". */
bool similar_variable(struct code_map *m, const struct signature_event *e,
		      uint64_t *low, uint64_t *high)
{
	uint32_t operation = hunt_operation(e->kind);
	size_t size = strcspn(e->variable, ".[+");
	char *name;
	bool is_there;

	if (!size || (operation != HUNT_READ && operation != HUNT_WRITE))
		return false;
	name = xasprintf("%.*s", (int)size, e->variable);
	is_there = sites_variable(m->sites, name, low, high);
	free(name);
	return is_there;
}

void similar_places(struct code_map *m, const struct signature_event *e,
		    uint32_t by, uint32_t w, struct places *out)
{
	if (by & SIMILAR_OFFSET)
		by_offset(m, e, w, out);
	if (by & SIMILAR_FUNCTION)
		by_function(m, e, w, out);
	if (by & (SIMILAR_TEXT | SIMILAR_MOVED))
		by_text(m, e, by, out);
	if (by & SIMILAR_NAMED)
		by_name(m, e, out);
}

/* ---- how alike ---- */

static uint64_t difference(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)(a - b) : (uint64_t)(b - a);
}

struct similarity similar_measure(struct code_map *m,
				  const struct signature_event *e,
				  uint32_t site, uint32_t w)
{
	struct similarity s = { .offset = UINT64_MAX,
				.function_offset = UINT64_MAX };
	const struct code_piece *p = site ? code_find(m, site - 1) : NULL;
	const struct code_function *f = site ? code_holder(m, site - 1) : NULL;
	const struct region_module *module;
	int64_t was;

	if (offset_site(m, e, &module, &was))
		s.offset = difference(was, site);
	if (f && is_holder(f, e))
		s.function_offset = difference((int64_t)(f->low + e->offset),
					       (int64_t)site);
	if (s.offset <= w)
		s.by |= SIMILAR_OFFSET;
	if (s.function_offset <= w)
		s.by |= SIMILAR_FUNCTION;
	if (p)
		s.by |= text_way(m, p, e);
	if (p && is_in_function(p, e))
		s.by |= SIMILAR_NAMED;
	return s;
}
