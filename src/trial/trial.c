/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/vec.h"
#include "trial/drain.h"
#include "trial/program.h"
#include "trial/watch.h"

/* ---- the child ---- */

/* What the child needs between fork and exec, where it may only call what a
 * signal handler may. */
struct start {
	struct program program;
	char *const *argv;
	char **environment;
	char *trial;   /* in `environment`: HEDDLE_TRIAL=, then room for
			     the pid, then the rest */
	char *preload; /* in `environment`, or NULL */
	char *place;   /* ":/proc/<tool>/fd/<n>" */
	sigset_t mask; /* as the tool found it */
	int report;    /* pipe: errno when exec fails, closed when not */
};

#define TRIAL "HEDDLE_TRIAL="
#define PRELOAD "LD_PRELOAD="

static bool is_variable(const char *entry, const char *name_and_equals)
{
	return strncmp(entry, name_and_equals, strlen(name_and_equals)) == 0;
}

/* The tool's environment, with ours in place of what stood there. */
static void make_environment(struct start *s, const char *guest, int fd)
{
	VEC(char *) env = { 0 };
	const char *old = getenv("LD_PRELOAD");
	char place[64];

	snprintf(place, sizeof(place), ":/proc/%d/fd/%d", (int)getpid(), fd);
	s->place = xstrdup(place);
	s->trial = xcalloc(1, sizeof(TRIAL) + 24 + sizeof(place));
	vec_push(&env, s->trial);
	if (guest && !s->program.links_guest) {
		s->preload = xasprintf(PRELOAD "%s%s%s", guest,
				       old && *old ? ":" : "", old ? old : "");
		vec_push(&env, s->preload);
	}
	for (char **e = environ; *e; e++)
		if (!is_variable(*e, TRIAL) &&
		    !(s->preload && is_variable(*e, PRELOAD)))
			vec_push(&env, *e);
	vec_push(&env, NULL);
	s->environment = env.at;
}

static void start_done(struct start *s)
{
	program_done(&s->program);
	free(s->trial);
	free(s->preload);
	free(s->place);
	free(s->environment);
}

/* snprintf is not for a child of fork; this is. */
static void put_pid(struct start *s)
{
	char digits[24];
	size_t n = sizeof(digits);
	unsigned int pid = (unsigned int)getpid();

	digits[--n] = '\0';
	do {
		digits[--n] = (char)('0' + pid % 10);
	} while (pid /= 10);
	strcpy(s->trial, TRIAL);
	strcat(s->trial, digits + n);
	strcat(s->trial, s->place);
}

_Noreturn static void child_main(struct start *s, pid_t tool)
{
	int why;

	/* A tool that is killed leaves nobody to empty the region. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != tool)
		_exit(127);
	put_pid(s);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
	execve(s->program.path, s->argv, s->environment);
	why = errno;
	while (write(s->report, &why, sizeof(why)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Returns the child once it runs the program. */
static pid_t start_child(struct start *s, struct err *err)
{
	int report[2], why = 0;
	pid_t tool = getpid(), child;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	s->report = report[1];
	fflush(NULL);
	child = fork();
	if (child == 0)
		child_main(s, tool);
	close(report[1]);
	if (child < 0) {
		close(report[0]);
		return err_set(err, "cannot start a process: %s",
			       strerror(errno));
	}
	do {
		n = read(report[0], &why, sizeof(why));
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != sizeof(why))
		return child;
	waitpid(child, NULL, 0);
	return program_explain(&s->program, why, err);
}

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
	if (atomic_load(&r->guest_pid) && !atomic_load(&r->instrumented))
		add_note(r, "the program was not built with heddle cc: only "
			    "its synchronisation and allocation were seen");
}

/* ---- all of it ---- */

static int observe(struct drain *d, struct watch *w, struct err *err)
{
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
	}
	watch_end(w);
	add_notes(d->region, w);
	drain_rest(d);
	return 0;
}

static int run(const struct trial *trial, struct start *s, struct drain *d,
	       struct trial_result *result, struct err *err)
{
	struct watch w = { .time_limit = trial->time_limit,
			   .bell = &d->region->full_slots };

	make_environment(s, trial->guest, d->fd);
	if (create_trace(d, trial, err) < 0)
		return -1;
	w.child = start_child(s, err);
	if (w.child < 0 || observe(d, &w, err) < 0) {
		trace_abandon(d->writer);
		unlink(trial->trace);
		return -1;
	}
	result->attached = atomic_load(&d->region->guest_pid) != 0;
	result->instrumented = atomic_load(&d->region->instrumented) != 0;
	finish_trace(d, &w, result);
	result->ending = ending_of(w.wait_status);
	return 0;
}

int trial_run(const struct trial *trial, struct trial_result *result,
	      struct err *err)
{
	struct start s = { .argv = trial->argv };
	struct drain d;
	sigset_t set;
	int rc;

	*result = (struct trial_result){ 0 };
	if (program_find(&s.program, trial->argv[0], err) < 0 ||
	    drain_init(&d, MODE_OBSERVE,
		       trial->record_all ? REGION_RECORD_ALL : 0, err) < 0) {
		start_done(&s);
		return -1;
	}
	watch_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &s.mask);
	rc = run(trial, &s, &d, result, err);
	sigprocmask(SIG_SETMASK, &s.mask, NULL);
	drain_done(&d);
	start_done(&s);
	return rc;
}
