/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/explorer.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "explore/search_kind.h"
#include "explore/unused_reads.h"
#include "format/event.h"
#include "trial/campaign_inner.h"
#include "trial/code_checks.h"

/* ---- for searches ---- */

bool explorer_is_stopped(const struct explorer *x)
{
	return x->is_over || campaign_is_over(x->c);
}

void explorer_class(struct explorer *x, const struct run_trace *t)
{
	x->result->classes++;
	vec_push(&x->result->seen, run_trace_class(t));
}

const char *explore_search_name(enum explore_search search)
{
	static const char *const names[] = { "mcm", "dfs", "chess", "dpor" };

	return names[search];
}

/* ---- one run ---- */

static bool is_same_place(const struct traced *a, const struct traced *b)
{
	return a->thread == b->thread && a->site == b->site &&
	       a->kind == b->kind && a->object == b->object;
}

/* Is this line of the run the one that the job expects there? */
static bool is_as_expected(const struct explore_job *job,
			   const struct run_trace *run, uint32_t i)
{
	uint32_t line = job->expected.at[i];
	uint64_t got = run_trace_read(job->model, line, NULL);

	if (i + 1 == job->expected.count && job->target)
		got = job->target;
	/* A run may end at such a line before it is filled in. */
	if (i + job->open >= job->expected.count)
		return is_same_place(&run->lines[i], &job->model->lines[line]);
	return run_trace_is_alike(run, i, job->model, line) &&
	       (line == job->turned || run_trace_read(run, i, NULL) == got);
}

/* Did the run do something else than the job expects, and where? */
static void find_stray(struct explore_job *job, const struct run_trace *run,
		       bool is_diverged)
{
	uint32_t i = 0;

	while (i < job->expected.count && i < run->line_count &&
	       is_as_expected(job, run, i))
		i++;
	job->is_diverged = is_diverged || i < job->expected.count ||
			   run->line_count < job->order.count;
	if (i < job->expected.count)
		job->stray = job->model->lines[job->expected.at[i]].site;
	else if (run->line_count)
		job->stray = run->lines[run->line_count - 1].site;
}

/* Tells a hand what others have learned. The lock is held: sites_take may move
 * the table. */
static void sites_give(struct explorer *x, struct hand *h)
{
	uint8_t *sites = h->worker.control->sites;

	if (h->told == x->epoch + 1)
		return;
	h->told = x->epoch + 1;
	for (uint32_t i = 0; i < x->site_count; i++)
		if (x->sites[i] == SITE_SHARED)
			sites[i] = SITE_SHARED;
}

/* The lock is held. */
static void sites_take(struct explorer *x, const struct hand *h)
{
	const struct region *r = h->worker.region;
	uint64_t end = 0;

	for (uint32_t i = 0; i < atomic_load(&r->module_count); i++)
		if (r->modules[i].site + (uint64_t)r->modules[i].size > end)
			end = r->modules[i].site + (uint64_t)r->modules[i].size;
	if (end > CONTROL_SITES)
		end = CONTROL_SITES;
	if (end > x->site_count) {
		x->sites = xrealloc(x->sites, end);
		memset(x->sites + x->site_count, 0, end - x->site_count);
		x->site_count = (uint32_t)end;
	}
	for (uint64_t i = 0; i < end; i++)
		if (r->control.sites[i] == SITE_SHARED)
			x->sites[i] = SITE_SHARED;
}

/* After the first run the modules are known. */
static void find_unused(struct explorer *x, const struct region *r)
{
	pthread_mutex_lock(&x->lock);
	if (!x->has_unused)
		unused_reads_find(r, &x->unused);
	x->has_unused = true;
	pthread_mutex_unlock(&x->lock);
}

/* NULL: it could not be made. */
static struct run_trace *make_run(struct explorer *x, struct hand *h,
				  const struct explore_job *job,
				  struct err *err)
{
	struct traced_area *a = &h->worker.region->traced;
	struct control_ask ask = x->o->ask;

