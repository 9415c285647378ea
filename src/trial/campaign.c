/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/campaign_inner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "trial/interrupts.h"
#include "trial/orphans.h"
#include "trial/processors.h"

enum { NEWS_MS = 100 };

double campaign_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- waiting ---- */

static void tell(struct campaign *c)
{
	const struct campaign_options *o = c->o;
	struct campaign_news news = {
		.seconds = campaign_now() - c->began,
		.wanted = o->runs,
		.seconds_wanted = (double)o->time_ms / 1000,
	};

	if (!o->tell)
		return;
	pthread_mutex_lock(&c->lock);
	news.made = c->made;
	news.distinct = c->schedules.count;
	news.failures = c->result->failures.count;
	pthread_mutex_unlock(&c->lock);
	o->tell(o->to, &news);
}

static void take_signal(struct campaign *c, int fd)
{
	struct signalfd_siginfo s;

	if (read(fd, &s, sizeof(s)) != sizeof(s))
		return;
	interrupts_tell((int)s.ssi_signo);
	c->result->stopped_by = (int)s.ssi_signo;
	atomic_store(&c->stop, true);
}

/* Runs that take long must not take much more time than there is. */
static void cut(struct campaign *c)
{
	enum { GRACE_MS = 300 };

	if (c->o->is_cut && c->o->time_ms &&
	    (campaign_now() - c->began) * 1000 >
		    (double)(c->o->time_ms + GRACE_MS))
		atomic_store(&c->stop, true);
}

/* Until the last hand is done. */
static void await_hands(struct campaign *c, int signals)
{
	struct pollfd wanted[] = {
		{ .fd = c->bell, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};

	for (;;) {
		int n = poll(wanted, 2, NEWS_MS);

		if (n > 0 && wanted[1].revents)
			take_signal(c, signals);
		if (n > 0 && wanted[0].revents)
			return;
		cut(c);
		tell(c);
	}
}

/* ---- hands ---- */

static uint32_t hands_start(struct campaign *c, struct hand *hands,
			    uint32_t count, struct err *err)
{
	c->hands = count;
	for (uint32_t i = 0; i < count; i++) {
		int rc;

		hands[i] = (struct hand){ .c = c,
					  .nth = i,
					  .worker = { .server = -1,
						      .input = -1,
						      .streams = { -1, -1 } } };
		rc = pthread_create(&hands[i].thread, NULL, hand_main,
				    &hands[i]);
		if (!rc)
			continue;
		err_set(err, "cannot start a thread: %s", strerror(rc));
		pthread_mutex_lock(&c->lock);
		atomic_store(&c->stop, true);
		c->hands -= count - i;
		if (!c->hands)
			eventfd_write(c->bell, 1);
		pthread_mutex_unlock(&c->lock);
		return i;
	}
	return count;
}

uint32_t campaign_workers(const struct campaign *c)
{
	if (c->o->workers)
		return c->o->workers;
	return c->launch.is_free ? 1 : c->cpu_count;
}

static int hands_work(struct campaign *c, int signals, struct err *err)
{
	uint32_t count = c->is_alone ? 1 : campaign_workers(c);
	struct hand *hands = xcalloc(count, sizeof(*hands));
	uint32_t started = hands_start(c, hands, count, err);

	await_hands(c, signals);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(hands[i].thread, NULL);
	free(hands);
	orphans_end();
	if (c->has_failed)
		*err = c->err;
	return c->has_failed || started < count ? -1 : 0;
}

/* ---- the result ---- */

static int by_index(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

void failure_done(struct failure *f)
{
	captured_free(f->captured);
	verdict_done(&f->verdict);
}

/* Runs beyond the first broken one do not count. */
static void result_settle(struct campaign *c)
{
	struct campaign_result *r = c->result;

	r->seconds = campaign_now() - c->began;
	r->made = c->made < c->limit ? c->made : c->limit;
	r->distinct = c->schedules.count < r->made ? c->schedules.count :
						     r->made;
	if (r->failures.count)
		qsort(r->failures.at, r->failures.count,
		      sizeof(*r->failures.at), by_index);
	while (r->failures.count &&
	       r->failures.at[r->failures.count - 1].index >= c->limit)
		failure_done(&r->failures.at[--r->failures.count]);
	/* How often others met it meanwhile depends on how many they are. */
	if (r->failures.count && !c->o->all_failures &&
	    r->failures.at[r->failures.count - 1].index + 1 == c->limit)
		r->failures.at[r->failures.count - 1].count = 1;
}

void campaign_done(struct campaign_result *r)
{
	for (size_t i = 0; i < r->failures.count; i++)
		failure_done(&r->failures.at[i]);
	vec_free(&r->failures);
	for (size_t i = 0; i < r->notes.count; i++)
		free(r->notes.at[i]);
	vec_free(&r->notes);
	free(r->tallies);
	free(r->why_fresh);
	free(r->output);
	free(r->errors);
	*r = (struct campaign_result){ 0 };
}

enum exit_status campaign_status(const struct campaign_result *r)
{
	enum exit_status status = r->stopped_by ? EXIT_UNKNOWN : EXIT_HELD;

	for (size_t i = 0; i < r->failures.count; i++) {
		if (r->failures.at[i].verdict.status == EXIT_BROKEN)
			return EXIT_BROKEN;
		status = EXIT_UNKNOWN;
	}
	return status;
}

/* ---- all of it ---- */

static int run(struct campaign *c, struct err *err)
{
	sigset_t set, mask;
	int signals, rc = -1;

	interrupts_fill(&set);
	interrupts_program_mask(&c->launch.mask);
	pthread_sigmask(SIG_BLOCK, &set, &mask);
	c->result->stopped_by = interrupts_came();
	atomic_store(&c->stop, c->result->stopped_by != 0);
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

int campaign_run(const struct campaign_options *o,
		 struct campaign_result *result, struct err *err)
{
	struct campaign c = {
		.o = o,
		.began = campaign_now(),
		.launch = { .argv = o->argv,
			    .guest = o->guest,
			    .streams = { o->input, -1, -1 },
			    .is_fresh = o->exec,
			    .is_free = o->rules && o->rules->rules.is_free,
			    .is_ready_idle = o->is_ready_idle,
			    .has_scratch = o->exec,
			    .inputs = o->inputs,
			    .input_count = o->input_count,
			    .cpu = -1 },
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.result = result,
		.limit = o->runs ? o->runs : UINT64_MAX,
	};
	int rc;

	*result = (struct campaign_result){ 0 };
	if (o->rules)
		result->tallies = xcalloc(o->rules->rules.all.count + 1,
					  sizeof(*result->tallies));
	c.launch.stop = &c.stop;
	orphans_adopt();
	c.cpu_count = processors_find(&c.cpus);
	do {
		rc = run(&c, err);
		result_settle(&c);
	} while (rc == 0 && campaign_doubt(&c));
	keymap_done(&c.schedules);
	keymap_done(&c.keys);
	free(c.cpus);
	campaign_unlearn(&c);
	return rc;
}
