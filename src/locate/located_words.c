/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was located, in words: places become functions and lines, threads get
 * the names of their functions, addresses those of variables.
 */
#include "locate/located_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trial/describe.h"
#include "trial/standing.h"

const char *procedure_text(enum procedure p)
{
	static const char *const texts[] = { [PROCEDURE_I] = "I",
					     [PROCEDURE_II] = "II",
					     [PROCEDURE_III] = "III",
					     [PROCEDURE_FALCON] = "falcon" };

	return texts[p];
}

const char *level_text(enum level l)
{
	/* By number. */
	static const char *const texts[LEVELS] = { "pc", "thread", "loop",
						   "context" };

	return texts[l];
}

static const char *kind_text(uint8_t kind)
{
	/* By enum pair_access. */
	static const char *const texts[] = { "read", "write", "update" };

	return kind <= PAIR_UPDATE ? texts[kind] : "access";
}

/* ---- places ---- */

void words_of_places(struct gathered *g)
{
	struct sites *sites = captured_sites(g->failed);

	for (size_t i = 1; i < g->names->places.count; i++) {
		struct pair_place *p = &g->names->places.at[i];
		uint32_t site = pair_place_site(g->names, (uint32_t)i,
						g->failed->modules,
						g->failed->module_count);
		struct site_chain chain;
		const struct frame *told;

		if (!site || p->file)
			continue;
		chain = site_resolve(sites, site, true);
		if (!chain.count)
			continue;
		told = site_chain_told(&chain);
		if (told->function)
			p->function = xstrdup(told->function);
		if (told->file)
			p->file = xstrdup(told->file);
		p->line = told->line;
	}
	sites_free(sites);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static char *where_of(const struct pair_names *n, const struct pair_place *p)
{
	if (p->function && p->file)
		return xasprintf("%s (%s:%d)", p->function, base_name(p->file),
				 p->line);
	if (p->file)
		return xasprintf("%s:%d", base_name(p->file), p->line);
	if (p->address)
		return xasprintf("%s+0x%" PRIx64, n->modules.at[p->module],
				 p->address);
	return xstrdup("an unknown place");
}

/* ---- threads and variables ---- */

static char *thread_name(const struct words *w, uint16_t thread)
{
	const char *path = w->g->names->threads.at[thread];
	const struct captured *c = w->g->failed;
	char *text = NULL;
	size_t size;
	FILE *out;

	for (uint32_t i = 0; c && i < c->thread_table_count; i++) {
		char *other = pair_thread_path(c->thread_table,
					       c->thread_table_count, i);
		bool is_it = strcmp(other, path) == 0;

		free(other);
		if (!is_it)
			continue;
		out = open_memstream(&text, &size);
		if (!out)
			abort();
		standing_name(c, w->sites, i, out);
		fclose(out);
		return text;
	}
	return xasprintf("thread %s", path);
}

static char *variable_name(const struct words *w, uint64_t addr)
{
	const char *name = w->sites ? global_name(w->sites, addr, 1) : NULL;

	if (name)
		return xstrdup(name);
	return xasprintf("memory at 0x%" PRIx64, addr);
}

/* ---- accesses, pairs, suspects ---- */

/* Where the program's author would look: a line inside std::atomic tells nobody
 * which variable it was, the line that called it does. */
static const struct pair_place *place_told(const struct pair_names *n,
					   const struct pair_end *e)
{
	for (uint32_t way = e->way; way; way = n->ways.at[way].outer) {
		const struct pair_place *p =
			&n->places.at[n->ways.at[way].place];

		if (p->file && strncmp(p->file, "/usr/", 5) != 0)
			return p;
	}
	return &n->places.at[e->place];
}

static struct located_access words_of_access(const struct words *w,
					     const struct pair_end *e)
{
	const struct pair_names *n = w->g->names;
	const struct pair_place *p = place_told(n, e);
	struct located_access a = { .thread = thread_name(w, e->thread),
				    .kind = kind_text(e->kind),
				    .line = p->line,
				    .where = where_of(n, p) };

	if (p->function)
		a.function = xstrdup(p->function);
	if (p->file) {
		a.file = xstrdup(p->file);
		a.source = describe_line(p->file, p->line);
	}
	return a;
}

static struct located_pair words_of_pair(const struct words *w,
					 const struct pair_line *p)
{
	return (struct located_pair){ .head = words_of_access(w, &p->head),
				      .tail = words_of_access(w, &p->tail),
				      .variable = variable_name(w, p->addr),
				      .times = p->times,
				      .addr = p->addr };
}

static void access_done(struct located_access *a)
{
	free(a->thread);
	free(a->function);
	free(a->file);
	free(a->source);
	free(a->where);
}

static void pair_done(struct located_pair *p)
{
	access_done(&p->head);
	access_done(&p->tail);
	free(p->variable);
}

struct asking {
	const struct words *w;
	bool gave_up; /* what went wrong once is not tried again */
};

static bool holds_reversed(void *of, const struct pair_line *pair)
{
	struct asking *a = of;
	struct suspect s = { .count = 1, .pairs = { *pair } };
	struct err err;
	bool holds = false;

	if (!a->gave_up && confirm_reversed(a->w->again, a->w->g, &s,
					    a->w->deadline, &holds, &err) < 0)
		a->gave_up = true;
	return holds;
}

void words_of_suspect(const struct words *w, const struct suspect *s,
		      const struct confirmation *c, struct located_suspect *l)
{
	struct asking asking = { .w = w };
	struct diagnosis_ask ask = { .of = &asking };
	struct diagnosis d;

	*l = (struct located_suspect){ .count = s->count,
				       .is_missing = s->is_missing,
				       .score = s->score };
	if (c) {
		l->confirmation = *c;
		l->is_confirmed = confirmation_is(c);
	}
	for (uint32_t i = 0; i < s->count; i++) {
		l->pairs[i] = words_of_pair(w, &s->pairs[i]);
		l->pairs[i].head.visit = l->confirmation.at[i][0].visit;
		l->pairs[i].tail.visit = l->confirmation.at[i][1].visit;
	}
	ask.holds_reversed = l->confirmation.reversal_holds;
	if (w->again && l->is_confirmed)
		ask.holds = holds_reversed;
	d = diagnose(w->g, s, &ask);
	l->kind = d.kind;
	l->row = d.row;
	l->has_other = d.has_other;
	if (d.has_other)
		l->other = words_of_pair(w, &d.other);
	l->sentence = diagnosis_sentence(&d, l->pairs,
					 d.has_other ? &l->other : NULL);
}

/* ---- the shrunk schedule ---- */

static bool is_within(const struct pair_names *n, const struct suspect *s,
		      uint32_t module, uint64_t address, uint16_t thread)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint32_t i = 0; i < 2 * s->count; i++) {
		const struct pair_line *p = &s->pairs[i / 2];
		const struct pair_end *e = i % 2 ? &p->tail : &p->head;
		const struct pair_place *at = &n->places.at[e->place];

		if (e->thread != thread || at->module != module)
			continue;
		if (at->address < low)
			low = at->address;
		if (at->address > high)
			high = at->address;
	}
	/* The call of a hook is some bytes long. */
	return low != UINT64_MAX && address + 16 >= low &&
	       address <= high + 256;
}

