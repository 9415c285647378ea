/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The free run at the beginning of a test: data races, lock cycles, and how
 * many unserializable interleavings there may be.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/unserial.h"
#include "cli/tester.h"
#include "store/test_record.h"
#include "trial/trial.h"

/* The program has our streams, and what it prints is not for whoever tests
 * it. */
struct aside {
	int kept[3];
};

static void aside_begin(struct aside *a, const struct feed *feed)
{
	char path[40] = "/dev/null";
	int in, out = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (feed->fd >= 0)
		snprintf(path, sizeof(path), "/proc/self/fd/%d", feed->fd);
	in = open(path, O_RDONLY | O_CLOEXEC);
	fflush(stdout);
	fflush(stderr);
	for (int i = 0; i < 3; i++) {
		a->kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
		dup2(i ? out : in, i);
	}
	close(in);
	close(out);
}

static void aside_end(struct aside *a)
{
	for (int i = 0; i < 3; i++) {
		if (a->kept[i] < 0)
			continue;
		dup2(a->kept[i], i);
		close(a->kept[i]);
	}
}

static int analyse_trace(const char *path, struct tested *t, struct err *err)
{
	const struct analysis_options wanted = { .races = true,
						 .lockcycles = true };
	struct trace *trace = trace_open(path, err);
	struct analysis_result *r;
	struct unserial_result *u;

	if (!trace)
		return -1;
	r = analyse(trace, &wanted, err);
	if (r) {
		t->races = (int)r->race_count;
		t->cycles = (int)r->lockcycle_count;
	}
	analysis_free(r);
	trace_rewind(trace);
	u = unserial_of(trace, UNSERIAL_BY_GAP);
	t->exercised = (int)u->by_status[UNSERIAL_EXERCISED];
	t->feasible = t->exercised + (int)u->by_status[UNSERIAL_OPEN] +
		      (int)u->by_status[UNSERIAL_LIKELY];
	unserial_free(u);
	trace_close(trace);
	return 0;
}

static void ending_note(struct tested *t, const struct ending *e)
{
	if (e->verdict == EXIT_BROKEN)
		t->native_ending = xstrdup(e->text);
}

int tester_watch(const struct tester_options *o, const struct feed *feed,
		 uint64_t ms, struct tested *t, struct err *err)
{
	struct trial trial = { .argv = o->argv,
			       .guest = o->guest,
			       .time_limit = ms };
	struct trial_result result;
	struct aside aside;
	char *path = test_record_trace(o->store, o->argv, err);
	int rc;

	if (!path)
		return -1;
	trial.trace = path;
	aside_begin(&aside, feed);
	rc = trial_run(&trial, &result, err);
	aside_end(&aside);
	if (rc == 0 && result.attached) {
		ending_note(t, &result.ending);
		t->stopped_by = result.stopped_by;
		rc = analyse_trace(path, t, err);
		t->watched = path;
	} else {
		free(path);
	}
	return rc;
}
