/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/vec.h"
#include "format/watchdog.h"
#include "trial/drain.h"
#include "trial/fresh.h"
#include "trial/interrupts.h"
#include "trial/launch.h"
#include "trial/watch.h"

/* ---- the trace ---- */

/* The counter runs at a constant rate on every machine doctor approves of; a
 * millisecond tells it to about one in ten thousand. */
/* The counter and the clock at one moment: of a few tries the one with the
 * least time between two readings of the counter, since the machine may turn
 * to something else in the middle. */
static void counter_read(uint64_t *counter, uint64_t *nanoseconds)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 16; i++) {
		struct timespec now;
		uint64_t before = __rdtsc(), gap;

		clock_gettime(CLOCK_MONOTONIC, &now);
		gap = __rdtsc() - before;
		if (gap >= least)
			continue;
		least = gap;
		*counter = before + gap / 2;
		*nanoseconds = (uint64_t)now.tv_sec * 1000000000 +
			       (uint64_t)now.tv_nsec;
	}
}

static uint64_t stamps_per_second(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint64_t from, to, start, end;

	counter_read(&from, &start);
	nanosleep(&pause, NULL);
	counter_read(&to, &end);
	return (uint64_t)((double)(to - from) * 1e9 / (double)(end - start));
}

static char *join_command(char *const *argv, size_t *size)
{
	VEC(char) all = { 0 };

	for (; *argv; argv++)
		for (const char *p = *argv;; p++) {
			vec_push(&all, *p);
			if (!*p)
				break;
		}
	*size = all.count;
	return all.at;
}

static int create_trace(struct drain *d, const struct trial *trial,
			struct err *err)
{
	struct trace_info info = {
		.stamps_per_second = stamps_per_second(),
		.started = (uint64_t)time(NULL),
		.mode = d->region->mode,
		.flags = d->region->flags,
	};
	char *command = join_command(trial->argv, &info.command_size);

	info.command = command;
	d->writer = trace_create(trial->trace, &info, err);
	free(command);
	return d->writer ? 0 : -1;
}

static void finish_trace(struct drain *d, const struct watch *w,
			 struct trial_result *result)
{
	struct region *r = d->region;
	struct trace_end end = {
		.closed = atomic_load(&r->closed),
		.wait_status = w->wait_status,
		.lost = atomic_load(&r->lost),
	};

	if (d->writer && trace_finish(d->writer, &end, &d->error) == 0)
		result->trace_is_whole = true;
	else
		result->trace_error = d->error;
	d->writer = NULL;
}

/* ---- the verdict ---- */

static bool is_from_outside(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP ||
	       sig == SIGKILL;
}

struct ending ending_of(int status)
{
	struct ending e;

	if (WIFSIGNALED(status)) {
		int sig = WTERMSIG(status);
		const char *name = sigabbrev_np(sig);

		e.verdict = is_from_outside(sig) ? EXIT_UNKNOWN : EXIT_BROKEN;
		snprintf(e.text, sizeof(e.text), "was killed by %s%s (%s)%s",
			 name ? "SIG" : "signal ", name ? name : "?",
			 strsignal(sig),
			 WCOREDUMP(status) ? ", core dumped" : "");
	} else {
		e.verdict = WEXITSTATUS(status) ? EXIT_BROKEN : EXIT_HELD;
		snprintf(e.text, sizeof(e.text), "exited with status %d",
			 WEXITSTATUS(status));
	}
	return e;
}

