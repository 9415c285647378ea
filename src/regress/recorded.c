/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/recorded.h"

#include <string.h>

enum { EVENTS_MOST = 2 << 20 };

static void events_read(struct recorded *r)
{
	struct event e;

	while (r->events.count < EVENTS_MOST && trace_next(r->trace, &e))
		if (e.kind != EVENT_TIME)
			vec_push(&r->events, e);
}

static void event_add_standing(struct recorded *r, uint32_t n)
{
	const struct control_thread *t = &r->captured->threads[n];

	vec_push(&r->events, (struct event){ .kind = t->kind,
					     .thread = n,
					     .addr = t->object,
					     .stack = t->stack });
}

/* What threads stood before that nothing came of: the waits of a deadlock, and
 * the use of memory that was none any more. */
static void events_add_last(struct recorded *r)
{
	const struct control_run *run = &r->captured->run;
	const struct outcome *o = &run->outcome;

	for (uint32_t n = 0; n < run->thread_count; n++) {
		uint8_t state = r->captured->threads[n].state;
		bool waits = state == THREAD_BLOCKED || state == THREAD_ASLEEP;

		if (o->kind == OUTCOME_DEADLOCK ?
			    waits :
			    o->kind != OUTCOME_NONE && o->thread == n)
			event_add_standing(r, n);
	}
}

/* ---- from an event to its description ---- */

uint32_t recorded_site(const struct recorded *r, const struct event *e)
{
	return e->stack && e->stack < r->captured->stack_count ?
		       r->captured->stacks[e->stack].site :
		       0;
}

static void frames_fill(const struct recorded *r, const struct code_map *m,
			const struct event *e, struct signature_event *to)
{
	uint32_t node = e->stack;

	while (node && node < r->captured->stack_count) {
		const struct region_stack *at = &r->captured->stacks[node];
		const struct code_piece *p =
			at->site ? code_find(m, at->site - 1) : NULL;

		for (size_t i = 0; p && i < p->chain.count; i++) {
			const char *name = p->chain.frames[i].function;

			if (to->frames.count < HUNT_FRAMES)
				vec_push(&to->frames,
					 xstrdup(name ? name : ""));
		}
		node = at->parent < node ? at->parent : 0;
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const struct region_module *module_of(const struct code_map *m,
					     uint32_t site)
{
	for (uint32_t i = 0; i < m->module_count; i++)
		if (site - m->modules[i].site < m->modules[i].size)
			return &m->modules[i];
	return NULL;
}

static char *copy(const char *text)
{
	return xstrdup(text ? text : "");
}

/* What is inside of a lock is libc's: of "table.lock.__data.__lock" the first
 * two names are the program's. */
static size_t own_length(const char *variable)
{
	const char *inner = strstr(variable, ".__");

	return inner ? (size_t)(inner - variable) : strlen(variable);
}

bool recorded_place(struct code_map *m, uint32_t site,
		    struct signature_event *to)
{
	const struct code_piece *p = site ? code_find(m, site - 1) : NULL;
	const struct code_function *f = site ? code_holder(m, site - 1) : NULL;
	const struct region_module *module = site ? module_of(m, site) : NULL;
	const struct frame *frame;

	if (!p || !f || !module)
		return false;
	frame = site_chain_told(&p->chain);
	*to = (struct signature_event){
		.module = copy(base_name(module->path)),
		.address = module->base - module->bias + (site - module->site),
		.function = copy(frame->function),
		.holder = copy(f->name),
		.offset = site - f->low,
		.file = copy(frame->file ? base_name(frame->file) : NULL),
		.line = (uint32_t)frame->line,
		.source = copy(code_text(m, p)),
	};
	return true;
}

/* False: it happened where nothing is known of the code. */
static bool event_fill(const struct recorded *r, struct code_map *m,
		       const struct event *e, struct signature_event *to)
{
	if (!recorded_place(m, recorded_site(r, e), to))
		return false;
	to->kind = e->kind;
	to->variable = copy(global_name(m->sites, e->addr, e->size));
	to->variable[own_length(to->variable)] = '\0';
	frames_fill(r, m, e, to);
	return true;
}

bool recorded_signature(const struct recorded *r, struct code_map *m,
			const struct candidate *c, struct signature *s)
{
	uint32_t objects[HUNT_EVENTS], threads[HUNT_EVENTS];

	*s = (struct signature){ .is_cycle = c->is_cycle };
	candidate_pattern(c, r->events.at, objects, threads);
	for (uint32_t i = 0; i < c->count; i++) {
		if (!event_fill(r, m, &r->events.at[c->at[i]], &s->events[i])) {
			signature_done(s);
			return false;
		}
		s->events[i].object = objects[i];
		s->events[i].thread = threads[i];
		s->count++;
	}
	return true;
}

/* ---- recording ---- */

static void take(struct recorded *r)
{
	events_read(r);
	events_add_last(r);
}

int recorded_follow(struct recorded *r, struct follower *f,
		    const struct plan *plan, struct err *err)
{
	*r = (struct recorded){ 0 };
	r->captured = follower_record(f, plan, &r->trace, err);
	if (!r->captured)
		return -1;
	take(r);
	return 0;
}

int recorded_run(struct recorded *r, struct worker *w,
		 const struct control_ask *ask, struct err *err)
{
	*r = (struct recorded){ 0 };
	if (worker_record(w, ask, &r->trace, err) < 0)
		return -1;
	r->captured = captured_take(w);
	take(r);
	return 0;
}

void recorded_done(struct recorded *r)
{
	vec_free(&r->events);
	if (r->trace)
		trace_close(r->trace);
	captured_free(r->captured);
	*r = (struct recorded){ 0 };
}
