/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/linear_campaign.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "linear/linear_record.h"
#include "trial/interrupts.h"
#include "trial/orphans.h"
#include "trial/processors.h"

enum { NEWS_MS = 100 };

struct campaign {
	const struct linear_options *o;
	struct linear_result *result;
	sigset_t mask;
	int *cpus;
	uint32_t cpu_count;
	double began;
	_Atomic bool stop;

	pthread_mutex_t lock; /* of all that follows */
	size_t next;	      /* case that nobody has taken */
	uint64_t made, done, flagged;
	uint32_t hands;
	int bell; /* rung by the last of them */
	bool has_failed;
	struct err err;
};

struct hand {
	struct campaign *c;
	uint32_t nth;
	pthread_t thread;
	struct driver driver;
	_Atomic bool is_started; /* the driver: it can be told to stop */
	bool is_up;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- records ---- */

char *linear_record_path(const struct linear_options *o, size_t n)
{
	uint64_t hash = o->inputs ? linear_input_hash(&o->inputs->all.at[n]) :
				    0;

	return o->records ?
		       xasprintf("%s/%016" PRIx64 ".json", o->records, hash) :
		       NULL;
}

static int save(const struct linear_options *o, const struct linear_case *c,
		size_t n, struct err *err)
{
	char *path = linear_record_path(o, n);
	int rc = path ? linear_record_save(c, path, err) : 0;

	free(path);
	return rc;
}

static void load(const struct linear_options *o, struct linear_case *c,
		 size_t n)
{
	char *path = linear_record_path(o, n);

	if (path)
		linear_record_load(c, path);
	free(path);
}

/* ---- one case ---- */

static int driver_need(struct hand *h, struct err *err)
{
	const struct linear_options *o = h->c->o;
	struct driver_options options = {
		.spec = o->spec,
		.argv = o->argv,
		.guest = o->guest,
		.ask = o->ask,
		.mask = h->c->mask,
		.cpu = h->c->cpus[h->nth % h->c->cpu_count],
		.is_fresh = o->is_fresh,
	};

	if (h->is_up)
		return 0;
	atomic_store(&h->is_started, true);
	if (driver_start(&h->driver, &options, err) < 0)
		return -1;
	h->is_up = true;
	/* The same for every worker, whichever case it begins with. */
	return driver_learn(&h->driver,
			    o->inputs ? &o->inputs->all.at[0] : NULL, err);
}

static bool is_open(const struct linear_case *c)
{
	for (size_t i = 0; i < c->executions.count; i++)
		if (c->executions.at[i].judged.judgement == JUDGED_UNKNOWN &&
		    c->executions.at[i].seen->end == OBSERVED_WHOLE)
			return true;
	return false;
}

/* What is recorded is judged as far as it goes. */
static int rejudge(struct hand *h, struct linear_case *c, struct err *err)
{
	const struct linear_options *o = h->c->o;

	if (linear_case_judge(c, NULL, o->spec, err) < 0)
		return -1;
	if (!is_open(c))
		return 0;
	if (driver_need(h, err) < 0)
		return -1;
	return linear_case_judge(c, &h->driver, o->spec, err);
}

static void count_one(struct campaign *c)
{
	pthread_mutex_lock(&c->lock);
	c->made++;
	pthread_mutex_unlock(&c->lock);
}

static int schedules_make(struct hand *h, struct linear_case *c,
			  struct err *err)
{
	const struct linear_options *o = h->c->o;
	struct control_ask ask = o->ask;

