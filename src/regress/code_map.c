/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/code_map.h"

#include <string.h>

#include "base/bisect.h"
#include "regress/signature.h"

/* ---- making it ---- */

static const char *holder_name(const struct code_piece *p)
{
	return p->chain.frames[p->chain.count - 1].function;
}

static bool is_same_holder(const struct code_function *f,
			   const struct code_piece *p)
{
	return f->high == p->low && strcmp(f->name, holder_name(p)) == 0;
}

static void functions_make(struct code_map *m)
{
	for (size_t i = 0; i < m->pieces.count; i++) {
		const struct code_piece *p = &m->pieces.at[i];
		size_t n = m->functions.count;

		if (n && is_same_holder(&m->functions.at[n - 1], p))
			m->functions.at[n - 1].high = p->high;
		else
			vec_push(&m->functions,
				 (struct code_function){ holder_name(p), p->low,
							 p->high });
	}
}

struct code_map *code_map_new(const struct region *r)
{
	struct code_map *m = xcalloc(1, sizeof(*m));

	m->module_count = atomic_load(&r->module_count);
	m->modules = xcalloc(m->module_count + 1, sizeof(*m->modules));
	memcpy(m->modules, r->modules, m->module_count * sizeof(*m->modules));
	m->sites = sites_new_from(&(struct site_tables){
		.modules = m->modules, .module_count = m->module_count });
	for (uint32_t i = 0; i < m->module_count; i++)
		if (m->modules[i].instrumented)
			sites_code(m->sites, i, &m->pieces);
	functions_make(m);
	return m;
}

void code_map_free(struct code_map *m)
{
	if (!m)
		return;
	vec_free(&m->pieces);
	vec_free(&m->functions);
	vec_free(&m->texts);
	sources_done(&m->sources);
	sites_free(m->sites);
	free(m->modules);
	free(m);
}

/* ---- asking it ---- */

const struct code_piece *code_find(const struct code_map *m, uint32_t site)
{
	size_t n = bisect(i, 0, m->pieces.count, m->pieces.at[i].high <= site);

	if (n == m->pieces.count || m->pieces.at[n].low > site)
		return NULL;
	return &m->pieces.at[n];
}

const struct code_function *code_holder(const struct code_map *m, uint32_t site)
{
	for (size_t i = 0; i < m->functions.count; i++)
		if (m->functions.at[i].low <= site &&
		    site < m->functions.at[i].high)
			return &m->functions.at[i];
	return NULL;
}

/* Headers of the system are large, and no fix changes them. */
static const char *text_of(struct sources *s, const struct frame *f)
{
	if (f->file && strncmp(f->file, "/usr/", 5) == 0)
		return NULL;
	return source_text(s, f->file, f->line);
}

const char *code_text(struct code_map *m, const struct code_piece *p)
{
	size_t n = (size_t)(p - m->pieces.at);

	while (m->texts.count < m->pieces.count) {
		const struct frame *f =
			site_chain_told(&m->pieces.at[m->texts.count].chain);

		vec_push(&m->texts, text_of(&m->sources, f));
	}
	return m->texts.at[n];
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_library(const char *name)
{
	return strstr(name, ".so") != NULL;
}

const struct region_module *code_module(const struct code_map *m,
					const char *name)
{
	for (uint32_t i = 0; i < m->module_count; i++)
		if (strcmp(base_name(m->modules[i].path), name) == 0)
			return &m->modules[i];
	return m->module_count && !is_library(name) ? &m->modules[0] : NULL;
}

/* ---- telling the guest ---- */

static bool has_functions_of(const struct hunt *h, const struct hunt_span *s,
			     const struct code_piece *p)
{
	if (s->count != p->chain.count || s->high != p->low)
		return false;
	for (size_t i = 0; i < p->chain.count; i++) {
		const char *name = p->chain.frames[i].function;

		if (h->functions[s->first + i] !=
		    function_hash(name ? name : ""))
			return false;
	}
	return true;
}

static bool span_add(struct hunt *h, const struct code_piece *p)
{
	struct hunt_span *s = &h->spans[h->span_count];

	if (h->span_count == HUNT_SPANS ||
	    h->function_count + p->chain.count > HUNT_FUNCTIONS)
		return false;
	*s = (struct hunt_span){ .low = p->low,
				 .high = p->high,
				 .first = h->function_count,
				 .count = (uint32_t)p->chain.count };
	for (size_t i = 0; i < p->chain.count; i++) {
		const char *name = p->chain.frames[i].function;

		h->functions[h->function_count++] =
			function_hash(name ? name : "");
	}
	h->span_count++;
	return true;
}

/* A program with more code than there is room for is told in part; calls from
 * the rest are then no frames. */
void code_tell(const struct code_map *m, struct hunt *hunt)
{
	hunt->span_count = 0;
	hunt->function_count = 0;
	for (size_t i = 0; i < m->pieces.count; i++) {
		const struct code_piece *p = &m->pieces.at[i];
		struct hunt_span *last =
			hunt->span_count ? &hunt->spans[hunt->span_count - 1] :
					   NULL;

		if (last && has_functions_of(hunt, last, p))
			last->high = p->high;
		else if (!span_add(hunt, p))
			return;
	}
}
