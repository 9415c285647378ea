/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/captured.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "trial/site_states.h"

static void *copy(const void *from, size_t count, size_t size)
{
	void *to = xcalloc(count + 1, size);

	if (count)
		memcpy(to, from, count * size);
	return to;
}

#define COPY(from, count) copy((from), (count), sizeof(*(from)))

static void take_tables(struct captured *c, const struct region *r)
{
	c->thread_table_count = atomic_load(&r->thread_count);
	c->thread_table = COPY(r->threads, c->thread_table_count);
	c->module_count = atomic_load(&r->module_count);
	c->modules = COPY(r->modules, c->module_count);
	c->stack_count = atomic_load(&r->stack_count);
	c->stacks = COPY(r->stacks, c->stack_count);
	c->note_count = atomic_load(&r->note_count);
	c->notes = COPY(r->notes, c->note_count);
}

static void take_marks(struct captured *c, const struct force *f)
{
	uint32_t count = atomic_load(&f->mark_count);

	c->mark_count = count < FORCE_MARKS ? count : FORCE_MARKS;
	c->marks = COPY(f->marks, c->mark_count);
}

struct captured *captured_take(const struct worker *w)
{
	const struct control *control = w->control;
	struct captured *c = xcalloc(1, sizeof(*c));

	c->ask = control->ask;
	memcpy(&c->run, &control->run, sizeof(c->run));
	c->step_count = c->run.step_count;
	c->steps = COPY(control->steps, c->step_count);
	c->threads = COPY(control->threads, c->run.thread_count);
	take_tables(c, w->region);
	take_marks(c, &w->region->force);
	c->sites = site_states_take(w, &c->site_count);
	c->output = worker_printed(w, WORKER_OUTPUT, &c->output_size);
	c->errors = worker_printed(w, WORKER_ERRORS, &c->errors_size);
	racing_copy(&c->races, &w->races);
	return c;
}

void captured_free(struct captured *c)
{
	if (!c)
		return;
	free(c->steps);
	free(c->threads);
	free(c->thread_table);
	free(c->modules);
	free(c->stacks);
	free(c->notes);
	free(c->marks);
	free(c->sites);
	free(c->expected);
	free(c->output);
	free(c->errors);
	racing_done(&c->races);
	free(c);
}

struct sites *captured_sites(const struct captured *c)
{
	struct site_tables tables = {
		.modules = c->modules,
		.module_count = c->module_count,
		.stacks = c->stacks,
		.stack_count = c->stack_count,
	};

	return sites_new_from(&tables);
}

struct plan *captured_plan(const struct captured *c)
{
	struct plan *p = plan_new();

	plan_set_modules(p, c->modules, c->module_count);
	plan_set_steps(p, c->modules, c->steps, c->step_count);
	plan_set_sites(p, c->modules, c->sites, c->site_count);
	p->flags = c->ask.flags & PLAN_FLAGS;
	p->processors = c->ask.processors;
	p->seed = c->run.seed;
	return p;
}
