/* SPDX-License-Identifier: Apache-2.0 */
#include "report/witness.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/lockset.h"
#include "report/wording.h"
#include "trial/standing.h"

bool witness_is_access(const struct witness_step *s)
{
	return s->kind <= EVENT_VPTR_WRITE || event_is_atomic(s->kind);
}

bool witness_writes(const struct witness_step *s)
{
	return s->kind == EVENT_WRITE || s->kind == EVENT_VPTR_WRITE ||
	       s->kind == EVENT_ATOMIC_STORE || s->kind == EVENT_ATOMIC_RMW;
}

bool witness_reads(const struct witness_step *s)
{
	return witness_is_access(s) && s->kind != EVENT_WRITE &&
	       s->kind != EVENT_VPTR_WRITE && s->kind != EVENT_ATOMIC_STORE;
}

/* ---- one pass over the events ---- */

struct pass {
	struct witness *w;
	struct witness_tables *tables;
	struct locations *where;
	struct locksets *locks;
};

/* Time stamps say nothing, and what is told after the fact was seen before:
 * under control every access is recorded when it happens. */
static bool is_step(const struct event *e)
{
	return e->kind != EVENT_TIME && e->kind != EVENT_EARLIER_READ &&
	       e->kind != EVENT_EARLIER_WRITE;
}

static uint64_t extent(const struct event *e)
{
	if (event_fields(e->kind) & FIELD_SIZE)
		return e->size;
	return standing_object(e->kind) ? standing_object_size(e->kind) : 1;
}

static void step_add(struct pass *p, const struct event *e)
{
	struct witness_step s = {
		.thread = e->thread,
		.kind = e->kind,
		.place = witness_place(p->tables, e->stack),
		.location = WITNESS_NONE,
		.held = lockset_of(p->locks, e->thread),
		.address = e->addr,
		.size = e->size,
		.argument = e->arg,
	};
	struct location where;

	/* What the library does with its own memory when a thread ends. */
	if (s.place == WITNESS_NONE && (event_fields(e->kind) & FIELD_SIZE))
		return;
	if (event_fields(e->kind) & FIELD_ADDR) {
		where = location_find(p->where, e->addr);
		s.location =
			witness_location(p->tables, &where, e->addr, extent(e));
	}
	vec_push(&p->w->steps, s);
}

static void held_tell(struct pass *p)
{
	uint32_t most = 0;

	for (size_t i = 0; i < p->w->steps.count; i++)
		if (p->w->steps.at[i].held > most)
			most = p->w->steps.at[i].held;
	vec_push(&p->w->held, (struct witness_held){ 0 });
	for (uint32_t set = 1; set <= most; set++) {
		const struct lock_set *s = lockset_get(p->locks, set);
		struct held_lock l =
			lock_tell(p->locks, s->lock, s->is_read, s->stack);

		vec_push(&p->w->held,
			 (struct witness_held){
				 .outer = s->outer,
				 .location = witness_location(
					 p->tables, &l.where, l.addr,
					 word_lock_size(&l)),
				 .place = witness_place(p->tables, l.stack),
				 .word = word_lock(&l),
			 });
	}
}

/* ---- what is shared ---- */

static void shared_find(struct witness *w)
{
	size_t count = w->locations.count;
	uint32_t *first = xcalloc(count + 1, sizeof(*first));
	bool *several = xcalloc(count + 1, sizeof(*several));
	bool *written = xcalloc(count + 1, sizeof(*written));

	for (size_t i = 0; i < w->steps.count; i++) {
		const struct witness_step *s = &w->steps.at[i];

		if (!witness_is_access(s) || s->location == WITNESS_NONE)
			continue;
		if (!first[s->location])
			first[s->location] = s->thread + 1;
		several[s->location] |= first[s->location] != s->thread + 1;
		written[s->location] |= witness_writes(s);
	}
	for (size_t i = 0; i < count; i++)
		w->locations.at[i].is_shared = several[i] && written[i];
	free(first);
	free(several);
	free(written);
}

/* ---- switches ---- */

/* A thread may get the turn and do nothing that is recorded, so the plan may
 * have more switches than are seen; those that fit tell why. */
static uint8_t why(const struct plan *plan, size_t *at, uint32_t from,
		   uint32_t to)
{
	for (size_t i = *at; i < plan->steps.count; i++) {
		const struct plan_step *s = &plan->steps.at[i];

		if (s->what > STEP_YIELD || s->thread != from || s->to != to)
			continue;
		*at = i + 1;
		return s->what;
	}
	return STEP_WHATS;
}