	ask.strategy = STRATEGY_ORDER;
	ask.flags |= CONTROL_VALUES | CONTROL_STOP;
	ask.runs = 1;
	ask.seed = 1;
	if (job->order.count >= TRACED_MOST) {
		err_set(err, "a schedule is too long to be followed");
		return NULL;
	}
	a->order_count = (uint32_t)job->order.count;
	a->count = 0;
	/* Nobody has to sleep. */
	a->sleep_count = job->sleep.count > TRACED_SLEEPERS ?
				 0 :
				 (uint32_t)job->sleep.count;
	if (a->sleep_count)
		memcpy(a->sleep, job->sleep.at,
		       a->sleep_count * sizeof(*job->sleep.at));
	if (job->order.count)
		memcpy(a->order, job->order.at,
		       job->order.count * sizeof(*job->order.at));
	if (hand_run(h, &ask, err) < 0)
		return NULL;
	pthread_mutex_lock(&x->lock);
	x->result->all_runs++;
	pthread_mutex_unlock(&x->lock);
	if (x->o->skip_unused)
		find_unused(x, h->worker.region);
	return run_trace_take(h->worker.region,
			      x->o->skip_unused ? &x->unused : NULL,
			      &x->blends.sites);
}

/* ---- programs that are not ours to control ---- */

static char *describe_site(struct sites *sites, uint32_t site)
{
	struct site_chain chain = site_resolve(sites, site, true);

	if (!chain.count || !chain.frames[0].file)
		return xstrdup("a place without a name");
	return xasprintf("%s:%d", chain.frames[0].file, chain.frames[0].line);
}

static char *describe_line(const struct hand *h, const struct run_trace *t,
			   uint32_t line)
{
	struct captured *c = captured_take(&h->worker);
	struct sites *sites = captured_sites(c);
	char *text = line < t->line_count ?
			     describe_site(sites, t->lines[line].site) :
			     xstrdup("a place without a name");

	sites_free(sites);
	captured_free(c);
	return text;
}

/* The same order twice gives the same, or the program depends on something
 * that is not ours to control. */
static int check_erratic(struct explorer *x, struct hand *h,
			 const struct explore_job *job,
			 const struct run_trace *first, struct err *err)
{
	struct run_trace *again = make_run(x, h, job, err);
	uint32_t at, end;

	if (!again)
		return -1;
	at = run_trace_differ(first, again);
	end = first->line_count > again->line_count ? first->line_count :
						      again->line_count;
	if (at < end && !again->learned && !first->learned) {
		pthread_mutex_lock(&x->lock);
		x->is_erratic = true;
		if (!x->erratic)
			x->erratic = describe_line(
				h, at < first->line_count ? first : again, at);
		x->is_over = true;
		pthread_mutex_unlock(&x->lock);
	}
	run_trace_free(again);
	return 0;
}

/* ---- the hands ---- */

static void job_done(struct explore_job *job)
{
	vec_free(&job->order);
	vec_free(&job->expected);
	vec_free(&job->sleep);
	free(job->from);
}

static void strays_done(struct explore_result *r)
{
	for (size_t i = 0; i < r->strays.count; i++)
		free(r->strays.at[i].place);
	vec_free(&r->strays);
}

static void begin_anew(struct explorer *x)
{
	if (x->search)
		x->kind->free(x->search);
	x->search = x->kind->new (x);
	x->epoch++;
	blends_settle(&x->blends);
	x->result->runs = 0;
	x->result->classes = 0;
	x->result->seen.count = 0;
	x->result->interleavings.all.count = 0;
	predictions_done(&x->result->predicted);
	x->result->diverged = 0;
	strays_done(x->result);
	x->result->unused = 0;
	x->gaps = 0;
	x->unmodelled = 0;
	x->is_stale = false;
	x->past_at = 0;
	x->past_is_void = false;
	explore_state_done(&x->made);
}

/* The lock is held. */
static void settle_prediction(struct explorer *x, const struct hand *h,
			      const struct explore_job *job)
{
	const struct control_result *r = &h->worker.control->results[0];
	const struct prediction *p;
	enum prediction_state state = PREDICTION_REFUTED;

	if (job->prediction == NO_PREDICTION)
		return;
	p = &x->result->predicted.at[job->prediction];
	if (prediction_is_met(p->kind, oracle_kind(r->outcome, r->wait_status),
			      job->is_diverged))
		state = PREDICTION_CONFIRMED;
	else if (job->is_diverged || r->outcome == OUTCOME_LIMIT)
		state = PREDICTION_OPEN;
	predictions_settle(&x->result->predicted, job->prediction, state,
			   job->index);
}

static void count_stray(struct explore_result *r, const struct explore_job *job)
{
	enum { STRAYS_MOST = 20 };

	if (!job->is_diverged)
		return;
	r->diverged++;
	if (r->strays.count < STRAYS_MOST)
		vec_push(&r->strays,
			 (struct explore_stray){ .run = job->index,
						 .site = job->stray });
}