/* The tool's own remark, among those of the guest, which is gone. */
static void add_note(struct region *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void add_note(struct region *r, const char *fmt, ...)
{
	uint32_t n = atomic_load(&r->note_count);
	va_list ap;

	if (n >= REGION_NOTES)
		return;
	va_start(ap, fmt);
	vsnprintf(r->notes[n].text, sizeof(r->notes[n].text), fmt, ap);
	va_end(ap);
	atomic_store(&r->note_count, n + 1);
}

static void add_notes(struct region *r, const struct watch *w)
{
	if (w->timed_out)
		add_note(r,
			 "heddle killed the program because its time of "
			 "%g s was up (--time)",
			 (double)w->time_limit / 1000);
	if (w->stopped_by)
		add_note(r,
			 "heddle was told to stop by SIG%s while the "
			 "program ran",
			 sigabbrev_np(w->stopped_by));
	/* Where not even the main thread is known, the guest said why. */
	if (atomic_load(&r->thread_count) && !atomic_load(&r->instrumented))
		add_note(r, "the program was not built with heddle cc: only "
			    "its synchronisation and allocation were seen");
}

/* ---- runs that come to no end ---- */

/* Looked at when nothing was recorded for a while. */
static bool is_stuck(struct drain *d, const struct watch *w,
		     struct watchdog_stuck *stuck)
{
	return watchdog_is_stuck(stuck, (uint32_t)w->child, d->region,
				 &fresh_means);
}

static int observe(struct drain *d, struct watch *w, bool is_quiet,
		   struct trial_result *result, struct err *err)
{
	struct watchdog_stuck stuck = { 0 };

	if (watch_begin(w, err) < 0) {
		kill(w->child, SIGKILL);
		waitpid(w->child, NULL, 0);
		return -1;
	}
	for (;;) {
		uint32_t seen = atomic_load_explicit(&d->region->full_slots,
						     memory_order_acquire);
		bool over =
			atomic_load_explicit(&w->over, memory_order_acquire);

		drain_full(d);
		if (over)
			break;
		drain_wait(d, seen);
		if (is_quiet && !result->is_stuck &&
		    seen == atomic_load(&d->region->full_slots) &&
		    is_stuck(d, w, &stuck)) {
			result->is_stuck = true;
			kill(w->child, SIGKILL);
		}
	}
	watch_end(w);
	add_notes(d->region, w);
	drain_rest(d);
	return 0;
}

static int run(const struct trial *trial, const struct launch *launch,
	       struct drain *d, struct trial_result *result, struct err *err)
{
	struct watch w = { .time_limit = trial->time_limit,
			   .bell = &d->region->full_slots };

	if (create_trace(d, trial, err) < 0)
		return -1;
	w.child = launch_start(launch, err);
	if (w.child < 0 || observe(d, &w, trial->is_quiet, result, err) < 0) {
		trace_abandon(d->writer);
		unlink(trial->trace);
		return -1;
	}
	result->timed_out = w.timed_out;
	result->attached = atomic_load(&d->region->guest_pid) != 0;
	result->instrumented = atomic_load(&d->region->instrumented) != 0;
	finish_trace(d, &w, result);
	result->ending = ending_of(w.wait_status);
	return 0;
}

int trial_run(const struct trial *trial, struct trial_result *result,
	      struct err *err)
{
	struct launch launch = { .argv = trial->argv,
				 .guest = trial->guest,
				 .cpu = -1,
				 .streams = { -1, -1, -1 } };
	struct drain d;
	sigset_t set, mask;
	int rc;

	int nothing = -1;

	*result = (struct trial_result){ 0 };
	if (trial->is_quiet) {
		nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
		launch.streams[0] = trial->input >= 0 ? trial->input : nothing;
		launch.streams[1] = launch.streams[2] = nothing;
		if (trial->input >= 0)
			lseek(trial->input, 0, SEEK_SET);
	}
	if (drain_init(&d, MODE_OBSERVE,
		       trial->record_all ? REGION_RECORD_ALL : 0, err) < 0) {
		rc = -1;
		goto out;
	}
	launch.region = d.fd;
	watch_signals(&set);
	interrupts_program_mask(&launch.mask);
	sigprocmask(SIG_BLOCK, &set, &mask);
	rc = run(trial, &launch, &d, result, err);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	drain_done(&d);
out:
	if (nothing >= 0)
		close(nothing);
	return rc;
}
