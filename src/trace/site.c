/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolver: finds the module, asks it, and remembers the answer. What it
 * hands out is kept in one list until the end, since nobody can tell how long
 * a report needs a name.
 */
#include "trace/site.h"

#include <stdlib.h>
#include <string.h>

#include "trace/site_calls.h"
#include "trace/site_code.h"
#include "trace/site_edges.h"
#include "trace/site_global.h"
#include "trace/site_line.h"
#include "trace/site_memo.h"
#include "trace/site_module.h"
#include "trace/site_path.h"

struct sites {
	struct site_tables tables;
	struct site_module *modules; /* as many as the tables have */
	uint32_t module_count;
	struct spans places; /* of sites; item: a module */
	struct spans memory; /* of addresses in the run; item: a module */
	struct site_paths paths;
	struct memo files;  /* shortened, by the recorded string's place */
	struct memo chains; /* of sites */
	struct memo stacks;
	struct memo globals; /* by address and size */
	VEC(void *) kept;    /* all that the memos point to */
	VEC(char *) warnings;
};

static void *keep(struct sites *s, void *p)
{
	vec_push(&s->kept, p);
	return p;
}

/* A later module lies over an earlier one that was unloaded. */
static void module_add(struct sites *s, uint32_t n)
{
	const struct region_module *run = &s->tables.modules[n];

	s->modules[n].run = run;
	spans_add(&s->places,
		  (struct span){ .low = run->site,
				 .high = (uint64_t)run->site + run->size,
				 .item = n });
	spans_add(&s->memory, (struct span){ .low = run->base,
					     .high = run->base + run->size,
					     .item = n,
					     .rank = n });
}

struct sites *sites_new(const struct trace *t)
{
	struct site_tables tables = {
		.modules = trace_module(t, 0),
		.module_count = trace_modules(t),
		.stacks = trace_stack(t, 0),
		.stack_count = trace_stacks(t),
	};

	return sites_new_from(&tables);
}

struct sites *sites_new_from(const struct site_tables *tables)
{
	struct sites *s = xcalloc(1, sizeof(*s));

	s->tables = *tables;
	s->module_count = tables->module_count;
	s->modules = xcalloc(s->module_count + 1, sizeof(*s->modules));
	for (uint32_t n = 0; n < s->module_count; n++)
		module_add(s, n);
	spans_sort(&s->places);
	spans_sort(&s->memory);
	site_paths_init(&s->paths);
	return s;
}

void sites_free(struct sites *s)
{
	if (!s)
		return;
	for (uint32_t n = 0; n < s->module_count; n++)
		module_close(&s->modules[n]);
	free(s->modules);
	spans_done(&s->places);
	spans_done(&s->memory);
	site_paths_done(&s->paths);
	memo_done(&s->files);
	memo_done(&s->chains);
	memo_done(&s->stacks);
	memo_done(&s->globals);
	for (size_t i = 0; i < s->kept.count; i++)
		free(s->kept.at[i]);
	vec_free(&s->kept);
	for (size_t i = 0; i < s->warnings.count; i++)
		free(s->warnings.at[i]);
	vec_free(&s->warnings);
	free(s);
}

/* The kernel's own module has no file, and nobody expects one. */
static bool has_file(const struct region_module *run)
{
	const char *slash = strrchr(run->path, '/');

	return slash && strncmp(slash, "/linux-vdso.", 12) != 0;
}

static struct site_module *module_ready(struct sites *s, uint32_t n)
{
	struct site_module *m = &s->modules[n];
	struct err err;

	if (has_file(m->run) && module_open(m, &err) != 0)
		vec_push(&s->warnings,
			 xasprintf("%s; its places are shown as offsets",
				   err.text));
	return m;
}

static const char *file_shorten(struct sites *s, const char *recorded)
{
	uint64_t key = (uintptr_t)recorded;
	const char *file;

	if (!recorded)
		return NULL;
	file = memo_get(&s->files, key);
	if (!file) {
		file = keep(s, site_path(&s->paths, recorded));
		memo_put(&s->files, key, file);
	}
	return file;
}

/* The chain and its frames are one piece of memory. */
static struct site_chain *chain_keep(struct sites *s, struct frames *frames)
{
	size_t size = frames->count * sizeof(*frames->at);
	struct site_chain *chain = keep(s, xmalloc(sizeof(*chain) + size));

