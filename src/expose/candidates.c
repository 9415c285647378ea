/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/candidates.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "expose/profiles.h"
#include "trial/interrupts.h"
#include "trial/trial.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- observing ---- */

static int observe(const struct expose_options *o, struct expose_result *r,
		   struct err *err)
{
	struct trial trial = { .argv = o->keeping.argv,
			       .trace = r->trace_path,
			       .guest = o->guest,
			       .is_quiet = true,
			       .input = o->keeping.feed->fd,
			       .time_limit = o->budget_ms / 2 + 1 };
	struct trial_result ran;

	if (trial_run(&trial, &ran, err) < 0)
		return -1;
	if (!ran.attached)
		return err_set(err,
			       "heddle's library did not get into %s: is "
			       "it set-user-id, or does it start others?",
			       o->keeping.argv[0]);
	if (!ran.trace_is_whole) {
		*err = ran.trace_error;
		return -1;
	}
	r->observed_broken = ran.ending.verdict == EXIT_BROKEN || ran.is_stuck;
	snprintf(r->observed_text, sizeof(r->observed_text), "%s",
		 ran.is_stuck  ? "came to a deadlock" :
		 ran.timed_out ? "did not end in half the time there is" :
				 ran.ending.text);
	return 0;
}

/* Once more, with nothing left out: the times, locks and places of all accesses
 * are known then. A program that does much in private takes too long for that,
 * and what the first run told has to do. False: another try may do. */
static bool observe_all(const struct expose_options *o, struct expose_result *r,
			uint64_t first_ms)
{
	enum { LEAST_MS = 500, TIMES = 5 };
	uint64_t limit = LEAST_MS + TIMES * first_ms;
	char *path = xasprintf("%s-all", r->trace_path);
	struct trial trial = { .argv = o->keeping.argv,
			       .trace = path,
			       .guest = o->guest,
			       .is_quiet = true,
			       .record_all = true,
			       .input = o->keeping.feed->fd,
			       .time_limit = limit < o->budget_ms / 4 ?
						     limit :
						     o->budget_ms / 4 + 1 };
	struct trial_result ran = { 0 };
	struct err ignored;
	bool holds = trial_run(&trial, &ran, &ignored) == 0 && ran.attached &&
		     ran.trace_is_whole && !ran.timed_out && !ran.is_stuck &&
		     ran.ending.verdict == EXIT_HELD;

	if (holds)
		rename(path, r->trace_path);
	else
		unlink(path);
	free(path);
	return holds || ran.timed_out;
}

static int analyse_run(const struct expose_options *o, struct expose_result *r,
		       struct err *err)
{
	const struct analysis_options wanted = { .races = true,
						 .lockcycles = true,
						 .wakeups = true };

	r->trace = trace_open(r->trace_path, err);
	if (!r->trace)
		return -1;
	r->sites = sites_new(r->trace);
	if (o->method == EXPOSE_CTRIGGER) {
		r->unserial = unserial_by(
			r->trace, &(struct unserial_how){
					  .rank = o->rank,
					  .is_by_stack = o->is_by_stack });
		trace_rewind(r->trace);
	}
	r->findings = analyse(r->trace, &wanted, err);
	return r->findings ? 0 : -1;
}

/* As long as the watched run and its analysis took, about, so that a program
 * which takes long is not kept longer. */
static uint64_t profiles_ms(const struct expose_result *r)
{
	enum { LEAST_MS = 600 };

	return LEAST_MS + (uint64_t)(r->observe_seconds * 1000);
}

int candidates_observe(const struct expose_options *o, struct expose_result *r,
		       struct err *err)
{
	/* A run that failed says little of those that do not. */
	enum { TRIES = 4 };
	char path[] = "/tmp/heddle-expose-XXXXXX";
	int fd = mkstemp(path);
	double began = now(), observed;

	if (fd < 0)
		return err_set(err, "cannot make a file in /tmp");
	close(fd);
	r->trace_path = xstrdup(path);
	if (observe(o, r, err) < 0)
		return -1;
	r->observe_seconds = now() - began;
	for (int i = 0; i < TRIES && !interrupts_came(); i++)
		if (observe_all(o, r, (uint64_t)(r->observe_seconds * 1000)))
			break;
	observed = now();
	if (analyse_run(o, r, err) < 0)
		return -1;
	r->profiles = 1;
	/* Numbers of stacks mean nothing in another run. */
	if (r->unserial && o->profiles && !o->is_by_stack)
		r->profiles += profiles_add(o, r, o->profiles, profiles_ms(r));
	r->analyse_seconds = now() - observed;
	return 0;
}

/* ---- words ---- */