static void switches_find(struct witness *w, const struct plan *plan)
{
	size_t at = 0;

	for (size_t i = 1; i < w->steps.count; i++) {
		uint32_t from = w->steps.at[i - 1].thread;
		uint32_t to = w->steps.at[i].thread;

		if (from != to)
			vec_push(&w->switches,
				 (struct witness_switch){
					 (uint32_t)i, from, to,
					 why(plan, &at, from, to) });
	}
}

/* ---- threads and what they wait for ---- */

static uint32_t object_location(struct pass *p, unsigned int kind,
				uint64_t object)
{
	struct location where = location_find(p->where, object);

	return witness_location(p->tables, &where, object,
				standing_object_size(kind));
}

static uint32_t stack_place(struct pass *p, uint32_t stack)
{
	return stack < trace_stacks(p->w->trace) ?
		       witness_place(p->tables, stack) :
		       WITNESS_NONE;
}

static void wait_add(struct pass *p, const struct control_thread *t,
		     uint32_t number)
{
	struct witness_wait wait = { .thread = number,
				     .kind = t->kind,
				     .place = stack_place(p, t->stack),
				     .location = WITNESS_NONE,
				     .joins = WITNESS_NONE };

	if (t->kind == EVENT_THREAD_JOIN)
		wait.joins = (uint32_t)t->object;
	else if (standing_object(t->kind))
		wait.location = object_location(p, t->kind, t->object);
	for (uint32_t i = 0; i < t->hold_count && i < CONTROL_HELD; i++) {
		const struct control_hold *h = &t->holds[i];

		if (!standing_object(h->kind))
			continue;
		vec_push(&wait.holds,
			 (struct witness_hold){
				 object_location(p, h->kind, h->object),
				 stack_place(p, h->stack) });
	}
	vec_push(&p->w->waits, wait);
}

static void waits_find(struct pass *p, const struct captured *run)
{
	for (uint32_t n = 0; n < run->run.thread_count; n++)
		if (standing_waits(&run->threads[n]))
			wait_add(p, &run->threads[n], n);
}

static void threads_name(struct witness *w, const struct captured *run)
{
	for (uint32_t n = 0; n < run->run.thread_count; n++) {
		char *name;
		size_t size;
		FILE *out = open_memstream(&name, &size);

		standing_name(run, w->sites, n, out);
		fclose(out);
		vec_push(&w->threads, name);
	}
}

/* ---- all of it ---- */

static void steps_limit(struct witness *w)
{
	size_t beyond;

	if (w->steps.count <= WITNESS_STEPS)
		return;
	beyond = w->steps.count - WITNESS_STEPS;
	w->left_out = beyond;
	memmove(w->steps.at, w->steps.at + beyond,
		WITNESS_STEPS * sizeof(*w->steps.at));
	w->steps.count = WITNESS_STEPS;
}

static void pass(struct witness *w, const struct captured *run)
{
	struct pass p = { .w = w, .where = locations_new(w->trace) };
	struct event e;

	p.tables = witness_tables_new(w);
	p.locks = locksets_new(p.where);
	while (trace_next(w->trace, &e)) {
		locations_feed(p.where, &e);
		locksets_feed(p.locks, &e);
		if (is_step(&e))
			step_add(&p, &e);
	}
	steps_limit(w);
	held_tell(&p);
	waits_find(&p, run);
	locksets_free(p.locks);
	witness_tables_free(p.tables);
	locations_free(p.where);
}

struct witness *witness_read(const char *trace, const struct captured *run,
			     const struct plan *plan, struct err *err)
{
	struct witness *w = xcalloc(1, sizeof(*w));

	w->trace = trace_open(trace, err);
	if (!w->trace) {
		free(w);
		return NULL;
	}
	w->sites = sites_new(w->trace);
	threads_name(w, run);
	pass(w, run);
	shared_find(w);
	switches_find(w, plan);
	return w;
}

void witness_free(struct witness *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->threads.count; i++)
		free(w->threads.at[i]);
	for (size_t i = 0; i < w->locations.count; i++)
		free(w->locations.at[i].name);
	for (size_t i = 0; i < w->waits.count; i++)
		vec_free(&w->waits.at[i].holds);
	vec_free(&w->threads);
	vec_free(&w->places);
	vec_free(&w->locations);
	vec_free(&w->held);
	vec_free(&w->steps);
	vec_free(&w->switches);
	vec_free(&w->waits);
	sites_free(w->sites);
	trace_close(w->trace);
	free(w);
}
