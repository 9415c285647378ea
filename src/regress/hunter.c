/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/hunter.h"

#include <string.h>
#include <time.h>

enum {
	LEARNING_RUNS = 2,
	PATIENCE = 20000, /* points that a thread is held */
};

double hunt_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int hunter_init(struct hunter *h, struct again *a, struct err *err)
{
	struct worker *w = &a->follower.worker;

	*h = (struct hunter){ .again = a };
	if (follower_know_modules(&a->follower, err) < 0)
		return -1;
	h->map = code_map_new(w->region);
	code_tell(h->map, &w->control->hunt);
	return 0;
}

void hunter_done(struct hunter *h)
{
	for (uint32_t k = 0; k < HUNT_EVENTS; k++)
		vec_free(&h->marked[k].all);
	for (size_t i = 0; i < h->known.count; i++)
		free(h->known.at[i].identity);
	vec_free(&h->known);
	code_map_free(h->map);
	*h = (struct hunter){ 0 };
}

/* ---- marking sites ---- */

static void unmark(struct hunter *h, uint32_t k)
{
	uint8_t *sites = h->again->follower.worker.control->sites;
	uint8_t bit = (uint8_t)(1U << (SITE_EVENTS + k));

	for (size_t i = 0; i < h->marked[k].all.count; i++) {
		const struct place *p = &h->marked[k].all.at[i];

		for (uint32_t site = p->low; site < p->high; site++)
			sites[site] &= (uint8_t)~bit;
	}
	h->marked[k].all.count = 0;
}

static void mark(struct hunter *h, uint32_t k)
{
	uint8_t *sites = h->again->follower.worker.control->sites;
	uint8_t bit = (uint8_t)(1U << (SITE_EVENTS + k));

	for (size_t i = 0; i < h->marked[k].all.count; i++) {
		const struct place *p = &h->marked[k].all.at[i];

		for (uint32_t site = p->low; site < p->high; site++)
			sites[site] |= bit;
	}
}

static void fill_event(struct code_map *m, const struct signature_event *e,
		       uint32_t distance, struct hunt_event *to)
{
	*to = (struct hunt_event){
		.operation = hunt_operation(e->kind),
		.object = e->object,
		.thread = e->thread,
		.distance = distance,
		.frame_count = (uint32_t)e->frames.count,
	};
	for (size_t i = 0; i < e->frames.count && i < HUNT_FRAMES; i++)
		to->frames[i] = function_hash(e->frames.at[i]);
	if (!similar_variable(m, e, &to->low, &to->high))
		to->low = to->high = 0;
}

static void fill(struct hunter *h, const struct signature *s,
		 const struct hunt_setting *set)
{
	struct hunt *hunt = &h->again->follower.worker.control->hunt;

	hunt->count = s->count;
	hunt->flags = set->flags;
	hunt->pass = set->pass;
	hunt->noise = set->noise;
	hunt->patience = PATIENCE;
	hunt->report = (struct hunt_report){ 0 };
	for (uint32_t k = 0; k < HUNT_EVENTS; k++)
		unmark(h, k);
	for (uint32_t k = 0; k < s->count; k++) {
		const struct hunt_width *width = &set->widths[k];

		fill_event(h->map, &s->events[k], width->d, &hunt->events[k]);
		similar_places(h->map, &s->events[k], width->by, width->w,
			       &h->marked[k]);
		mark(h, k);
	}
}

/* ---- a run ---- */

static struct control_ask ask_for(const struct hunter *h, uint64_t seed)
{
	const struct follower *f = &h->again->follower;
	const struct plan *plan = h->again->repro->plan;
	struct control_ask ask = f->ask;

	ask.strategy = STRATEGY_HUNT;
	ask.runs = 1;
	ask.seed = seed;
	ask.plan_count = 0;
	ask.processors = plan->processors;
	ask.flags = f->flags | plan->flags | CONTROL_STOP;
	if (h->runs < LEARNING_RUNS)
		ask.flags |= CONTROL_LEARN;
	return ask;
}

static bool is_to_be_judged(const struct again *a)
{
	const struct worker *w = &a->follower.worker;
	const struct control_result *r = &w->control->results[0];

	return r->outcome != OUTCOME_NONE || r->wait_status ||
	       outputs_is_needed(&a->outputs) || w->races.all.count;
}

static struct hunt_known *known_find(struct hunter *h, uint64_t key)
{
	for (size_t i = 0; i < h->known.count; i++)
		if (h->known.at[i].key == key)
			return &h->known.at[i];
	return NULL;
}

/* Can what broke be told from others by the key alone? What was printed, and
 * races, are no part of it. */
static bool is_told_by_key(const struct again *a)
{
	return !outputs_is_needed(&a->outputs) &&
	       !a->follower.worker.races.all.count;
}

static int judge(struct hunter *h, uint64_t key, struct hunt_run *run,
		 struct err *err)
{
	struct again *a = h->again;
	struct captured *c = captured_take(&a->follower.worker);
	bool is_broken;

	/* A run that learned had a point at every access. */
	if (c->ask.flags & CONTROL_LEARN)
		c->ask.flags |= CONTROL_ALL;
	if (again_judge(a, c, &run->verdict, err) < 0) {
		captured_free(c);
		return -1;
	}
	run->captured = c;
	is_broken = run->verdict.status == EXIT_BROKEN;
	vec_push(&h->known,
		 (struct hunt_known){
			 key,
			 is_broken ? xstrdup(run->verdict.identity) : NULL });
	run->identity = h->known.at[h->known.count - 1].identity;
	if (!is_broken || h->is_brief)
		hunt_run_done(run);
	return 0;
}

static int look(struct hunter *h, struct hunt_run *run, struct err *err)
{
	const struct worker *w = &h->again->follower.worker;
	bool is_told = h->is_brief && is_told_by_key(h->again);
	uint64_t key = is_told ? oracle_key(w->region, NULL) : 0;
	const struct hunt_known *known = is_told ? known_find(h, key) : NULL;

	if (!known)
		return judge(h, key, run, err);
	run->identity = known->identity;
	return 0;
}

int hunter_run(struct hunter *h, const struct signature *s,
	       const struct hunt_setting *set, struct hunt_run *run,
	       struct err *err)
{
	struct worker *w = &h->again->follower.worker;
	struct control_ask ask = ask_for(h, set->seed);

	double began = hunt_now();

	*run = (struct hunt_run){ 0 };
	fill(h, s, set);
	if (worker_runs(w, &ask, err) < 0)
		return -1;
	h->runs++;
	run->seconds = hunt_now() - began;
	h->seconds += run->seconds;
	run->report = w->control->hunt.report;
	return is_to_be_judged(h->again) ? look(h, run, err) : 0;
}

void hunt_run_done(struct hunt_run *run)
{
	plan_free(run->plan);
	run->plan = NULL;
	if (!run->captured)
		return;
	captured_free(run->captured);
	verdict_done(&run->verdict);
	run->captured = NULL;
}