static char *place_text(struct sites *s, uint32_t site)
{
	struct site_chain c = site_resolve(s, site, true);
	const struct frame *f = c.count ? &c.frames[0] : NULL;
	const char *file, *slash;

	if (!f)
		return xstrdup("?");
	if (!f->file) {
		slash = f->module ? strrchr(f->module, '/') : NULL;
		return xasprintf("%s+0x%llx",
				 slash	   ? slash + 1 :
				 f->module ? f->module :
					     "?",
				 (unsigned long long)f->offset);
	}
	slash = strrchr(f->file, '/');
	file = slash ? slash + 1 : f->file;
	return xasprintf("%s %s:%d", f->function ? f->function : "?", file,
			 f->line);
}

/* Adds the calls that lead there: "get bank.c:8 of deposit of work". */
static void place_from(struct sites *s, uint32_t stack, char **text)
{
	struct site_chain c = stack_resolve(s, stack);

	for (uint32_t i = 1; i < c.count; i++) {
		char *longer;

		if (!c.frames[i].function || !c.frames[i].file)
			continue;
		longer = xasprintf("%s of %s", *text, c.frames[i].function);
		free(*text);
		*text = longer;
	}
}

static const char *what_text(uint8_t kinds)
{
	if (kinds & FORCE_ACQUIRE)
		return "lock";
	if (kinds & FORCE_RELEASE)
		return "signal";
	if (kinds & FORCE_OTHER)
		return "wait";
	if (kinds & FORCE_WRITE)
		return kinds & FORCE_READ ? "update" : "write";
	return "read";
}

/* ---- rules ---- */

struct maker {
	const struct expose_options *o;
	struct expose_result *r;
	struct plan *plan;
	struct region_module *modules;
	struct keymap known; /* rules, by their sites */
};

/* Where the entry of a critical section is waited at, and nothing else. */
enum { GATE = FORCE_HOLD | FORCE_GATE };

struct side {
	uint32_t site; /* or stack, if candidates go by stack */
	uint8_t kinds, thread, object;
	uint8_t flags; /* enum force_event_flag */
};

static void event_add(struct maker *m, struct expose_candidate *c,
		      struct side s)
{
	struct rule *rule = &c->rule;
	struct rule_event e = { .kinds = s.kinds,
				.thread = s.thread,
				.object = s.object,
				.flags = s.flags };
	uint32_t stack = NO_STACK;

	if (m->o->is_by_stack && c->kind == EXPOSE_INTERLEAVING) {
		stack = s.site;
		e.stack = trace_calls_hash(m->r->trace, stack);
		s.site = trace_stack(m->r->trace, stack)->site;
	}
	e.module = plan_site(m->plan, m->modules, s.site, &e.address);
	e.where = place_text(m->r->sites, s.site);
	if (stack)
		place_from(m->r->sites, stack, &e.where);
	c->events[c->event_count++] =
		(struct expose_event){ .place = xstrdup(e.where),
				       .what = what_text(s.kinds),
				       .side = s.thread };
	rule->events[rule->count++] = e;
}

static bool has_place(const struct rule *rule)
{
	for (uint32_t e = 0; e < rule->count; e++)
		if (rule->events[e].module == NO_MODULE)
			return false;
	return rule->count >= 2;
}

void candidate_done(struct expose_candidate *c)
{
	for (int i = 0; i < FORCE_EVENTS; i++) {
		free(c->events[i].place);
		free(c->rule.events[i].where);
	}
	free(c->rule.note);
	free(c->where);
}

static uint64_t rule_hash(const struct rule *rule)
{
	uint64_t h = rule->count;

	for (uint32_t e = 0; e < rule->count; e++)
		h = (h ^ rule->events[e].address ^
		     (uint64_t)rule->events[e].stack << 16 ^
		     (uint64_t)rule->events[e].module << 48 ^
		     (uint64_t)rule->events[e].thread << 60) *
		    UINT64_C(0x9e3779b97f4a7c15);
	return h;
}

/* Takes the candidate, or drops it when it cannot be forced or is there. */
static void candidate_push(struct maker *m, struct expose_candidate *c)
{
	uint32_t *n = keymap_at(&m->known, rule_hash(&c->rule), 0);

	if (*n || !has_place(&c->rule) ||
	    m->r->candidates.count >= FORCE_RULES) {
		candidate_done(c);
		return;
	}
	*n = 1;
	c->rule.hold_us = FORCE_HOLD_US;
	c->rule.holds = FORCE_HOLDS;
	c->rule.note = xstrdup(c->where ? c->where : "");
	vec_push(&m->r->candidates, *c);
}

/* ---- interleavings ---- */

