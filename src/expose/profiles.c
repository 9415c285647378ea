/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/profiles.h"

#include <stdlib.h>
#include <string.h>

#include "expose/expose_inner.h"
#include "trial/processors.h"

/* ---- numbers of one trace as those of another ---- */

static const struct region_module *module_like(const struct trace *t,
					       const struct region_module *m)
{
	for (uint32_t i = 0; i < trace_modules(t); i++)
		if (strcmp(trace_module(t, i)->path, m->path) == 0 &&
		    trace_module(t, i)->size == m->size)
			return trace_module(t, i);
	return NULL;
}

/* 0: there is no such place here. */
static uint32_t site_here(const struct trace *from, const struct trace *here,
			  uint32_t site)
{
	for (uint32_t i = 0; i < trace_modules(from); i++) {
		const struct region_module *m = trace_module(from, i), *like;

		if (site < m->site || site - m->site >= m->size)
			continue;
		like = module_like(here, m);
		return like ? like->site + (site - m->site) : 0;
	}
	return 0;
}

static uint64_t address_here(const struct trace *from, const struct trace *here,
			     uint64_t addr)
{
	for (uint32_t i = 0; i < trace_modules(from); i++) {
		const struct region_module *m = trace_module(from, i), *like;

		if (addr < m->base || addr - m->base >= m->size)
			continue;
		like = module_like(here, m);
		return like ? like->base + (addr - m->base) : addr;
	}
	return addr;
}

static void side_here(const struct trace *from, const struct trace *here,
		      struct unserial_side *s)
{
	s->site = site_here(from, here, s->site);
	s->gate = s->gate ? site_here(from, here, s->gate) : 0;
	s->stack = NO_STACK;
}

static void where_here(const struct trace *from, const struct trace *here,
		       struct location *where)
{
	where->stack = NO_STACK;
	if (where->kind == LOCATION_GLOBAL)
		where->offset = address_here(from, here, where->offset);
}

/* Those that are nowhere here are dropped. */
static void result_here(const struct trace *from, const struct trace *here,
			struct unserial_result *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct unserial_candidate f = r->at[i];

		side_here(from, here, &f.p);
		side_here(from, here, &f.c);
		side_here(from, here, &f.r);
		f.addr = address_here(from, here, f.addr);
		where_here(from, here, &f.where);
		f.lock.stack = NO_STACK;
		f.lock.addr = address_here(from, here, f.lock.addr);
		where_here(from, here, &f.lock.where);
		if (f.p.site && f.c.site && f.r.site)
			r->at[kept++] = f;
	}
	r->count = kept;
	kept = 0;
	for (size_t i = 0; i < r->sites; i++) {
		uint32_t site = site_here(from, here, r->site_list[i]);

		if (site)
			r->site_list[kept++] = site;
	}
	r->sites = kept;
	for (size_t i = 0; i < r->waiting_count; i++)
		r->waiting[i] = site_here(from, here, r->waiting[i]);
}

/* ---- runs ---- */

/* Where to wait is learned from one run and holds in all. */
static struct unserial_result *analyse_knowing(
	struct trace *t, const struct trace *here,
	const struct unserial_result *known, struct unserial_how how)
{
	uint32_t *waiting = xcalloc(known->waiting_count + 1, sizeof(*waiting));
	struct unserial_result *r;

	for (size_t i = 0; i < known->waiting_count; i++)
		waiting[i] = site_here(here, t, known->waiting[i]);
	how.waiting = waiting;
	how.waiting_count = known->waiting_count;
	r = unserial_by(t, &how);
	free(waiting);
	result_here(t, here, r);
	return r;
}

/* A run that held, or NULL. */
static struct trace *record(struct worker *w, const struct control_ask *ask)
{
	const struct control_result *ran = &w->control->results[0];
	struct trace *trace;
	struct err ignored;

	if (worker_record(w, ask, &trace, &ignored) < 0)
		return NULL;
	if (ran->outcome == OUTCOME_NONE && !ran->wait_status)
		return trace;
	trace_close(trace);
	return NULL;
}

struct kept_runs {
	VEC(struct trace *) all;
};

static void record_all(struct worker *w, const struct expose_options *o,
		       uint32_t count, uint64_t ms, struct kept_runs *kept)
{
	struct control_ask ask = { .runs = 1,
				   .depth = 3,
				   .points_most = o->keeping.points_most,
				   .hang_ms = o->keeping.hang_ms,
				   .memory_most = o->memory_most,
				   .flags = CONTROL_RECORD | CONTROL_ALL |
					    CONTROL_STOP };
	double end = expose_now() + (double)ms / 1000;

	for (uint32_t i = 0; i < count && expose_now() < end; i++) {
		struct trace *one;

		/* Threads by turns, and threads one after the other. */
		ask.strategy = i % 2 ? STRATEGY_PCT : STRATEGY_RANDOM;
		ask.seed = i + 1;
		one = record(w, &ask);
		if (!one)
			continue;
		ask.length = w->control->results[0].points;
		vec_push(&kept->all, one);
	}
}

/* First what waits, in any of them: a run in which a loop did not have to wait
 * shows an order all the same then. The watched one is looked at once more, if
 * it did not know. */
static void learn(const struct expose_options *o, struct expose_result *r,
		  const struct kept_runs *kept)
{
	const struct unserial_how how = { .rank = o->rank,
					  .only_waiting = true };
	size_t known = r->unserial->waiting_count;
	struct unserial_result *anew;

	for (size_t i = 0; i < kept->all.count; i++)
		unserial_merge(r->unserial,
			       analyse_knowing(kept->all.at[i], r->trace,
					       r->unserial, how),
			       o->rank);
	if (r->unserial->waiting_count == known)
		return;
	trace_rewind(r->trace);
	anew = unserial_by(
		r->trace,
		&(struct unserial_how){ .rank = o->rank,
					.waiting = r->unserial->waiting,
					.waiting_count =
						r->unserial->waiting_count });
	trace_rewind(r->trace);
	unserial_free(r->unserial);
	r->unserial = anew;
}

static uint32_t add(struct worker *w, const struct expose_options *o,
		    struct expose_result *r, uint32_t count, uint64_t ms)
{
	const struct unserial_how how = { .rank = o->rank };
	struct kept_runs kept = { 0 };
	uint32_t added;

	record_all(w, o, count, ms, &kept);
	learn(o, r, &kept);
	for (size_t i = 0; i < kept.all.count; i++) {
		unserial_merge(r->unserial,
			       analyse_knowing(kept.all.at[i], r->trace,
					       r->unserial, how),
			       o->rank);
		trace_close(kept.all.at[i]);
	}
	added = (uint32_t)kept.all.count;
	vec_free(&kept.all);
	return added;
}

uint32_t profiles_add(const struct expose_options *o, struct expose_result *r,
		      uint32_t count, uint64_t ms)
{
	struct launch launch = { .argv = o->keeping.argv,
				 .guest = o->guest,
				 .streams = { o->keeping.feed->fd, -1, -1 },
				 .is_fresh = o->keeping.is_exec,
				 .has_scratch = o->keeping.is_exec,
				 .inputs = o->keeping.inputs,
				 .input_count = o->keeping.input_count };
	struct worker worker;
	struct err ignored;
	uint32_t added;
	int *cpus = NULL;

	if (!processors_find(&cpus) ||
	    worker_start(&worker, &launch, cpus[0], &ignored) < 0) {
		free(cpus);
		return 0;
	}
	free(cpus);
	added = add(&worker, o, r, count, ms);
	worker_stop(&worker);
	return added;
}
