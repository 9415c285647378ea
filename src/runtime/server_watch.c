/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server_watch.h"

#include "format/watchdog.h"
#include "runtime/control.h"
#include "runtime/hang.h"
#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

enum {
	TICK_MS = 50,	  /* between two looks at a run that takes long */
	ORPHANS_MS = 500, /* for processes that have outlived their run */
};

#define RUN_FAT UINT64_MAX
#define RUN_STUCK (UINT64_MAX - 1)

/* ---- the run ---- */

static long file_read(const char *path, char *room, size_t size)
{
	long fd = SYS_3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
	long n, sum = 0;

	if (fd < 0)
		return fd;
	while ((size_t)sum < size &&
	       (n = SYS_3(SYS_read, fd, room + sum, size - (size_t)sum)) > 0)
		sum += n;
	SYS_1(SYS_close, fd);
	return sum;
}

static void thread_kick(uint32_t pid, uint32_t tid, int signal)
{
	SYS_3(SYS_tgkill, pid, tid, signal);
}

static const struct watchdog_means means = { .read = file_read,
					     .kick = thread_kick };

static bool is_over(long pid, int *status)
{
	return SYS_4(SYS_wait4, pid, status, WNOHANG, NULL) == pid;
}

static void run_kill(long pid, int *status, enum outcome_kind kind,
		     const char *text)
{
	struct outcome *o = control_outcome();

	if (o->kind == OUTCOME_NONE) {
		o->kind = kind;
		control_text(text);
		o->thread = control->run.holder;
		o->point = control->run.points;
	}
	SYS_2(SYS_kill, pid, SIGKILL);
	SYS_4(SYS_wait4, pid, status, 0, NULL);
}

/* It stands still until the tool, which plays the world, has answered. */
static bool waits_for_tool(void)
{
	return atomic_load(&control->is_played) &&
	       atomic_load(&control->run.napping);
}

/* Milliseconds for which nothing happened when the run was over, or when there
 * was no hope left; or RUN_FAT. */
static uint64_t run_sleep(long pid, long fd)
{
	struct pollfd wanted = { .fd = (int)fd, .events = POLLIN };
	struct watchdog dog = { 0 };
	struct watchdog_stuck stuck = { 0 };
	uint64_t seen = 0, quiet = 0;

	while (SYS_3(SYS_poll, &wanted, 1, TICK_MS) == 0) {
		uint64_t points = control->run.points;

		quiet = points == seen && !waits_for_tool() ? quiet + TICK_MS :
							      0;
		seen = points;
		if (control->ask.hang_ms && quiet >= control->ask.hang_ms)
			break;
		if (watchdog_is_fat((uint32_t)pid, control->ask.memory_most,
				    &means))
			return RUN_FAT;
		if (region->mode == MODE_PERTURB) {
			if (watchdog_is_stuck(&stuck, (uint32_t)pid, region,
					      &means))
				return RUN_STUCK;
		} else if (!(control->ask.flags & CONTROL_DEBUG)) {
			watchdog_look(&dog, region, (uint32_t)pid, quiet,
				      &means);
		}
	}
	return quiet;
}

/* The run gets a second to say where it hangs. */
static bool hang_tells(long pid, int *status)
{
	enum { ANSWER_MS = 1000 };

	hang_ask(pid);
	for (int ms = 0; ms < ANSWER_MS; ms += 10) {
		if (is_over(pid, status))
			return true;
		SYS_3(SYS_poll, NULL, 0, 10);
	}
	return false;
}

int server_watch(long pid)
{
	long fd = SYS_2(SYS_pidfd_open, pid, 0);
	int status = 0;
	uint64_t quiet;

	if (fd < 0) {
		SYS_4(SYS_wait4, pid, &status, 0, NULL);
		return status;
	}
	quiet = run_sleep(pid, fd);
	SYS_1(SYS_close, fd);
	if (!is_over(pid, &status)) {
		if (quiet == RUN_FAT)
			run_kill(pid, &status, OUTCOME_LIMIT, WATCHDOG_FAT);
		else if (quiet == RUN_STUCK)
			run_kill(pid, &status, OUTCOME_DEADLOCK, "");
		else if (quiet && region->mode == MODE_CONTROL &&
			 hang_tells(pid, &status))
			;
		else if (quiet)
			run_kill(pid, &status, OUTCOME_HANG, "");
		else
			SYS_4(SYS_wait4, pid, &status, 0, NULL);
	}
	watchdog_settle(&control->run, status);
	return status;
}

/* ---- processes of the program ---- */

/* Reaps those that have ended. False: there is none left at all. */
static bool orphans_reap(void)
{
	int status;
	long pid;

	do
		pid = SYS_4(SYS_wait4, -1, &status, WNOHANG, NULL);
	while (pid > 0);
	return pid != -ECHILD;
}

/* The kernel lists our children: orphans come to us, whoever their parent
 * was. */
static bool orphans_kill(void)
{
	char text[4096];
	long n =
		file_read("/proc/thread-self/children", text, sizeof(text) - 1);
	long pid = 0;
	bool any = false;

	text[n > 0 ? n : 0] = '\0';
	for (const char *p = text; *p; p++) {
		if (*p >= '0' && *p <= '9') {
			pid = pid * 10 + (*p - '0');
			continue;
		}
		if (pid > 1 && SYS_2(SYS_kill, pid, SIGKILL) == 0)
			any = true;
		pid = 0;
	}
	return any;
}

static void orphans_end(void)
{
	int status;

	while (orphans_reap() && orphans_kill())
		SYS_4(SYS_wait4, -1, &status, 0, NULL);
}

void server_orphans(bool at_once)
{
	for (int ms = 0; !at_once && ms < ORPHANS_MS; ms++) {
		if (!orphans_reap())
			return;
		SYS_3(SYS_poll, NULL, 0, 1);
	}
	orphans_end();
}
