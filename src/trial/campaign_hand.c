/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hand takes runs in pieces, in their order, has them made, and looks at
 * what its worker stopped at. The first hand makes the runs that learn; the
 * others begin when those are done, with what they learned.
 */
#include "trial/campaign_inner.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "trial/callsites.h"
#include "trial/interrupts.h"
#include "trial/site_states.h"

/* ---- pieces ---- */

struct piece {
	uint64_t from, count;
};

static bool is_time_up(const struct campaign *c)
{
	return c->o->time_ms &&
	       (campaign_now() - c->began) * 1000 >= (double)c->o->time_ms;
}

bool campaign_is_over(struct campaign *c)
{
	bool is_over;

	pthread_mutex_lock(&c->lock);
	is_over = c->next >= c->limit;
	pthread_mutex_unlock(&c->lock);
	return is_over || atomic_load(&c->stop) || is_time_up(c);
}

/* As many runs as take a tenth of a second, but at the end no more than leave
 * some for the others. */
static uint64_t piece_size(const struct hand *h)
{
	const struct campaign *c = h->c;
	uint64_t n = (uint64_t)(h->per_second / 10);
	uint64_t left = c->limit - c->next;

	if (n > CONTROL_RESULTS)
		n = CONTROL_RESULTS;
	if (c->hands > 1 && n > left / (2 * c->hands))
		n = left / (2 * c->hands);
	if (n < 1)
		n = 1;
	return n < left ? n : left;
}

static struct piece piece_take(struct hand *h, uint64_t most)
{
	struct campaign *c = h->c;
	struct piece p = { 0 };

	pthread_mutex_lock(&c->lock);
	if (!atomic_load(&c->stop) && c->next < c->limit && !is_time_up(c)) {
		p.from = c->next;
		p.count = piece_size(h);
		if (p.count > most)
			p.count = most;
		c->next += p.count;
	}
	pthread_mutex_unlock(&c->lock);
	return p;
}

/* ---- making runs ---- */

static void account(struct campaign *c, const struct control_result *results,
		    uint32_t count)
{
	pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < count; i++) {
		*keymap_at(&c->schedules, results[i].schedule,
			   results[i].steps) = 1;
		if (results[i].points > c->result->points)
			c->result->points = results[i].points;
	}
	c->made += count;
	pthread_mutex_unlock(&c->lock);
}

static void note_keep(struct campaign *c, const char *text)
{
	for (size_t i = 0; i < c->result->notes.count; i++)
		if (strcmp(c->result->notes.at[i], text) == 0)
			return;
	vec_push(&c->result->notes, xstrdup(text));
}

/* Of the last run that was made; runs of one program hardly differ in these. */
static void notes_keep(struct campaign *c, const struct region *r)
{
	uint32_t count = atomic_load(&r->note_count);

	pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < count && i < REGION_NOTES; i++)
		note_keep(c, r->notes[i].text);
	if (r->control.run.children)
		note_keep(c, "the program started processes of its own, which "
			     "ran free");
	pthread_mutex_unlock(&c->lock);
}

static uint64_t limit_of(struct campaign *c)
{
	uint64_t limit;

	pthread_mutex_lock(&c->lock);
	limit = c->limit;
	pthread_mutex_unlock(&c->lock);
	return limit;
}

/* A run that learns has a point at every access. Did it make more than it
 * may? */
static bool is_too_fine(struct campaign *c, const struct control_result *r,
			uint32_t flags)
{
	return flags & CONTROL_LEARN &&
	       !(flags & (CONTROL_ALL | CONTROL_SYNC)) &&
	       r->outcome == OUTCOME_LIMIT && !c->result->is_coarse;
}

/* From now on accesses are no points. */
static void make_coarse(struct campaign *c)
{
	pthread_mutex_lock(&c->lock);
	c->result->is_coarse = true;
	note_keep(c, "the program makes too many accesses for each to be a "
		     "point: threads change at synchronisation alone "
		     "(--max-points allows more)");
	pthread_mutex_unlock(&c->lock);
}

/* One request. Returns how many runs were made; the last may be one to be
 * looked at. */
