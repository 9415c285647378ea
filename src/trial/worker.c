/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "format/watchdog.h"
#include "trial/fresh.h"
#include "trial/interrupts.h"
#include "trial/trial.h"

/* ---- streams ---- */

/* A file that cannot grow: a run that prints without end is told so by its
 * own write, and fills neither memory nor disk. How much a run printed is
 * where the file's position stands, which the program shares with us. */
static int stream_open(struct err *err)
{
	int fd = memfd_create("heddle-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && ftruncate(fd, WORKER_STREAM_MOST) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) == 0)
		return fd;
	err_set(err, "cannot make a memory file: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Of its own for each worker, because a position belongs to an open file. */
static int input_open(int given, struct err *err)
{
	char path[40] = "/dev/null";
	int fd;

	if (given >= 0)
		snprintf(path, sizeof(path), "/proc/self/fd/%d", given);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err_set(err, "cannot open %s: %s", path, strerror(errno));
	return fd;
}

static int streams_open(struct worker *w, int input, struct err *err)
{
	w->input = input_open(input, err);
	if (w->input < 0)
		return -1;
	for (int i = 0; i < WORKER_STREAMS; i++) {
		w->streams[i] = stream_open(err);
		if (w->streams[i] < 0)
			return -1;
	}
	return 0;
}

char *worker_printed(const struct worker *w, enum worker_stream stream,
		     size_t *size)
{
	off_t end = lseek(w->streams[stream], 0, SEEK_CUR);
	char *text;
	ssize_t n;

	if (end < 0)
		end = 0;
	text = xmalloc((size_t)end + 1);
	n = pread(w->streams[stream], text, (size_t)end, 0);
	*size = n > 0 ? (size_t)n : 0;
	text[*size] = '\0';
	return text;
}

/* ---- the server ---- */

/* The last line on standard error, which is most often why. */
static char *last_words(const struct worker *w)
{
	size_t size;
	char *text = worker_printed(w, WORKER_ERRORS, &size);
	char *line;

	while (size && text[size - 1] == '\n')
		text[--size] = '\0';
	line = strrchr(text, '\n');
	line = xstrdup(line ? line + 1 : text);
	free(text);
	return line;
}

int worker_no_guest(const struct worker *w, int status, struct err *err)
{
	struct ending e = ending_of(status);
	char *words = last_words(w);
	int rc = *words ? err_set(err, "cannot control %s: it %s: %s",
				  w->launch.argv[0], e.text, words) :
			  err_set(err,
				  "cannot control %s: it %s, and heddle's "
				  "library did not get in (is it set-user-id, "
				  "or does it start others?)",
				  w->launch.argv[0], e.text);

	free(words);
	return rc;
}

static int server_gone(struct worker *w, int status, struct err *err)
{
	struct ending e = ending_of(status);

	w->server = -1;
	if (!atomic_load(&w->region->guest_pid))
		return worker_no_guest(w, status, err);
	return err_set(err, "%s %s before main was reached", w->launch.argv[0],
		       e.text);
}

static void server_end(struct worker *w)
{
	if (w->server <= 0)
		return;
	kill(-w->server, SIGKILL);
	kill(w->server, SIGKILL);
	waitpid(w->server, NULL, 0);
	w->server = -1;
}

bool worker_is_stopped(const struct worker *w, uint64_t waited_ms)
{
	enum { MOMENT_MS = 200 };

	return (w->launch.stop && atomic_load(w->launch.stop)) ||
	       (waited_ms >= MOMENT_MS && interrupts_came());
}

/* What is recorded has to be taken out of the region soon, lest the program
 * waits for room. */
long worker_tick(const struct worker *w)
{
	return w->drain.writer ? 2 : 100;
}

static bool is_coming(const struct worker *w)
{
	return atomic_load(&w->control->ready) == READY_COMING;
}

enum { NEVER_READY = 1 };

/* Sleeps until the server has answered; the server may die as well, or take
 * longer than it may to get ready. */
static int await_answer(struct worker *w, uint32_t seen, struct err *err)
{
	struct timespec tick = { .tv_nsec = worker_tick(w) * 1000000 };
	struct watchdog dog = { 0 };
	uint64_t waited_ms = 0;
	int status;

	while (atomic_load(&w->control->answered) == seen) {
		if (syscall(SYS_futex, &w->control->answered, FUTEX_WAIT, seen,
			    &tick, NULL, 0) == 0 ||
		    errno != ETIMEDOUT)
			continue;
		if (w->drain.writer)
			drain_full(&w->drain);
		if (worker_is_stopped(w, waited_ms)) {
			server_end(w);
			return err_set(err, "interrupted");
		}
		/* Runs are the server's to watch, but nobody else watches
		 * it. */
		if (is_coming(w))
			watchdog_look(&dog, w->region, (uint32_t)w->server, 0,
				      &fresh_means);
		if (waitpid(w->server, &status, WNOHANG) == w->server)
			return server_gone(w, status, err);
		waited_ms += (uint64_t)worker_tick(w);
		if (is_coming(w) && w->launch.ready_ms &&
		    waited_ms > w->launch.ready_ms)
			return NEVER_READY;
	}
	return 0;
}

static void go_fresh(struct worker *w, const char *why)
{
	server_end(w);
	w->is_fresh = true;
	w->why_fresh = xstrdup(why);
}

static int server_start(struct worker *w, struct err *err)
{
	int rc;

	w->control->ask.flags = (w->launch.is_ready_idle ? CONTROL_IDLE : 0) |
				(w->launch.is_before_main ? CONTROL_MAIN : 0);
	w->server = launch_start(&w->launch, err);
	if (w->server < 0)
		return -1;
	rc = await_answer(w, 0, err);
	if (rc < 0) {
		if (!is_coming(w) || w->server > 0)
			return -1;
		/* It will in every run, and a run tells more. */
		w->is_never_ready = true;
		go_fresh(w, "it ended before it was ready");
	} else if (rc == NEVER_READY) {
		w->is_never_ready = true;
		go_fresh(w, "it takes too long to get ready");
	} else if (atomic_load(&w->control->ready) == READY_REFUSED) {
		go_fresh(w, w->control->run.outcome.text);
	}
	return 0;
}

/* ---- the worker ---- */

static int start(struct worker *w, int input, struct err *err)
{
	if (streams_open(w, input, err) < 0)
		return -1;
	w->launch.streams[0] = w->input;
	w->launch.streams[1] = w->streams[WORKER_OUTPUT];
	w->launch.streams[2] = w->streams[WORKER_ERRORS];
	if (w->launch.has_scratch) {
		if (scratch_init(&w->scratch, err) < 0)
			return -1;
		w->launch.directory = w->scratch.path;
	}
	return w->is_fresh ? 0 : server_start(w, err);
}

int worker_start(struct worker *w, const struct launch *launch, int cpu,
		 struct err *err)
{
	*w = (struct worker){ .launch = *launch,
			      .server = -1,
			      .is_fresh = launch->is_fresh,
			      .input = -1,
			      .streams = { -1, -1 } };
	if (drain_init(&w->drain, launch->is_free ? MODE_PERTURB : MODE_CONTROL,
		       launch->has_pairs ? REGION_PAIRS : 0, err) < 0)
		return -1;
	w->region = w->drain.region;
	w->control = &w->region->control;
	w->launch.region = w->drain.fd;
	w->launch.cpu = launch->is_free ? -1 : cpu;
	w->launch.is_fixed = true;
	w->launch.is_apart = true;
	if (start(w, launch->streams[0], err) < 0) {
		worker_stop(w);
		return -1;
	}
	return 0;
}

static int make_runs(struct worker *w, const struct control_ask *ask,
		     struct err *err)
{
	uint32_t seen = atomic_load(&w->control->answered);

	if (w->is_fresh)
		return fresh_run(w, ask, err);
	if (w->server < 0)
		return err_set(err, "%s is gone", w->launch.argv[0]);
	atomic_store(&w->control->result_count, 0);
	w->control->ask = *ask;
	atomic_fetch_add(&w->control->asked, 1);
	syscall(SYS_futex, &w->control->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
	return await_answer(w, seen, err);
}

int worker_runs(struct worker *w, const struct control_ask *ask,
		struct err *err)
{
	const struct control_result *r = &w->control->results[0];

	struct err ignored;
	int rc;

	racing_forget(&w->races);
	if (!(ask->flags & CONTROL_RECORD))
		return make_runs(w, ask, err);
	if (racing_begin(&w->races, &w->drain, err) < 0)
		return -1;
	rc = make_runs(w, ask, err);
	/* A run that failed in another way has its verdict. */
	if (racing_end(&w->races, &w->drain,
		       rc == 0 && r->outcome == OUTCOME_NONE && !r->wait_status,
		       rc == 0 ? err : &ignored) < 0)
		rc = -1;
	return rc;
}

int worker_record(struct worker *w, const struct control_ask *ask,
		  struct trace **trace, struct err *err)
{
	char path[40];
	int rc;

	*trace = NULL;
	racing_forget(&w->races);
	if (racing_begin(&w->races, &w->drain, err) < 0)
		return -1;
	rc = make_runs(w, ask, err);
	if (rc == 0)
		rc = drain_finish(&w->drain, err);
	if (rc == 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", w->races.fd);
		*trace = trace_open(path, err);
		rc = *trace ? 0 : -1;
	} else if (w->drain.writer) {
		trace_abandon(w->drain.writer);
		w->drain.writer = NULL;
	}
	close(w->races.fd);
	return rc;
}

void worker_stop(struct worker *w)
{
	racing_done(&w->races);
	server_end(w);
	free(w->why_fresh);
	if (w->input >= 0)
		close(w->input);
	for (int i = 0; i < WORKER_STREAMS; i++)
		if (w->streams[i] >= 0)
			close(w->streams[i]);
	scratch_done(&w->scratch);
	if (w->region)
		drain_done(&w->drain);
	*w = (struct worker){ .server = -1,
			      .input = -1,
			      .streams = { -1, -1 } };
}
