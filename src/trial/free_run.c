/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/free_run.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "trial/interrupts.h"
#include "trial/watch.h"

void free_runs_init(struct free_runs *f, const struct launch *launch,
		    uint64_t time_limit, uint32_t flags)
{
	*f = (struct free_runs){ .launch = *launch,
				 .time_limit = time_limit,
				 .flags = flags,
				 .output = -1 };
	f->launch.is_fixed = false;
	f->launch.is_apart = true;
	f->launch.cpu = -1;
}

void free_runs_done(struct free_runs *f)
{
	if (f->has_region)
		drain_done(&f->drain);
	if (f->output >= 0)
		close(f->output);
	f->has_region = false;
	f->output = -1;
}

/* A region for each run: what an earlier one left must not be taken for this
 * one's, however it ended. */
static int renew(struct free_runs *f, struct err *err)
{
	free_runs_done(f);
	if (drain_init(&f->drain, MODE_OBSERVE, REGION_PAIRS, err) < 0)
		return -1;
	f->has_region = true;
	f->output = memfd_create("heddle-output", MFD_CLOEXEC);
	if (f->output < 0)
		return err_set(err, "cannot make a memory file: %s",
			       strerror(errno));
	if (f->launch.streams[0] >= 0)
		lseek(f->launch.streams[0], 0, SEEK_SET);
	f->launch.region = f->drain.fd;
	f->launch.streams[1] = f->output;
	f->launch.streams[2] = f->output;
	return 0;
}

static int run(struct free_runs *f, struct err *err)
{
	struct watch w = { .time_limit = f->time_limit,
			   .bell = &f->drain.region->full_slots };

	w.child = launch_start(&f->launch, err);
	if (w.child < 0)
		return -1;
	if (watch_begin(&w, err) < 0) {
		kill(w.child, SIGKILL);
		waitpid(w.child, NULL, 0);
		return -1;
	}
	while (!atomic_load_explicit(&w.over, memory_order_acquire))
		drain_wait(&f->drain, atomic_load(w.bell));
	watch_end(&w);
	f->wait_status = w.wait_status;
	f->timed_out = w.timed_out;
	f->stopped_by = w.stopped_by;
	return 0;
}

int free_run(struct free_runs *f, uint32_t delay_us, uint64_t seed,
	     struct err *err)
{
	struct pair_block *pairs;
	sigset_t set, before;
	int rc;

	if (renew(f, err) < 0)
		return -1;
	pairs = &f->drain.region->pairs;
	pairs->flags = f->flags | (delay_us ? PAIRS_DELAY : 0);
	pairs->delay_us = delay_us;
	pairs->seed = seed;
	if (f->loops)
		code_loops_fill(f->loops, pairs);
	watch_signals(&set);
	interrupts_program_mask(&f->launch.mask);
	sigprocmask(SIG_BLOCK, &set, &before);
	rc = run(f, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

char *free_run_printed(const struct free_runs *f, size_t *size)
{
	off_t end = lseek(f->output, 0, SEEK_END);
	char *text;
	ssize_t n;

	if (end < 0)
		end = 0;
	text = xmalloc((size_t)end + 1);
	n = pread(f->output, text, (size_t)end, 0);
	*size = n > 0 ? (size_t)n : 0;
	text[*size] = '\0';
	return text;
}
