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

static void place_here(const struct trace *from, const struct trace *here,
		       struct wakeup_place *p)
{
	p->site = site_here(from, here, p->site);
}

/* Wake-ups that may be lost there. */
static void wakeups_here(struct trace *t, struct expose_result *r)
{
	const struct analysis_options wanted = { .wakeups = true };
	struct analysis_result *own, *to = r->findings;
	struct err ignored;

	own = analyse(t, &wanted, &ignored);
	if (!own)
		return;
	to->wakeups = xrealloc(to->wakeups,
			       (to->wakeup_count + own->wakeup_count + 1) *
				       sizeof(*to->wakeups));
	for (size_t i = 0; i < own->wakeup_count; i++) {
		struct wakeup_finding f = own->wakeups[i];

		place_here(t, r->trace, &f.locked);
		place_here(t, r->trace, &f.wait);
		place_here(t, r->trace, &f.prior);
		place_here(t, r->trace, &f.signal);
		f.cond = address_here(t, r->trace, f.cond);
		where_here(t, r->trace, &f.where);
		if (f.locked.site && f.wait.site && f.signal.site &&
		    !wakeup_is_known(to->wakeups, to->wakeup_count, &f))
			to->wakeups[to->wakeup_count++] = f;
	}
	analysis_free(own);
}

/* Runs under control, and what they show by themselves. */
struct shown {
	VEC(struct trace *) runs;
	struct unserial_result *all;
};

/* How much is known: what may happen, and what waits. */
static size_t shown_weight(const struct unserial_result *r)
{
	return r->count - r->by_status[UNSERIAL_PRUNED] + r->waiting_count;
}

/* True: the run shows something that those before it did not. */
static bool shown_add(struct shown *s, struct trace *one,
		      const struct trace *here, enum unserial_rank rank)
{
	const struct unserial_how how = { .rank = rank };
	size_t before = shown_weight(s->all);

	vec_push(&s->runs, one);
	unserial_merge(s->all, analyse_knowing(one, here, s->all, how), rank);
	return shown_weight(s->all) != before;
}

/* Ends when the second half of them showed nothing new. What the watched run
 * shows does not count: it would make the number of runs a matter of luck. */
static void shown_gather(struct shown *s, struct worker *w,
			 const struct expose_options *o,
			 const struct trace *here, uint32_t count, uint64_t ms)
{
	enum { TIMES = 10 };
	struct control_ask ask = { .runs = 1,
				   .depth = 3,
				   .points_most = o->keeping.points_most,
				   .hang_ms = o->keeping.hang_ms,
				   .memory_most = o->memory_most,
				   .flags = CONTROL_RECORD | CONTROL_ALL |
					    CONTROL_STOP };
	double end = expose_now() + (double)ms / 1000;
	uint32_t enough = count;

	for (uint32_t i = 0; i < enough && expose_now() < end; i++) {
		struct trace *one;

		/* Threads by turns, and threads one after the other. */
		ask.strategy = i % 2 ? STRATEGY_PCT : STRATEGY_RANDOM;
		ask.seed = i + 1;
		one = record(w, &ask);
		if (!one)
			continue;
		ask.length = w->control->results[0].points;
		if (shown_add(s, one, here, o->rank) && 2 * (i + 1) > enough &&
		    i < count * TIMES / 2)
			enough = 2 * (i + 1);
	}
}

/* What one run shows to wait, waits in all: the watched one and those that were
 * looked at before it was known are looked at once more. */
static void look_again(const struct expose_options *o, struct expose_result *r,
		       const struct shown *s)
{
	const struct unserial_how how = { .rank = o->rank };
	struct unserial_how knowing = how;
	struct unserial_result *anew;

	knowing.waiting = r->unserial->waiting;
	knowing.waiting_count = r->unserial->waiting_count;
	trace_rewind(r->trace);
	anew = unserial_by(r->trace, &knowing);
	trace_rewind(r->trace);
	unserial_free(r->unserial);
	r->unserial = anew;
	for (size_t i = 0; i < s->runs.count; i++)
		unserial_merge(r->unserial,
			       analyse_knowing(s->runs.at[i], r->trace, anew,
					       how),
			       o->rank);
}

static uint32_t add(struct worker *w, const struct expose_options *o,
		    struct expose_result *r, uint32_t count, uint64_t ms)
{
	struct shown s = { .all = xcalloc(1, sizeof(*s.all)) };
	uint32_t added;

	shown_gather(&s, w, o, r->trace, count, ms);
	unserial_merge(r->unserial, s.all, o->rank);
	if (r->unserial->waiting_count)
		look_again(o, r, &s);
	for (size_t i = 0; i < s.runs.count; i++) {
		wakeups_here(s.runs.at[i], r);
		trace_close(s.runs.at[i]);
	}
	added = (uint32_t)s.runs.count;
	vec_free(&s.runs);
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