	chain->count = frames->count;
	chain->frames = (struct frame *)(chain + 1);
	if (size)
		memcpy(chain + 1, frames->at, size);
	vec_free(frames);
	return chain;
}

static struct site_chain *chain_make(struct sites *s, uint32_t site,
				     bool is_return)
{
	const struct span *span = spans_find(&s->places, site);
	struct frames frames = { 0 };
	struct site_module *m;
	uint64_t addr;

	if (site && span) {
		m = module_ready(s, span->item);
		addr = m->run->base + (site - m->run->site) - m->run->bias;
		module_frames(m, addr - is_return, &frames);
		if (!frames.at[0].line)
			frame_at_function(m, addr - is_return, &frames.at[0]);
		for (size_t i = 0; i < frames.count; i++) {
			frames.at[i].file = file_shorten(s, frames.at[i].file);
			frames.at[i].offset = addr;
		}
	}
	return chain_keep(s, &frames);
}

struct site_chain site_resolve(struct sites *s, uint32_t site, bool is_return)
{
	uint64_t key = ((uint64_t)site << 1 | is_return) + 1;
	const struct site_chain *chain = memo_get(&s->chains, key);

	if (!chain) {
		chain = chain_make(s, site, is_return);
		memo_put(&s->chains, key, chain);
	}
	return *chain;
}

const struct frame *site_chain_told(const struct site_chain *chain)
{
	for (size_t i = 0; i < chain->count; i++) {
		const struct frame *f = &chain->frames[i];

		if (f->file && f->line && !frame_is_of_library(f))
			return f;
	}
	return &chain->frames[0];
}

static uint32_t site_in(const struct site_module *m, uint64_t addr)
{
	uint64_t k = addr + m->run->bias - m->run->base;

	return k < m->run->size ? m->run->site + (uint32_t)k : 0;
}

/* Between functions there is nothing but filling. */
static bool has_function(const struct site_chain *chain)
{
	return chain->count && chain->frames[chain->count - 1].function;
}

void sites_code(struct sites *s, uint32_t n, struct code_pieces *out)
{
	struct edges edges = { 0 };
	struct site_module *m;

	if (n >= s->module_count)
		return;
	m = module_ready(s, n);
	module_edges(m, &edges);
	for (size_t i = 0; i + 1 < edges.count; i++) {
		struct code_piece piece = {
			.low = site_in(m, edges.at[i]),
			.high = site_in(m, edges.at[i + 1]),
		};

		if (!piece.low || piece.high <= piece.low)
			continue;
		piece.chain = site_resolve(s, piece.low, false);
		if (has_function(&piece.chain))
			vec_push(out, piece);
	}
	vec_free(&edges);
}

const char *site_symbol(struct sites *s, uint32_t site, uint32_t *module)
{
	const struct span *span = spans_find(&s->places, site);
	struct site_module *m;

	if (!site || !span)
		return NULL;
	*module = span->item;
	m = module_ready(s, span->item);
	return module_symbol(m, m->run->base + (site - m->run->site) -
					m->run->bias - 1);
}

void sites_calls(struct sites *s, uint32_t n, const char *symbol,
		 struct call_sites *out)
{
	struct addresses calls = { 0 };
	struct site_module *m;

	if (n >= s->module_count)
		return;
	m = module_ready(s, n);
	out->first = site_in(m, module_calls(m, symbol, &calls));
	for (size_t i = 0; i < calls.count; i++)
		if (site_in(m, calls.at[i]))
			vec_push(out, site_in(m, calls.at[i]));
	vec_free(&calls);
}

bool sites_variable(struct sites *s, const char *name, uint64_t *low,
		    uint64_t *high)
{
	for (uint32_t n = 0; n < s->module_count; n++) {
		const struct region_module *run = s->modules[n].run;
		const struct span *span = NULL;

		if (run->instrumented)
			span = module_object_named(module_ready(s, n), name);
		if (!span)
			continue;
		*low = span->low + run->bias;
		*high = span->high + run->bias;
		return true;
	}
	return false;
}

/* A parent stands before its children in the table; anything else is damage,
 * and not followed. */
