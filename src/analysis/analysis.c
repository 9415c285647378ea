/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/analysis.h"

#include <stdlib.h>

#include "analysis/happens.h"
#include "analysis/history.h"
#include "analysis/lockcycle.h"
#include "analysis/lockset.h"
#include "analysis/race.h"
#include "analysis/summary.h"
#include "analysis/wakeup.h"
#include "base/xalloc.h"
#include "trace/location.h"

/* Everything that goes along with the events. */
struct pass {
	struct trace *trace;
	struct locations *where;
	struct locksets *locks;
	struct happens *all;   /* of this run, for races */
	struct happens *order; /* of every run, for lock cycles */
	struct races *races;
	struct lockcycles *lockcycles;
	struct summary *summary;
	struct wakeups *wakeups;
};

/* A stack whose innermost place is unknown stands for itself. */
static uint32_t site_of(const void *self, uint32_t stack)
{
	const struct trace *t = self;
	uint32_t site = 0;

	if (stack < trace_stacks(t))
		site = trace_stack(t, stack)->site;
	return site ? site : stack | UINT32_C(0x80000000);
}

static struct wakeup_place place_of(const void *self, uint32_t stack)
{
	return (struct wakeup_place){ site_of(self, stack),
				      trace_calls_hash(self, stack) };
}

static void pass_new(struct pass *p, struct trace *t,
		     const struct analysis_options *o)
{
	p->trace = t;
	p->where = locations_new(t);
	p->locks = locksets_new(p->where);
	if (o->races) {
		p->all = happens_new(HAPPENS_ALL |
				     (o->exact ? HAPPENS_EXACT : 0));
		p->races = races_new(&(struct race_inputs){ .order = p->all,
							    .locks = p->locks,
							    .where = p->where,
							    .site_of = site_of,
							    .self = t });
	}
	if (o->lockcycles) {
		p->order = happens_new(HAPPENS_ORDER);
		p->lockcycles = lockcycles_new(
			&(struct lockcycle_inputs){ .order = p->order,
						    .locks = p->locks,
						    .site_of = site_of,
						    .self = t });
	}
	if (o->wakeups)
		p->wakeups = wakeups_new(
			&(struct wakeup_inputs){ .where = p->where,
						 .locks = p->locks,
						 .place_of = place_of,
						 .self = t });
	if (o->summary)
		p->summary = summary_new(
			&(struct summary_inputs){ .where = p->where,
						  .locks = p->locks,
						  .site_of = site_of,
						  .self = t });
}

static void pass_free(struct pass *p)
{
	races_free(p->races);
	lockcycles_free(p->lockcycles);
	summary_free(p->summary);
	wakeups_free(p->wakeups);
	happens_free(p->all);
	happens_free(p->order);
	locksets_free(p->locks);
	locations_free(p->where);
}

/* A new thread's stack may be the memory of one that has ended, and nothing
 * that the program did orders the two. */
static void begin_stack(struct pass *p, uint32_t thread)
{
	const struct region_thread *t;

	if (thread >= trace_threads(p->trace))
		return;
	t = trace_thread(p->trace, thread);
	if (t->stack_high <= t->stack_low)
		return;
	if (p->races)
		races_forget(p->races, t->stack_low,
			     t->stack_high - t->stack_low);
	if (p->summary)
		summary_forget(p->summary, t->stack_low,
			       t->stack_high - t->stack_low);
}

/* Nearly all events are accesses, and those are nothing to locks and order. */
static void pass_access(struct pass *p, const struct event *e)
{
	locations_feed(p->where, e);
	if (p->races)
		races_feed(p->races, e);
	if (p->summary)
		summary_feed(p->summary, e);
}

static void pass_event(struct pass *p, const struct event *e)
{
	uint32_t acquired;

	if (event_is_plain_access(e->kind)) {
		pass_access(p, e);
		return;
	}
	if (e->kind == EVENT_THREAD_BEGIN)
		begin_stack(p, e->thread);
	locations_feed(p->where, e);
	acquired = locksets_feed(p->locks, e);
	if (p->races) {
		happens_acquire(p->all, e);
		races_feed(p->races, e);
		happens_release(p->all, e);
	}
	if (p->lockcycles) {
		happens_feed(p->order, e);
		lockcycles_feed(p->lockcycles, e, acquired);
	}
	if (p->wakeups)
		wakeups_feed(p->wakeups, e);
	if (p->summary)
		summary_feed(p->summary, e);
}