static const uint8_t pattern_kinds[UNSERIAL_PATTERNS][3] = {
	/* of P, R and C */
	[UNSERIAL_RWR] = { FORCE_READ, FORCE_WRITE, FORCE_READ },
	[UNSERIAL_WWR] = { FORCE_WRITE, FORCE_WRITE, FORCE_READ },
	[UNSERIAL_WRW] = { FORCE_WRITE, FORCE_READ, FORCE_WRITE },
	[UNSERIAL_RWW] = { FORCE_READ, FORCE_WRITE, FORCE_WRITE },
};

/* Whoever would keep the other side out while it waits, waits before it enters
 * the critical section instead. */
static void interleaving_make(struct maker *m, size_t n)
{
	const struct unserial_candidate *f = &m->r->unserial->at[n];
	const uint8_t *kinds = pattern_kinds[f->pattern];
	struct expose_candidate c = { .kind = EXPOSE_INTERLEAVING,
				      .unserial = n,
				      .rank = f->status <= UNSERIAL_LIKELY ?
						      n + 1 :
						      0 };

	event_add(m, &c, (struct side){ f->p.site, kinds[0], 0, 0, 0 });
	if (f->r.gate)
		event_add(m, &c,
			  (struct side){ f->r.gate, FORCE_ACQUIRE, 1,
					 FORCE_ANY_OBJECT, GATE });
	event_add(m, &c,
		  (struct side){ f->r.site, kinds[1], 1, 0,
				 f->r.gate ? 0 : FORCE_HOLD });
	if (f->c.gate)
		event_add(m, &c,
			  (struct side){ f->c.gate, FORCE_ACQUIRE, 0,
					 FORCE_ANY_OBJECT, GATE });
	event_add(m, &c,
		  (struct side){ f->c.site, kinds[2], 0, 0,
				 f->c.gate ? 0 : FORCE_HOLD });
	c.where = location_name(&f->where, f->addr, 1, m->r->sites);
	candidate_push(m, &c);
}

/* Those that have not happened yet first, and those that were ordered
 * throughout behind the others; what happened already, and did no harm, may do
 * some elsewhere: last. */
static void interleavings_make(struct maker *m, enum unserial_status status)
{
	for (size_t i = 0; m->r->unserial && i < m->r->unserial->count; i++)
		if (m->r->unserial->at[i].status == status)
			interleaving_make(m, i);
}

/* ---- orders of two ---- */

static uint32_t site_of(const struct maker *m, uint32_t stack)
{
	const struct region_stack *s = trace_stack(m->r->trace, stack);

	return s ? s->site : 0;
}

static uint8_t access_kinds(const struct race_access *a)
{
	return a->is_write ? FORCE_WRITE : FORCE_READ;
}

static void order_make(struct maker *m, const struct race_finding *f,
		       const struct race_access *first,
		       const struct race_access *second, size_t rank)
{
	struct expose_candidate c = { .kind = EXPOSE_ORDER, .rank = rank };

	event_add(m, &c,
		  (struct side){ site_of(m, first->stack), access_kinds(first),
				 0, 0, 0 });
	event_add(m, &c,
		  (struct side){ site_of(m, second->stack),
				 access_kinds(second), 1, 0, FORCE_HOLD });
	c.where = location_name(&f->where, f->addr, f->size, m->r->sites);
	candidate_push(m, &c);
}

/* The order that was not seen comes first. */
static void orders_make(struct maker *m, bool both)
{
	const struct analysis_result *a = m->r->findings;

	for (size_t i = 0; i < a->race_count; i++)
		order_make(m, &a->races[i], &a->races[i].second,
			   &a->races[i].first, i + 1);
	for (size_t i = 0; both && i < a->race_count; i++)
		order_make(m, &a->races[i], &a->races[i].first,
			   &a->races[i].second, i + 1);
}

/* ---- cycles of locks ---- */

/* Each thread has taken what the one before it wants. Two threads need three
 * events: held by the one, held by the other, wanted by the one; then the
 * other has nowhere to go. Of longer cycles the first locks are forced. */
static void cycle_make(struct maker *m, const struct lockcycle_finding *f,
		       size_t rank)
{
	struct expose_candidate c = { .kind = EXPOSE_CYCLE, .rank = rank };
	const struct lockcycle_edge *one = &f->edges[0];
	const struct held_lock *l = &one->held;
	uint8_t threads = f->edge_count < 3 ? (uint8_t)f->edge_count : 3;

	for (uint8_t i = 0; i < threads; i++)
		event_add(m, &c,
			  (struct side){ site_of(m, f->edges[i].held.stack),
					 FORCE_ACQUIRE, i, i, 0 });
	event_add(m, &c,
		  (struct side){ site_of(m, one->wanted.stack), FORCE_ACQUIRE,
				 0, 1, FORCE_HOLD });
	c.where = location_name(&l->where, l->addr, 1, m->r->sites);
	candidate_push(m, &c);
}

