/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/watchdog.h"

/* What the guest finds in the region is that of a first run. `sites` stays:
 * it is what runs have learned. */
static void region_clear(struct worker *w, const struct control_ask *ask)
{
	struct region *r = w->region;

	atomic_store(&r->guest_pid, 0);
	atomic_store(&r->closed, 0);
	atomic_store(&r->thread_count, 0);
	atomic_store(&r->module_count, 0);
	atomic_store(&r->stack_count, 0);
	atomic_store(&r->note_count, 0);
	memset(&w->control->run, 0, sizeof(w->control->run));
	w->control->run.seed = ask->seed;
	atomic_store(&w->control->result_count, 0);
	w->control->ask = *ask;
	w->control->ask.runs = 1;
	w->control->ask.flags |= CONTROL_EXEC;
	if (w->launch.is_ready_idle)
		w->control->ask.flags |= CONTROL_IDLE;
	if (w->is_never_ready || w->launch.is_before_main)
		w->control->ask.flags |= CONTROL_MAIN;
	for (int i = 0; i < WORKER_STREAMS; i++)
		lseek(w->streams[i], 0, SEEK_SET);
	lseek(w->input, 0, SEEK_SET);
}

static void run_end(struct worker *w, pid_t pid, enum outcome_kind kind)
{
	struct outcome *o = &w->control->run.outcome;

	if (o->kind == OUTCOME_NONE) {
		o->kind = kind;
		o->thread = w->control->run.holder;
		o->point = w->control->run.points;
	}
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
}

static long file_read(const char *path, char *room, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, room, size);

	if (fd >= 0)
		close(fd);
	return n;
}

static void thread_kick(uint32_t pid, uint32_t tid, int signal)
{
	syscall(SYS_tgkill, pid, tid, signal);
}

const struct watchdog_means fresh_means = { .read = file_read,
					    .kick = thread_kick };

/* It stands still until the tool, which plays the world, has answered. */
static bool waits_for_tool(const struct worker *w)
{
	return atomic_load(&w->control->is_played) &&
	       atomic_load(&w->control->run.napping);
}

/* Waits for the run, as long as it makes progress. */
static int run_watch(struct worker *w, pid_t pid, const struct control_ask *ask,
		     bool *is_stopped)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), status = 0;
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	struct watchdog dog = { 0 };
	struct watchdog_stuck stuck = { 0 };
	uint64_t seen = 0, quiet = 0, waited = 0;
	int tick = (int)worker_tick(w);

	while (fd >= 0 && poll(&wanted, 1, tick) == 0) {
		uint64_t points = w->control->run.points;

		if (w->drain.writer)
			drain_full(&w->drain);
		quiet = points == seen && !waits_for_tool(w) ?
				quiet + (uint64_t)tick :
				0;
		seen = points;
		waited += (uint64_t)tick;
		if (worker_is_stopped(w, waited)) {
			*is_stopped = true;
			run_end(w, pid, OUTCOME_KILLED);
			break;
		}
		if (ask->hang_ms && quiet >= ask->hang_ms) {
			run_end(w, pid, OUTCOME_HANG);
			break;
		}
		if (watchdog_is_fat((uint32_t)pid, ask->memory_most,
				    &fresh_means)) {
			run_end(w, pid, OUTCOME_LIMIT);
			snprintf(w->control->run.outcome.text, CONTROL_TEXT,
				 "%s", WATCHDOG_FAT);
			break;
		}
		if (w->region->mode == MODE_PERTURB) {
			if (!watchdog_is_stuck(&stuck, (uint32_t)pid, w->region,
					       &fresh_means))
				continue;
			run_end(w, pid, OUTCOME_DEADLOCK);
			break;
		}
		if (!(ask->flags & CONTROL_DEBUG))
			watchdog_look(&dog, w->region, (uint32_t)pid, quiet,
				      &fresh_means);
	}
	if (fd >= 0)
		close(fd);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* Processes that it has forked are its own group's. */
	kill(-pid, SIGKILL);
	watchdog_settle(&w->control->run, status);
	return status;
}

int fresh_run(struct worker *w, const struct control_ask *ask, struct err *err)
{
	struct control_run *run = &w->control->run;
	bool is_stopped = false;
	pid_t pid;

	region_clear(w, ask);
	if (w->scratch.base && scratch_fill(&w->scratch, w->launch.inputs,
					    w->launch.input_count, err) < 0)
		return -1;
	pid = launch_start(&w->launch, err);
	if (pid < 0)
		return -1;
	run->wait_status = run_watch(w, pid, ask, &is_stopped);
	if (!atomic_load(&w->region->guest_pid))
		return worker_no_guest(w, run->wait_status, err);
	if (is_stopped && run->outcome.kind == OUTCOME_KILLED)
		return err_set(err, "interrupted");
	w->control->results[0] = control_result_of(run);
	atomic_store(&w->control->result_count, 1);
	return 0;
}
