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

/* The place in the program's own code where a block was allocated. */
static char *maker_of(struct sites *sites, uint32_t stack)
{
	struct site_chain chain = stack_resolve(sites, stack);

	for (size_t i = 0; i < chain.count; i++) {
		const struct frame *f = &chain.frames[i];

		if (f->file && f->line && strncmp(f->file, "/usr/", 5) != 0)
			return xasprintf("%s:%d", base_name(f->file), f->line);
	}
	return NULL;
}

static char *block_name(struct sites *sites, const struct location *where)
{
	char *maker = maker_of(sites, where->stack), *name;

	name = xasprintf("byte %" PRIu64 " of the %s%s%s", where->offset,
			 where->kind == LOCATION_HEAP ? "block" : "mapping",
			 maker ? " from " : "", maker ? maker : "");
	free(maker);
	return name;
}

/* `deed` is of the failing run; NULL: nobody has inquired. */
static char *variable_name(const struct words *w, uint64_t addr,
			   const struct deed *deed)
{
	const char *name = w->sites ? global_name(w->sites, addr, 1) : NULL;

	if (name)
		return xstrdup(name);
	if (deed && w->run_sites && deed->where.kind == LOCATION_STACK)
		return xasprintf("byte -%" PRIu64
				 " of the stack of thread %" PRIu32,
				 deed->where.offset, deed->where.owner);
	if (deed && w->run_sites &&
	    (deed->where.kind == LOCATION_HEAP ||
	     deed->where.kind == LOCATION_MAPPED))
		return block_name(w->run_sites, &deed->where);
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
					 const struct pair_line *p,
					 const struct deed *deed)
{
	return (struct located_pair){ .head = words_of_access(w, &p->head),
				      .tail = words_of_access(w, &p->tail),
				      .variable =
					      variable_name(w, p->addr, deed),
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

static bool is_alike(const struct pair_line *p, const struct pair_line *q)
{
	return p->head.place == q->head.place && p->tail.place == q->tail.place;
}

static char *sentence_of(const struct words *w, const struct diagnosis *d,
			 const struct inquiry *q,
			 const struct located_suspect *l)
{
	struct located_pair there = { 0 };
	const struct located_pair *back = d->has_other ? &l->other :
					  l->count > 1 ? &l->pairs[1] :
							 NULL;
	char *text;

	if (d->has_there)
		there = words_of_pair(w, &d->there, inquiry_there(q));
	text = diagnosis_sentence(d, d->has_there ? &there : &l->pairs[0],
				  back);
	pair_done(&there);
	return text;
}

/* Is the second of coupled pairs what leads back? */
static bool is_back_of(const struct suspect *s, const struct inquiry *q)
{
	return q->is_known && q->is_cycle &&
	       s->pairs[1].head.place == q->cycle.back[1].place &&
	       s->pairs[1].tail.place == q->cycle.back[0].place;
}

void words_of_suspect(const struct words *w, const struct suspect *s,
		      const struct confirmation *c, const struct inquiry *q,
		      struct located_suspect *l)
{
	struct diagnosis d;

	*l = (struct located_suspect){ .count = s->count,
				       .is_missing = s->is_missing,
				       .score = s->score,
				       .confirmation = *c,
				       .is_confirmed = confirmation_is(c) };
	for (uint32_t i = 0; i < s->count; i++) {
		l->pairs[i] = words_of_pair(w, &s->pairs[i],
					    i == 0 ? inquiry_there(q) :
					    is_back_of(s, q) ? inquiry_back(q) :
							       NULL);
		l->pairs[i].head.visit = c->at[i][0].visit;
		l->pairs[i].tail.visit = c->at[i][1].visit;
	}
	d = q->is_known ? inquiry_diagnosis(q) :
			  diagnose(w->g, s, c->reversal_holds);
	/* Of coupled pairs the second is the way back, unless there is a
	 * shorter one. */
	if (s->count > 1 && d.kind == BUG_ORDER)
		d = diagnose(w->g, s, c->reversal_holds);
	if (s->count > 1 && d.has_other && is_alike(&d.other, &s->pairs[1]))
		d.has_other = false;
	l->kind = d.kind;
	l->trials = q->is_known ? q->trials : 0;
	l->is_apart = s->is_missing;
	if (q->is_known)
		l->is_missing = q->is_missing;
	l->row = d.row;
	l->has_other = d.has_other;
	l->is_other_missing = d.is_other_missing;
	if (d.has_other)
		l->other = words_of_pair(w, &d.other, inquiry_back(q));
	l->sentence = sentence_of(w, &d, q, l);
}

/* ---- the shrunk schedule ---- */

static uint16_t thread_of_step(const struct words *w, uint32_t number)
{
	const struct captured *c = w->g->failed;
	char *path = pair_thread_path(c->thread_table, c->thread_table_count,
				      number);
	uint32_t thread = pair_thread_number(w->g->names, path);

	free(path);
	return (uint16_t)thread;
}

static bool is_realised(const struct words *w, const struct plan *plan,
			const struct plan_step *p, const struct inquiry *q)
{
	uint32_t place = 0;

	if (p->module < plan->modules.count)
		place = pair_place_number(
			w->g->names,
			pair_module(w->g->names,
				    plan->modules.at[p->module].name),
			p->address);
	return inquiry_realises(q, thread_of_step(w, p->thread), place,
				thread_of_step(w, p->to));
}

static void switch_tell(const struct words *w, const struct plan_step *p,
			bool agrees, bool is_choice, struct located *l)
{
	vec_push(&l->switches,
		 (struct located_switch){
			 .thread = thread_name(w, thread_of_step(w, p->thread)),
			 .to = thread_name(w, thread_of_step(w, p->to)),
			 .where =
				 xstrdup(p->where && *p->where ? p->where : ""),
			 .source = p->source ? xstrdup(p->source) : NULL,
			 .is_choice = is_choice,
			 .agrees = agrees });
}

/* Nobody's turn is taken: then it is who goes on when another waits. */
static bool words_of_choices(const struct words *w, const struct plan *plan,
			     const struct inquiry *q, struct located *l)
{
	bool any = false;

	for (size_t i = 0; i < plan->steps.count && q->is_known; i++) {
		const struct plan_step *p = &plan->steps.at[i];

		if ((p->what != STEP_BLOCK && p->what != STEP_END) ||
		    !inquiry_is_chosen(q, thread_of_step(w, p->thread),
				       p->what == STEP_END,
				       thread_of_step(w, p->to)))
			continue;
		if (l && !any)
			switch_tell(w, p, true, true, l);
		any = true;
	}
	return any;
}

bool words_of_switches(const struct words *w, const struct plan *plan,
		       const struct inquiry *q, struct located *l)
{
	bool any = false, none = true;

	for (size_t i = 0; i < plan->steps.count; i++) {
		const struct plan_step *p = &plan->steps.at[i];
		bool agrees;

		if (p->what != STEP_PREEMPT && p->what != STEP_YIELD)
			continue;
		agrees = q->is_known && is_realised(w, plan, p, q);
		none = false;
		any |= agrees;
		if (l)
			switch_tell(w, p, agrees, false, l);
	}
	return none ? words_of_choices(w, plan, q, l) : any;
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