static int request(struct hand *h, const struct piece *p, uint32_t flags,
		   uint32_t *made, struct err *err)
{
	struct campaign *c = h->c;
	struct control *control = h->worker.control;
	struct control_ask ask = c->o->ask;
	int rc;

	*made = 0;
	ask.flags |= flags;
	if (c->result->is_coarse)
		ask.flags |= CONTROL_SYNC;
	if (outputs_is_needed(c->o->outputs))
		ask.flags |= CONTROL_STOP;
	ask.seed = c->o->seed + p->from;
	ask.runs = p->count < CONTROL_RESULTS ? (uint32_t)p->count :
						CONTROL_RESULTS;
	ask.length = c->length;
	rc = worker_runs(&h->worker, &ask, err);
	*made = atomic_load(&control->result_count);
	if (*made && is_too_fine(c, &control->results[*made - 1], ask.flags)) {
		make_coarse(c);
		return request(h, p, flags, made, err);
	}
	account(c, control->results, *made);
	notes_keep(c, h->worker.region);
	if (rc == 0 && !*made)
		return err_set(err, "%s: the program's server made no run",
			       c->o->argv[0]);
	return rc;
}

bool hand_take(struct hand *h, uint64_t *index)
{
	struct piece p = piece_take(h, 1);

	*index = p.from;
	return p.count;
}

int hand_run(struct hand *h, const struct control_ask *ask, struct err *err)
{
	struct campaign *c = h->c;
	struct control *control = h->worker.control;
	int rc = worker_runs(&h->worker, ask, err);
	uint32_t made = atomic_load(&control->result_count);

	account(c, control->results, made);
	notes_keep(c, h->worker.region);
	if (rc == 0 && !made)
		return err_set(err, "%s: the program's server made no run",
			       c->o->argv[0]);
	return rc;
}

static int piece_make(struct hand *h, struct piece p, uint32_t flags,
		      struct err *err)
{
	const struct control *control = h->worker.control;
	uint32_t made;
	int rc = 0;

	while (rc == 0 && p.count && !atomic_load(&h->c->stop) &&
	       p.from < limit_of(h->c)) {
		double began = campaign_now();

		rc = request(h, &p, flags, &made, err);
		h->per_second = made / (campaign_now() - began + 1e-9);
		if (made && rc == 0)
			rc = found_look(h, p.from + made - 1,
					&control->results[made - 1], err);
		p.from += made;
		p.count -= made;
	}
	return rc;
}

static int work(struct hand *h, struct err *err)
{
	for (;;) {
		struct piece p = piece_take(h, CONTROL_RESULTS);

		if (!p.count)
			return 0;
		if (piece_make(h, p, 0, err) < 0)
			return -1;
	}
}

/* ---- learning ---- */

/* The lock is held. */
static void lesson_over(struct campaign *c)
{
	c->is_learned = true;
	pthread_cond_broadcast(&c->changed);
}

static void lesson_tell(struct hand *h)
{
	struct campaign *c = h->c;

	c->sites = site_states_take(&h->worker, &c->site_count);
	if (c->o->ask.strategy == STRATEGY_SURW) {
		c->profile = xmalloc(sizeof(*c->profile));
		*c->profile = h->worker.control->profile;
	}
	pthread_mutex_lock(&c->lock);
	c->length = c->result->points;
	lesson_over(c);
	pthread_mutex_unlock(&c->lock);
}

void campaign_unlearn(struct campaign *c)
{
	free(c->sites);
	c->sites = NULL;
	free(c->profile);
	c->profile = NULL;
	c->is_learned = false;
}

static int learn(struct hand *h, struct err *err)
{
	for (int i = 0; i < LEARNING_RUNS; i++) {
		struct piece p = piece_take(h, 1);

		if (!p.count)
			break;
		if (piece_make(h, p, CONTROL_LEARN, err) < 0)
			return -1;
	}
	lesson_tell(h);
	return 0;
}

/* False: there will be nothing to do. */
static bool lesson_await(struct campaign *c)
{
	bool is_wanted;

	pthread_mutex_lock(&c->lock);
	while (!c->is_learned)
		pthread_cond_wait(&c->changed, &c->lock);
	is_wanted = c->next < c->limit;
	pthread_mutex_unlock(&c->lock);
	return is_wanted && !atomic_load(&c->stop);
}

/* ---- rules ---- */

/* Which modules the program loads is known when it has run. A server has. */
static int know_modules(struct hand *h, struct err *err)
{
	struct control_ask ask = h->c->o->ask;

	if (atomic_load(&h->worker.region->module_count))
		return 0;
	ask.runs = 1;
	ask.flags |= CONTROL_STOP;
	return worker_runs(&h->worker, &ask, err);
}

