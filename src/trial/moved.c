/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/moved.h"

#include <stdlib.h>
#include <string.h>

#include "format/edit_distance.h"
#include "trace/site_code.h"
#include "trace/source_text.h"

/* One look at the code of a program: resolver and sources. */
struct look {
	struct sites *sites;
	struct sources sources;
};

static const struct frame *told_at(struct look *l, uint32_t site,
				   bool is_return)
{
	struct site_chain chain = site_resolve(l->sites, site, is_return);

	return chain.count ? site_chain_told(&chain) : NULL;
}

/* The line, counted from where the function begins. */
static uint32_t line_within(struct look *l, const struct call_sites *calls,
			    const struct frame *f)
{
	const struct frame *first = told_at(l, calls->first, false);

	return first ? (uint32_t)(f->line - first->line) : (uint32_t)f->line;
}

static const char *text_of(struct look *l, const struct frame *f)
{
	const char *text = source_text(&l->sources, f->file, f->line);

	return text ? text : "";
}

/* Less than half of it was changed, as far as both are known. */
static bool is_similar(const char *a, const char *b)
{
	uint32_t x[EDIT_MOST], y[EDIT_MOST], n = 0, m = 0;

	if (!*a || !*b)
		return true;
	for (; n < EDIT_MOST && a[n]; n++)
		x[n] = (uint8_t)a[n];
	for (; m < EDIT_MOST && b[m]; m++)
		y[m] = (uint8_t)b[m];
	return 2 * edit_distance(x, n, y, m) < (n > m ? n : m);
}

/* What makes two calls alike. */
enum alike { ALIKE_TEXT, ALIKE_LINE };

static bool is_alike(struct look *l, const struct call_sites *calls,
		     uint32_t site, const struct plan_place *p, enum alike by)
{
	const struct frame *f = told_at(l, site, true);

	if (!f || !f->function || strcmp(f->function, p->function) != 0)
		return false;
	if (by == ALIKE_TEXT)
		return strcmp(text_of(l, f), p->text) == 0;
	return line_within(l, calls, f) == p->line &&
	       is_similar(text_of(l, f), p->text);
}

/* ---- naming ---- */

/* Which of the calls that are alike it is; 0: it is none of the function's. */
static uint32_t nth_of(struct look *l, const struct call_sites *calls,
		       uint32_t site, const struct plan_place *p)
{
	uint32_t nth = 0;

	for (size_t i = 0; i < calls->count; i++) {
		if (is_alike(l, calls, calls->at[i], p, ALIKE_TEXT))
			nth++;
		if (calls->at[i] == site)
			return nth;
	}
	return 0;
}

static void name_place(struct look *l, struct plan *plan,
		       const struct plan_step *s, uint32_t site)
{
	uint32_t module = 0;
	const char *symbol = site_symbol(l->sites, site, &module);
	const struct frame *f = told_at(l, site, true);
	struct call_sites calls = { 0 };
	struct plan_place p;

	if (!symbol || !f || !f->function)
		return;
	sites_calls(l->sites, module, symbol, &calls);
	p = (struct plan_place){ .module = s->module,
				 .address = s->address,
				 .symbol = xstrdup(symbol),
				 .function = xstrdup(f->function),
				 .text = xstrdup(text_of(l, f)),
				 .line = line_within(l, &calls, f) };
	p.nth = nth_of(l, &calls, site, &p);
	vec_push(&plan->places, p);
	vec_free(&calls);
}

void plan_name_places(struct plan *plan, const struct captured *run)
{
	struct look l = { .sites = captured_sites(run) };

	plan_places_clear(plan);
	for (size_t i = 0; i < plan->steps.count && i < run->step_count; i++) {
		const struct plan_step *s = &plan->steps.at[i];

		if (s->module != NO_MODULE && !plan_place_of(plan, s))
			name_place(&l, plan, s, run->steps[i].site);
	}
	sources_done(&l.sources);
	sites_free(l.sites);
}

/* ---- finding ---- */

static uint32_t find_call(struct look *l, const struct call_sites *calls,
			  const struct plan_place *p, enum alike by)
{
	uint32_t nth = 0;

	for (size_t i = 0; i < calls->count; i++)
		if (is_alike(l, calls, calls->at[i], p, by) && ++nth == p->nth)
			return calls->at[i];
	return NO_SITE;
}

/* The site of a place in module number n of the program, or NO_SITE. */
static uint32_t find_place(struct look *l, uint32_t n,
			   const struct plan_place *p)
{
	struct call_sites calls = { 0 };
	uint32_t site = NO_SITE;

	if (!p || !p->nth)
		return NO_SITE;
	sites_calls(l->sites, n, p->symbol, &calls);
	if (*p->text)
		site = find_call(l, &calls, p, ALIKE_TEXT);
	if (site == NO_SITE)
		site = find_call(l, &calls, p, ALIKE_LINE);
	vec_free(&calls);
	return site;
}

/* What was built anew, of the plan's modules: its number in the program. */
static uint32_t *anew_of(struct plan *p, const struct region *region)
{
	uint32_t *anew = xcalloc(p->modules.count + 1, sizeof(*anew));

	for (size_t i = 0; i < p->modules.count; i++) {
		anew[i] = NO_MODULE;
		if (plan_module_is_anew(&p->modules.at[i], region, &anew[i]))
			plan_module_set(&p->modules.at[i],
					&region->modules[anew[i]]);
	}
	return anew;
}

static void forget_privates(struct plan *p, const uint32_t *anew)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->privates.count; i++)
		if (anew[p->privates.at[i].module] == NO_MODULE)
			p->privates.at[kept++] = p->privates.at[i];
	p->privates.count = kept;
}

static uint64_t address_in(const struct region_module *m, uint32_t site)
{
	return site == NO_SITE ? UINT64_MAX :
				 m->base - m->bias + (site - m->site);
}

static void move_steps(struct look *l, const struct plan *from, struct plan *to,
		       const struct region *region, const uint32_t *anew,
		       size_t *lost)
{
	for (size_t i = 0; i < to->steps.count; i++) {
		struct plan_step *s = &to->steps.at[i];
		uint32_t n = s->module == NO_MODULE ? NO_MODULE :
						      anew[s->module];
		uint32_t site;

		if (n == NO_MODULE)
			continue;
		site = find_place(l, n, plan_place_of(from, s));
		s->address = address_in(&region->modules[n], site);
		*lost += site == NO_SITE;
	}
}

static void move_places(const struct plan *from, struct plan *to)
{
	plan_places_clear(to);
	for (size_t i = 0; i < to->steps.count; i++) {
		const struct plan_step *s = &to->steps.at[i];
		const struct plan_place *p =
			plan_place_of(from, &from->steps.at[i]);

		if (p && s->address != UINT64_MAX && !plan_place_of(to, s))
			plan_place_add(to, p, s->address);
	}
}

struct plan *plan_moved(const struct plan *plan, const struct region *region,
			size_t *lost)
{
	struct plan *moved = plan_copy(plan);
	uint32_t *anew = anew_of(moved, region);
	struct look l = {
		.sites = sites_new_from(&(struct site_tables){
			.modules = region->modules,
			.module_count = atomic_load(&region->module_count) })
	};

	*lost = 0;
	forget_privates(moved, anew);
	move_steps(&l, plan, moved, region, anew, lost);
	move_places(plan, moved);
	sources_done(&l.sources);
	sites_free(l.sites);
	free(anew);
	return moved;
}