/* The lock is held. */
static void take_result(struct explorer *x, struct hand *h,
			struct explore_job *job, struct run_trace *t)
{
	if (t->learned) {
		sites_take(x, h);
		x->result->restarts++;
		x->is_stale = true;
	}
	if (!t->learned && blends_learn(&x->blends, t)) {
		x->result->restarts++;
		x->is_stale = true;
	}
	if (x->is_stale || job->epoch != x->epoch) {
		run_trace_free(t);
		return;
	}
	x->result->runs++;
	x->unmodelled |= t->unmodelled;
	if (blends_are_torn(&x->blends, t))
		x->gaps |= GAP_BLENDS;
	if (t->line_count > x->result->events)
		x->result->events = t->line_count;
	count_stray(x->result, job);
	x->result->unused += t->unused;
	if (x->o->interleavings)
		interleavings_add(&x->result->interleavings, t);
	settle_prediction(x, h, job);
	explorer_past_learn(x, job, t);
	if (!x->has_checks && x->o->search == SEARCH_MCM)
		code_checks_find(h->worker.region, &x->checks);
	x->has_checks = true;
	job->is_learned = true;
	x->kind->learn(x->search, job, t);
}

static int look(struct explorer *x, struct hand *h, uint64_t index,
		const struct run_trace *t, struct err *err)
{
	const struct control_result *r = &h->worker.control->results[0];

	pthread_mutex_lock(&x->lock);
	x->limits += r->outcome == OUTCOME_LIMIT;
	x->uncontrolled += r->outcome == OUTCOME_UNCONTROLLED;
	pthread_mutex_unlock(&x->lock);
	/* What was seen with too few points is seen again with more. */
	if (r->outcome == OUTCOME_DIVERGED || t->learned)
		return 0;
	return found_look(h, index, r, err);
}

static void tell(struct explorer *x)
{
	struct explore_news news;
	double now = campaign_now();

	if (!x->o->tell || now - x->told < 0.1)
		return;
	x->told = now;
	news = (struct explore_news){
		.seconds = now - x->c->began,
		.runs = x->result->runs,
		.classes = x->result->classes,
		.left = x->kind->left(x->search),
		.solver_seconds = x->result->solver_seconds,
	};
	pthread_mutex_lock(&x->c->lock);
	news.failures = x->c->result->failures.count;
	pthread_mutex_unlock(&x->c->lock);
	x->o->tell(x->o->to, &news);
}

static int one_job(struct explorer *x, struct hand *h, struct explore_job *job,
		   struct err *err)
{
	const struct control_result *r = &h->worker.control->results[0];
	struct run_trace *t;
	uint64_t index;
	int rc;

	if (!hand_take(h, &index)) {
		pthread_mutex_lock(&x->lock);
		x->dropped++;
		pthread_mutex_unlock(&x->lock);
		return 0;
	}
	job->index = index;
	pthread_mutex_lock(&x->lock);
	sites_give(x, h);
	pthread_mutex_unlock(&x->lock);
	t = make_run(x, h, job, err);
	if (!t)
		return -1;
	rc = look(x, h, index, t, err);
	find_stray(job, t, r->outcome == OUTCOME_DIVERGED);
	if (rc == 0 && (!job->order.count || job->is_diverged))
		rc = check_erratic(x, h, job, t, err);
	pthread_mutex_lock(&x->lock);
	take_result(x, h, job, t);
	tell(x);
	pthread_mutex_unlock(&x->lock);
	return rc;
}

static void await_change(struct explorer *x)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100 * 1000 * 1000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&x->changed, &x->lock, &until);
}

/* The lock is held. False: there is no more to do. */
static bool job_take(struct explorer *x, struct explore_job *job)
{
	while (!explorer_is_stopped(x)) {
		enum job_answer answer;

		/* Runs under way are compared with those of the search. */
		if (x->is_stale && (x->thinking || x->out)) {
			await_change(x);
			continue;
		}
		if (x->is_stale) {
			begin_anew(x);
			x->result->before = x->number;
		}
		*job = (struct explore_job){ .epoch = x->epoch,
					     .turned = NO_LINE,
					     .prediction = NO_PREDICTION };
		x->thinking++;
		if (explorer_past_take(x, job))
			answer = JOB_READY;
		else if (x->past_out)
			answer = JOB_WAIT;
		else
			answer = x->kind->next(x->search, job);
		x->thinking--;
		if (x->is_stale) {
			job_done(job);
			pthread_cond_broadcast(&x->changed);
			continue;
		}
		if (answer == JOB_READY) {
			job->epoch = x->epoch;
			job->number = x->number++;
			return true;
		}
		if (answer == JOB_NONE && !x->out) {
			x->is_over = true;
			break;
		}
		await_change(x);
	}
	pthread_cond_broadcast(&x->changed);
	return false;
}