static int rules_give(struct hand *h, struct err *err)
{
	const struct plan *rules = h->c->o->rules;
	struct region *r = h->worker.region;

	if (!rules)
		return 0;
	if (know_modules(h, err) < 0 || plan_load_rules(rules, r, err) < 0)
		return -1;
	if (rules->rules.is_free && !(rules->rules.flags & FORCE_BARE))
		callsites_fill(r);
	return 0;
}

static void tally_add(struct force_tally *sum, const struct force_tally *t)
{
	if (t->forced && (!sum->forced || t->first < sum->first))
		sum->first = t->first;
	if (t->forced && (!sum->when || t->when < sum->when))
		sum->when = t->when;
	if (t->forced && t->last > sum->last)
		sum->last = t->last;
	sum->runs += t->runs;
	sum->begun += t->begun;
	sum->held += t->held;
	sum->expired += t->expired;
	sum->forced += t->forced;
	sum->broken += t->broken;
	if (t->late_us > sum->late_us)
		sum->late_us = t->late_us;
}

static void tallies_take(struct hand *h)
{
	struct campaign *c = h->c;
	const struct force *f = &h->worker.region->force;

	if (!c->o->rules)
		return;
	pthread_mutex_lock(&c->lock);
	for (uint32_t i = 0; i < f->rule_count; i++)
		tally_add(&c->result->tallies[i], &f->tallies[i]);
	pthread_mutex_unlock(&c->lock);
}

/* ---- the hand ---- */

static int start(struct hand *h, struct err *err)
{
	struct campaign *c = h->c;

	if (worker_start(&h->worker, &c->launch, c->cpus[h->nth % c->cpu_count],
			 err) < 0)
		return -1;
	if (c->sites)
		site_states_give(&h->worker, c->sites, c->site_count);
	if (c->profile)
		h->worker.control->profile = *c->profile;
	return rules_give(h, err);
}

/* A campaign of one run shows what it printed. */
static void show_printed(struct hand *h)
{
	struct campaign_result *r = h->c->result;

	if (h->c->o->runs != 1 || h->nth)
		return;
	r->output = worker_printed(&h->worker, WORKER_OUTPUT, &r->output_size);
	r->errors = worker_printed(&h->worker, WORKER_ERRORS, &r->errors_size);
}

static int make_all(struct hand *h, struct err *err)
{
	if (h->nth == 0 && !h->c->launch.is_free && !h->c->is_learned &&
	    learn(h, err) < 0)
		return -1;
	return work(h, err);
}

static int hand_work(struct hand *h, struct err *err)
{
	int rc;

	if (h->c->o->drive)
		return start(h, err) < 0 ?
			       -1 :
			       h->c->o->drive(h->c->o->driver, h, err);
	if (h->nth && !h->c->launch.is_free && !lesson_await(h->c))
		return 0;
	if (start(h, err) < 0)
		return -1;
	rc = make_all(h, err);
	tallies_take(h);
	if (rc == 0)
		show_printed(h);
	return rc;
}

static void hand_end(struct hand *h, bool has_failed, const struct err *err)
{
	struct campaign *c = h->c;

	pthread_mutex_lock(&c->lock);
	if (has_failed && !atomic_load(&c->stop) && !interrupts_came() &&
	    !c->has_failed) {
		c->has_failed = true;
		c->err = *err;
		atomic_store(&c->stop, true);
	}
	if (h->worker.is_fresh)
		c->result->is_fresh = true;
	if (!c->result->why_fresh)
		c->result->why_fresh = h->why_fresh;
	else
		free(h->why_fresh);
	if (h->nth == 0)
		lesson_over(c);
	if (--c->hands == 0)
		eventfd_write(c->bell, 1);
	pthread_mutex_unlock(&c->lock);
}

void *hand_main(void *arg)
{
	struct hand *h = arg;
	struct err err;
	bool has_failed = hand_work(h, &err) < 0;
	bool was_fresh = h->worker.is_fresh;

	h->why_fresh = h->worker.why_fresh;
	h->worker.why_fresh = NULL;
	worker_stop(&h->worker);
	h->worker.is_fresh = was_fresh;
	hand_end(h, has_failed, &err);
	return NULL;
}