	if (driver_need(h, err) < 0 ||
	    linear_case_prepare(c, &h->driver, o->spec, err) < 0)
		return -1;
	if (!ask.length)
		ask.length = c->length;
	while (c->made < o->schedules && !atomic_load(&h->c->stop)) {
		ask.seed = o->seed + c->made;
		if (linear_case_add(c, &h->driver, o->spec, &ask, err) < 0)
			return -1;
		/* In process nothing was known before the first. */
		if (!ask.length)
			ask.length = c->executions.at[0].seen->points;
		count_one(h->c);
	}
	return 0;
}

static bool is_flagged(const struct linear_case *c)
{
	for (size_t i = 0; i < c->executions.count; i++)
		if (c->executions.at[i].judged.judgement == JUDGED_WRONG ||
		    c->executions.at[i].judged.judgement == JUDGED_FAILED)
			return true;
	return false;
}

static int case_do(struct hand *h, size_t n, struct err *err)
{
	const struct linear_options *o = h->c->o;
	struct linear_case *c = &h->c->result->cases.at[n];
	uint64_t recorded;
	int rc;

	load(o, c, n);
	recorded = c->made;
	c->was_recorded = c->made >= o->schedules;
	rc = rejudge(h, c, err);
	if (rc == 0 && c->made < o->schedules)
		rc = schedules_make(h, c, err);
	/* What was made is worth keeping whatever came after it. */
	if (c->made > recorded &&
	    save(o, c, n, rc < 0 ? &(struct err){ 0 } : err) < 0)
		rc = -1;
	pthread_mutex_lock(&h->c->lock);
	h->c->done++;
	h->c->flagged += is_flagged(c);
	h->c->result->recorded += recorded;
	pthread_mutex_unlock(&h->c->lock);
	return rc;
}

/* ---- hands ---- */

static size_t case_take(struct campaign *c)
{
	size_t n = SIZE_MAX;

	pthread_mutex_lock(&c->lock);
	if (c->next < c->result->cases.count && !atomic_load(&c->stop))
		n = c->next++;
	pthread_mutex_unlock(&c->lock);
	return n;
}

static void hand_end(struct hand *h, int rc, const struct err *err)
{
	struct campaign *c = h->c;

	pthread_mutex_lock(&c->lock);
	if (rc < 0 && !atomic_load(&c->stop) && !interrupts_came() &&
	    !c->has_failed) {
		c->has_failed = true;
		c->err = *err;
		atomic_store(&c->stop, true);
	}
	c->result->is_fresh |= h->driver.worker.is_fresh;
	c->result->runs += h->driver.made;
	if (!c->result->why_early) {
		c->result->why_early = h->driver.why_early;
		h->driver.why_early = NULL;
	}
	pthread_mutex_unlock(&c->lock);
	driver_stop(&h->driver);
	pthread_mutex_lock(&c->lock);
	if (--c->hands == 0)
		eventfd_write(c->bell, 1);
	pthread_mutex_unlock(&c->lock);
}

static void *hand_main(void *arg)
{
	struct hand *h = arg;
	struct err err;
	size_t n;
	int rc = 0;

	while (rc == 0 && (n = case_take(h->c)) != SIZE_MAX)
		rc = case_do(h, n, &err);
	hand_end(h, rc, &err);
	return NULL;
}

/* ---- waiting ---- */

static void tell(struct campaign *c)
{
	const struct linear_options *o = c->o;
	struct linear_news news = {
		.seconds = now() - c->began,
		.wanted = o->schedules * c->result->cases.count,
		.inputs = c->result->cases.count,
	};

	if (!o->tell)
		return;
	pthread_mutex_lock(&c->lock);
	news.made = c->made + c->result->recorded;
	news.done = c->done;
	news.flagged = c->flagged;
	pthread_mutex_unlock(&c->lock);
	o->tell(o->to, &news);
}

static void stop_all(struct campaign *c, struct hand *hands, uint32_t count)
{
	atomic_store(&c->stop, true);
	for (uint32_t i = 0; i < count; i++)
		if (atomic_load(&hands[i].is_started))
			atomic_store(&hands[i].driver.stop, true);
}

static void await_hands(struct campaign *c, struct hand *hands, uint32_t count,
			int signals)
{
	struct pollfd wanted[] = {
		{ .fd = c->bell, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	struct signalfd_siginfo s;

	for (;;) {
		int n = poll(wanted, 2, NEWS_MS);

		if (n > 0 && wanted[1].revents &&
		    read(signals, &s, sizeof(s)) == sizeof(s) &&
		    s.ssi_signo != SIGCHLD) {
			interrupts_tell((int)s.ssi_signo);
			c->result->stopped_by = (int)s.ssi_signo;
			stop_all(c, hands, count);
		}
		if (n > 0 && wanted[0].revents)
			return;
		if (atomic_load(&c->stop))
			stop_all(c, hands, count);
		tell(c);
	}
}

static int hands_work(struct campaign *c, int signals, struct err *err)
{
	uint32_t count = c->o->workers ? c->o->workers : c->cpu_count;
	struct hand *hands;

	if (count > c->result->cases.count)
		count = (uint32_t)c->result->cases.count;
	hands = xcalloc(count + 1, sizeof(*hands));
	c->hands = count;
	for (uint32_t i = 0; i < count; i++) {
		hands[i].c = c;
		hands[i].nth = i;
		driver_init(&hands[i].driver);
		CHECK(pthread_create(&hands[i].thread, NULL, hand_main,
				     &hands[i]) == 0);
	}
	if (count)
		await_hands(c, hands, count, signals);
	for (uint32_t i = 0; i < count; i++)
		pthread_join(hands[i].thread, NULL);
	free(hands);
	orphans_end();
	if (c->has_failed)
		*err = c->err;
	return c->has_failed ? -1 : 0;
}

static int run(struct campaign *c, struct err *err)
{
	sigset_t set, mask;
	int signals, rc = -1;

	interrupts_fill(&set);
	interrupts_program_mask(&c->mask);
	pthread_sigmask(SIG_BLOCK, &set, &mask);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	c->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (signals < 0 || c->bell < 0)
		err_set(err, "cannot wait for signals: %s", strerror(errno));
	else
		rc = hands_work(c, signals, err);
	if (signals >= 0)
		close(signals);
	if (c->bell >= 0)
		close(c->bell);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return rc;
}

/* ---- findings ---- */

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_alike(const struct execution *a, const struct execution *b)
{
	return a->judged.judgement == b->judged.judgement &&
	       a->judged.is_error == b->judged.is_error &&
	       a->judged.is_latent == b->judged.is_latent &&
	       is_same_text(a->judged.component, b->judged.component) &&
	       (a->judged.judgement != JUDGED_FAILED ||
		is_same_text(a->seen->words, b->seen->words));
}

static struct linear_finding *finding_of(struct linear_result *r, size_t n,
					 const struct execution *e)
{
	for (size_t i = 0; i < r->findings.count; i++) {
		struct linear_finding *f = &r->findings.at[i];

		if (f->of_case == n &&
		    is_alike(e, &r->cases.at[n].executions.at[f->execution]))
			return f;
	}
	return NULL;
}

static void finding_add(struct linear_result *r, size_t n, size_t i)
{
	const struct execution *e = &r->cases.at[n].executions.at[i];
	struct linear_finding *f;

	if (e->judged.judgement == JUDGED_UNKNOWN)
		r->unknown += e->count;
	if (e->judged.judgement != JUDGED_WRONG &&
	    e->judged.judgement != JUDGED_FAILED)
		return;
	f = finding_of(r, n, e);
	if (f)
		f->count += e->count;
	else
		vec_push(&r->findings,
			 (struct linear_finding){ n, i, e->count });
}

void linear_findings_make(struct linear_result *r)
{
	r->findings.count = 0;
	r->unknown = 0;
	for (size_t n = 0; n < r->cases.count; n++)
		for (size_t i = 0; i < r->cases.at[n].executions.count; i++)
			finding_add(r, n, i);
}

/* ---- all of it ---- */

int linear_campaign_run(const struct linear_options *o,
			struct linear_result *result, struct err *err)
{
	struct campaign c = { .o = o,
			      .result = result,
			      .began = now(),
			      .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t count = o->inputs ? o->inputs->all.count : 1;
	int rc;

	*result = (struct linear_result){ 0 };
	for (size_t i = 0; i < count; i++)
		vec_push(&result->cases,
			 (struct linear_case){
				 .input = o->inputs ? &o->inputs->all.at[i] :
						      NULL });
	if (o->records && file_make_directory(o->records, err) < 0)
		return -1;
	orphans_adopt();
	c.cpu_count = processors_find(&c.cpus);
	rc = run(&c, err);
	result->seconds = now() - c.began;
	result->made = c.made;
	linear_findings_make(result);
	free(c.cpus);
	return rc;
}

void linear_campaign_done(struct linear_result *r)
{
	for (size_t i = 0; i < r->cases.count; i++)
		linear_case_done(&r->cases.at[i]);
	vec_free(&r->cases);
	vec_free(&r->findings);
	free(r->why_early);
}