static void cycles_make(struct maker *m)
{
	const struct analysis_result *a = m->r->findings;

	for (size_t i = 0; i < a->lockcycle_count; i++)
		cycle_make(m, &a->lockcycles[i], i + 1);
}

/* ---- wake-ups that are lost ---- */

static void wakeup_event(struct maker *m, struct expose_candidate *c,
			 const struct wakeup_place *p, struct side s)
{
	if (!p->site)
		return;
	s.site = p->site;
	event_add(m, c, s);
	c->rule.events[c->rule.count - 1].stack = p->calls;
}

/* The waiting thread has seen all it looks at when it has passed its last lock;
 * the other is kept before its own until then, because behind it it changes
 * what is looked at. Who is about to wait is held until the other has
 * signalled, and a third one, if there is any: what comes later wakes it. */
static void wakeup_make(struct maker *m, const struct wakeup_finding *f,
			const struct wakeup_finding *later, size_t rank)
{
	struct expose_candidate c = { .kind = EXPOSE_WAKEUP, .rank = rank };
	const struct side locks = { .kinds = FORCE_ACQUIRE,
				    .object = FORCE_ANY_OBJECT };
	struct side s = locks;

	wakeup_event(m, &c, &f->locked, s);
	s.thread = 1;
	s.flags = GATE;
	wakeup_event(m, &c, &f->prior, s);
	s = (struct side){ .kinds = FORCE_RELEASE, .thread = 1 };
	wakeup_event(m, &c, &f->signal, s);
	if (later) {
		s.thread = later->thread == f->thread ? 1 : 2;
		wakeup_event(m, &c, &later->signal, s);
	}
	s = (struct side){ .kinds = FORCE_OTHER, .flags = FORCE_HOLD };
	wakeup_event(m, &c, &f->wait, s);
	c.where = location_name(&f->where, f->cond, sizeof(pthread_cond_t),
				m->r->sites);
	candidate_push(m, &c);
}

static bool is_same_wait(const struct wakeup_finding *a,
			 const struct wakeup_finding *b)
{
	return wakeup_is_at(&a->locked, &b->locked) &&
	       wakeup_is_at(&a->wait, &b->wait) &&
	       !wakeup_is_at(&a->signal, &b->signal);
}

static void wakeups_make(struct maker *m)
{
	const struct analysis_result *a = m->r->findings;
	size_t rank = 0;

	for (size_t i = 0; i < a->wakeup_count; i++) {
		wakeup_make(m, &a->wakeups[i], NULL, ++rank);
		for (size_t k = i + 1; k < a->wakeup_count; k++)
			if (is_same_wait(&a->wakeups[i], &a->wakeups[k]))
				wakeup_make(m, &a->wakeups[i], &a->wakeups[k],
					    ++rank);
	}
}

/* ---- all ---- */

/* By turns one of the interleavings, which are before `others`, and one of the
 * rest: neither kind has to wait for the whole of the other. */
static void alternate(struct expose_result *r, size_t others)
{
	size_t count = r->candidates.count, i = 0, k = others, n = 0;
	struct expose_candidate *all = r->candidates.at, *mixed;

	mixed = xcalloc(count + 1, sizeof(*mixed));
	while (n < count) {
		if (i < others)
			mixed[n++] = all[i++];
		if (k < count)
			mixed[n++] = all[k++];
	}
	for (n = 0; n < count; n++)
		all[n] = mixed[n];
	free(mixed);
}

static struct region_module *modules_of(const struct trace *t)
{
	uint32_t count = trace_modules(t);
	struct region_module *all = xcalloc(count + 1, sizeof(*all));

	for (uint32_t i = 0; i < count; i++)
		all[i] = *trace_module(t, i);
	return all;
}

void candidates_make(const struct expose_options *o, struct expose_result *r,
		     struct plan *plan)
{
	struct maker m = {
		.o = o, .r = r, .plan = plan, .modules = modules_of(r->trace)
	};
	size_t others;

	plan_set_modules(plan, m.modules, trace_modules(r->trace));
	if (o->method == EXPOSE_CTRIGGER) {
		interleavings_make(&m, UNSERIAL_OPEN);
		others = r->candidates.count;
		cycles_make(&m);
		wakeups_make(&m);
		orders_make(&m, false);
		alternate(r, others);
		interleavings_make(&m, UNSERIAL_LIKELY);
		interleavings_make(&m, UNSERIAL_EXERCISED);
	} else if (o->method == EXPOSE_RACE) {
		orders_make(&m, true);
	}
	free(m.modules);
	keymap_done(&m.known);
}