static void name_place(struct sites *sites, uint32_t site, char **place)
{
	if (site && !*place)
		*place = describe_site(sites, site);
}

/* Words for the places that are to be told, while there is somebody to ask. */
static void places_name(struct explorer *x, const struct hand *h)
{
	struct explore_result *r = x->result;
	struct captured *c;
	struct sites *sites;

	if (!r->predicted.count && !r->strays.count)
		return;
	c = captured_take(&h->worker);
	sites = captured_sites(c);
	for (size_t i = 0; i < r->predicted.count; i++)
		for (int k = 0; k < 2; k++)
			name_place(sites, r->predicted.at[i].sites[k],
				   &r->predicted.at[i].places[k]);
	for (size_t i = 0; i < r->strays.count; i++)
		name_place(sites, r->strays.at[i].site, &r->strays.at[i].place);
	sites_free(sites);
	captured_free(c);
}

static void modules_take(struct explorer *x, const struct hand *h)
{
	const struct region *r = h->worker.region;

	if (x->result->modules.count)
		return;
	for (uint32_t i = 0; i < atomic_load(&r->module_count); i++)
		vec_push(&x->result->modules, r->modules[i]);
}

static int drive(void *driver, struct hand *h, struct err *err)
{
	struct explorer *x = driver;
	struct explore_job job;
	int rc = 0;

	pthread_mutex_lock(&x->lock);
	x->c = h->c;
	while (rc == 0 && job_take(x, &job)) {
		x->out++;
		pthread_mutex_unlock(&x->lock);
		rc = one_job(x, h, &job, err);
		pthread_mutex_lock(&x->lock);
		x->out--;
		explorer_past_leave(x, &job);
		explorer_save(x);
		job_done(&job);
		pthread_cond_broadcast(&x->changed);
	}
	modules_take(x, h);
	places_name(x, h);
	pthread_mutex_unlock(&x->lock);
	return rc;
}

static const struct search_kind *kind_of(enum explore_search search)
{
	switch (search) {
	case SEARCH_DPOR:
		return &search_dpor;
	case SEARCH_DFS:
	case SEARCH_CHESS:
		return &search_tree;
	case SEARCH_MCM:
		break;
	}
	return &search_mcm;
}

int explore(const struct explore_options *o, struct explore_result *result,
	    struct err *err)
{
	struct explorer x = { .o = o,
			      .result = result,
			      .kind = kind_of(o->search),
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER };
	struct campaign_options c = { .argv = o->argv,
				      .guest = o->guest,
				      .input = o->input,
				      .ask = o->ask,
				      .runs = o->runs,
				      .time_ms = o->time_ms,
				      .workers = o->workers,
				      .all_failures = o->all_failures,
				      .doubts = true,
				      .outputs = o->outputs,
				      .drive = drive,
				      .driver = &x };
	int rc;

	*result = (struct explore_result){ 0 };
	x.search = x.kind->new (&x);
	rc = o->state ? explore_state_read(&x.past, o->state, err) : 0;
	if (rc == 0)
		rc = campaign_run(&c, &result->campaign, err);
	if (x.is_stale)
		begin_anew(&x);
	explorer_conclude(&x);
	if (rc == 0 && o->state)
		rc = explorer_write(&x, err);
	x.kind->free(x.search);
	free(x.erratic);
	explore_state_done(&x.past);
	explore_state_done(&x.made);
	keymap_done(&x.unused);
	blends_done(&x.blends);
	free(x.sites);
	keymap_done(&x.checks);
	return rc;
}

void explore_done(struct explore_result *r)
{
	campaign_done(&r->campaign);
	for (size_t i = 0; i < r->why.count; i++)
		free(r->why.at[i]);
	vec_free(&r->why);
	vec_free(&r->modules);
	vec_free(&r->interleavings.all);
	vec_free(&r->query_ms);
	vec_free(&r->seen);
	predictions_done(&r->predicted);
	strays_done(r);
}

enum exit_status explore_status(const struct explore_result *r)
{
	enum exit_status status = campaign_status(&r->campaign);

	return status == EXIT_HELD && !r->is_complete ? EXIT_UNKNOWN : status;
}