static struct site_chain *stack_make(struct sites *s, uint32_t node)
{
	uint32_t count = s->tables.stack_count;
	struct frames frames = { 0 };

	while (node && node < count) {
		const struct region_stack *at = &s->tables.stacks[node];
		struct site_chain chain = site_resolve(s, at->site, true);

		for (size_t i = 0; i < chain.count; i++)
			vec_push(&frames, chain.frames[i]);
		node = at->parent < node ? at->parent : 0;
	}
	return chain_keep(s, &frames);
}

struct site_chain stack_resolve(struct sites *s, uint32_t stack)
{
	uint64_t key = (uint64_t)stack + 1;
	const struct site_chain *chain = memo_get(&s->stacks, key);

	if (!chain) {
		chain = stack_make(s, stack);
		memo_put(&s->stacks, key, chain);
	}
	return *chain;
}

uint32_t stack_site(const struct sites *s, uint32_t stack)
{
	return stack && stack < s->tables.stack_count ?
		       s->tables.stacks[stack].site :
		       0;
}

uint32_t stack_parent(const struct sites *s, uint32_t stack)
{
	uint32_t up = stack && stack < s->tables.stack_count ?
			      s->tables.stacks[stack].parent :
			      0;

	return up < stack ? up : 0;
}

/* Where the copy of a variable was made from, the debug information is too. */
static char *copied_name(struct sites *s, struct site_module *copy,
			 uint64_t addr, uint64_t size)
{
	uint64_t offset, origin;
	const char *name = module_copied(copy, addr, &offset);

	for (uint32_t n = 0; name && n < s->module_count; n++) {
		struct site_module *m = module_ready(s, n);

		if (m != copy && m->dwarf &&
		    module_object_find(m, name, &origin))
			return module_variable(m, origin + offset, size);
	}
	return NULL;
}

static struct site_module *module_at(struct sites *s, uint64_t addr)
{
	const struct span *span = spans_find(&s->memory, addr);

	return span ? module_ready(s, span->item) : NULL;
}

static const char *global_make(struct sites *s, uint64_t addr, uint64_t size)
{
	struct site_module *m = module_at(s, addr);
	char *name = NULL;

	if (m && m->is_known) {
		name = copied_name(s, m, addr - m->run->bias, size);
		if (!name)
			name = module_variable(m, addr - m->run->bias, size);
	}
	return keep(s, name ? name : xstrdup(""));
}

const char *global_name(struct sites *s, uint64_t addr, uint64_t size)
{
	uint64_t key = (addr << 16 | (size < 0xffff ? size : 0xffff)) + 1;
	const char *name = memo_get(&s->globals, key);

	if (!name) {
		name = global_make(s, addr, size);
		memo_put(&s->globals, key, name);
	}
	return *name ? name : NULL;
}

char *address_name(const struct sites *s, uint64_t addr)
{
	const struct span *span = spans_find(&s->memory, addr);
	const struct region_module *run;
	const char *slash;

	if (!span)
		return NULL;
	run = s->modules[span->item].run;
	slash = strrchr(run->path, '/');
	return xasprintf("%s+0x%llx", slash ? slash + 1 : run->path,
			 (unsigned long long)(addr - run->bias));
}

struct site_chain code_resolve(struct sites *s, uint64_t addr)
{
	const struct span *span = spans_find(&s->memory, addr);
	const struct region_module *run;

	if (!addr || !span)
		return (struct site_chain){ 0 };
	run = s->modules[span->item].run;
	return site_resolve(s, run->site + (uint32_t)(addr - run->base), false);
}

char *site_name(struct sites *s, uint32_t site)
{
	struct site_chain c = site_resolve(s, site, true);
	const char *slash;

	if (!c.count || !c.frames[0].module)
		return xstrdup("?");
	slash = strrchr(c.frames[0].module, '/');
	return xasprintf("%s+0x%llx", slash ? slash + 1 : c.frames[0].module,
			 (unsigned long long)c.frames[0].offset);
}

size_t sites_warnings(const struct sites *s)
{
	return s->warnings.count;
}

const char *sites_warning_text(const struct sites *s, size_t n)
{
	return n < s->warnings.count ? s->warnings.at[n] : "";
}