static uint16_t thread_of_step(const struct words *w, uint32_t number)
{
	const struct captured *c = w->g->failed;
	char *path = pair_thread_path(c->thread_table, c->thread_table_count,
				      number);
	uint32_t thread = pair_thread_number(w->g->names, path);

	free(path);
	return (uint16_t)thread;
}

/* The thread of the tail is stopped, and that of the head goes on: so the head
 * came first. */
static bool lets_head_first(const struct suspect *s, uint16_t from, uint16_t to)
{
	return s->count == 1 && s->pairs[0].tail.thread == from &&
	       s->pairs[0].head.thread == to;
}

bool words_of_switches(const struct words *w, const struct plan *plan,
		       const struct suspect *s, struct located *l)
{
	bool any = false;

	for (size_t i = 0; i < plan->steps.count; i++) {
		const struct plan_step *p = &plan->steps.at[i];
		struct located_switch x = { 0 };
		const char *module;

		if (p->what != STEP_PREEMPT && p->what != STEP_YIELD)
			continue;
		module = p->module < plan->modules.count ?
				 plan->modules.at[p->module].name :
				 "";
		x.agrees = is_within(w->g->names, s,
				     pair_module(w->g->names, module),
				     p->address,
				     thread_of_step(w, p->thread)) ||
			   lets_head_first(s, thread_of_step(w, p->thread),
					   thread_of_step(w, p->to));
		any |= x.agrees;
		if (l) {
			x.thread = thread_name(w, thread_of_step(w, p->thread));
			x.to = thread_name(w, thread_of_step(w, p->to));
			x.where = xstrdup(p->where ? p->where : "?");
			x.source = p->source ? xstrdup(p->source) : NULL;
			vec_push(&l->switches, x);
		}
	}
	return any;
}

void located_done(struct located *l)
{
	for (size_t i = 0; i < l->suspects.count; i++) {
		struct located_suspect *s = &l->suspects.at[i];

		for (uint32_t k = 0; k < s->count; k++)
			pair_done(&s->pairs[k]);
		pair_done(&s->other);
		free(s->sentence);
	}
	for (size_t i = 0; i < l->switches.count; i++) {
		free(l->switches.at[i].thread);
		free(l->switches.at[i].where);
		free(l->switches.at[i].source);
		free(l->switches.at[i].to);
	}
	vec_free(&l->suspects);
	vec_free(&l->attempts);
	vec_free(&l->switches);
	vec_free(&l->new_pairs);
	free(l->name);
	free(l->directory);
	free(l->failure);
}