static void pass_end(struct pass *p, struct analysis_result *r)
{
	if (p->races)
		r->races = races_take(p->races, &r->race_count);
	if (p->lockcycles) {
		r->lockcycles =
			lockcycles_find(p->lockcycles, &r->lockcycle_count);
		r->lockcycles_were_cut = lockcycles_were_cut(p->lockcycles);
	}
	if (p->wakeups)
		r->wakeups = wakeups_find(p->wakeups, &r->wakeup_count);
	if (p->summary)
		r->summary = summary_tell(p->summary);
}

static void suppress_races(struct analysis_result *r, struct suppressions *s,
			   struct sites *sites)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->race_count; i++) {
		if (suppress_race(s, &r->races[i], sites))
			race_done(&r->races[i]);
		else
			r->races[kept++] = r->races[i];
	}
	r->races_suppressed = r->race_count - kept;
	r->race_count = kept;
}

static void suppress_lockcycles(struct analysis_result *r,
				struct suppressions *s, struct sites *sites)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->lockcycle_count; i++) {
		if (suppress_lockcycle(s, &r->lockcycles[i], sites))
			lockcycle_done(&r->lockcycles[i]);
		else
			r->lockcycles[kept++] = r->lockcycles[i];
	}
	r->lockcycles_suppressed = r->lockcycle_count - kept;
	r->lockcycle_count = kept;
}

static void suppress_all(struct analysis_result *r, struct trace *t,
			 const struct analysis_options *o)
{
	struct sites *own = NULL;
	struct sites *sites = o->sites;

	if (!o->suppress || !suppressions_count(o->suppress))
		return;
	if (!sites)
		sites = own = sites_new(t);
	suppress_races(r, o->suppress, sites);
	suppress_lockcycles(r, o->suppress, sites);
	sites_free(own);
}

/* Events are fed some time after they were read, so that memory which the race
 * finder will need can be fetched meanwhile, a step at a time. */
enum { AHEAD = 16, AHEAD_STEP = 5 };

static void pass_expect(struct pass *p, const struct event *ring,
			uint64_t count)
{
	const struct event *e = &ring[(count - 1) % AHEAD];

	if (p->summary)
		summary_expect(p->summary, e);
	for (unsigned int step = 0; p->races && step < HISTORY_STEPS; step++) {
		if (count <= AHEAD_STEP * step)
			break;
		e = &ring[(count - 1 - AHEAD_STEP * step) % AHEAD];
		races_expect(p->races, e, step);
	}
}

static void pass_all(struct pass *p)
{
	struct event ring[AHEAD];
	uint64_t count = 0, fed = 0;

	while (trace_next(p->trace, &ring[count % AHEAD])) {
		count++;
		pass_expect(p, ring, count);
		if (count - fed == AHEAD)
			pass_event(p, &ring[fed++ % AHEAD]);
	}
	while (fed < count)
		pass_event(p, &ring[fed++ % AHEAD]);
}

struct analysis_result *analyse(struct trace *t,
				const struct analysis_options *options,
				struct err *err)
{
	struct analysis_result *r;
	struct pass p = { 0 };

	if (!options->races && !options->lockcycles && !options->summary &&
	    !options->wakeups) {
		err_set(err, "no analysis was asked for; ask for races, lock "
			     "cycles or a summary");
		return NULL;
	}
	r = xcalloc(1, sizeof(*r));
	pass_new(&p, t, options);
	trace_rewind(t);
	pass_all(&p);
	pass_end(&p, r);
	pass_free(&p);
	suppress_all(r, t, options);
	return r;
}

void analysis_free(struct analysis_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->race_count; i++)
		race_done(&r->races[i]);
	for (size_t i = 0; i < r->lockcycle_count; i++)
		lockcycle_done(&r->lockcycles[i]);
	free(r->races);
	free(r->lockcycles);
	free(r->wakeups);
	free(r);
}
