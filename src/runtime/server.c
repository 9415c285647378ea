/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server.h"

#include "runtime/anew.h"
#include "runtime/control.h"
#include "runtime/ending.h"
#include "runtime/parting.h"
#include "runtime/perturb.h"
#include "runtime/real.h"
#include "runtime/rebirth.h"
#include "runtime/rehearse.h"
#include "runtime/requests.h"
#include "runtime/resume.h"
#include "runtime/server_watch.h"
#include "runtime/spin.h"
#include "runtime/strangers.h"
#include "runtime/sys.h"
#include "runtime/turn.h"
#include "runtime/world.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * The fork server: the program, stopped right before main, or where it calls
 * heddle_ready. Constructors have run, libraries are loaded and bound; what a
 * run costs is a fork. A constructor that creates a thread is stopped before
 * that: from there on nothing may happen without control, and a fork has one
 * thread only. If there are others nevertheless, which nobody saw created, the
 * server refuses, and the tool starts the program afresh for each run.
 *
 * main is the last argument of libc's start, which we stand in front of. The
 * server waits for requests of the tool, forks, and watches its child: it reaps
 * it, ends it when it makes no progress, and looks after processes that the
 * program itself has forked. The child returns from here and becomes the run.
 *
 * The server's own descriptors and memory are the program's: it opens nothing
 * that stays open, and what it maps was mapped before the first fork.
 */

typedef int main_function(int, char **, char **);

static main_function *program_main;

/* ---- one run ---- */

static void run_begin(void)
{
	if (region->mode == MODE_PERTURB) {
		perturb_begin();
		return;
	}
	control_begin();
	world_begin();
}

/* The server's own. */
static long server_pid;

static void child_becomes_run(void)
{
	SYS_2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	if (SYS_0(SYS_getppid) != server_pid)
		SYS_1(SYS_exit_group, 127);
	if (!controlled)
		run_begin();
	else if (!resume_begin(self))
		SYS_1(SYS_exit_group, 127);
	anew_make();
}

static bool run_is_worth_a_look(const struct control_result *r)
{
	return r->outcome != OUTCOME_NONE || r->wait_status ||
	       control->ask.flags & CONTROL_STOP;
}

/* A run ended badly, and one rule was forced in it: that is why. */
static void count_broken(const struct control_result *r)
{
	struct force *f = &region->force;
	uint32_t count, first = force_window(f, r->seed, &count);
	struct force_tally *only = NULL;

	if (r->outcome >= OUTCOME_DIVERGED ||
	    (r->outcome == OUTCOME_NONE && !r->wait_status))
		return;
	for (uint32_t i = first; i < first + count; i++) {
		struct force_tally *t = &f->tallies[i];

		if (!t->forced || t->last != r->seed)
			continue;
		if (only)
			return;
		only = t;
	}
	if (only)
		only->broken++;
}

/* True in the run, false in the server when it is over. */
static bool run_make(uint64_t seed, struct control_result *result)
{
	struct control_run *run = &control->run;
	pid_t pid;

	run->seed = seed;
	/* By the server, which has that page already. */
	requests_begin();
	pid = real._Fork();
	if (pid == 0) {
		child_becomes_run();
		return true;
	}
	atomic_store(&run->pid, (uint32_t)pid);
	run->wait_status = pid > 0 ? server_watch(pid) : 0x7f00;
	atomic_store(&run->pid, 0);
	server_orphans(run->outcome.kind == OUTCOME_HANG);
	anew_settle();
	*result = control_result_of(run);
	count_broken(result);
	return false;
}

/* ---- requests ---- */

static void request_wait(uint32_t seen)
{
	while (atomic_load(&control->asked) == seen)
		SYS_4(SYS_futex, &control->asked, FUTEX_WAIT, seen, NULL);
}

/* True in a run. */
static bool request_serve(void)
{
	const struct control_ask *ask = &control->ask;

	atomic_store(&control->result_count, 0);
	if (region->mode == MODE_PERTURB)
		perturb_prepare();
	for (uint32_t i = 0; i < ask->runs && i < CONTROL_RESULTS; i++) {
		struct control_result *r = &control->results[i];

		if (run_make(ask->seed + i, r))
			return true;
		atomic_store(&control->result_count, i + 1);
		if (run_is_worth_a_look(r))
			break;
	}
	atomic_fetch_add(&control->answered, 1);
	SYS_3(SYS_futex, &control->answered, FUTEX_WAKE, 1);
	return false;
}

/* Returns in each run. */
static void serve(void)
{
	uint32_t seen = atomic_load(&control->asked);

	server_pid = SYS_0(SYS_getpid);
	SYS_2(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1);
	atomic_store(&control->ready, READY_SERVING);
	atomic_fetch_add(&control->answered, 1);
	SYS_3(SYS_futex, &control->answered, FUTEX_WAKE, 1);
	for (;;) {
		request_wait(seen);
		seen++;
		if (control->ask.flags & CONTROL_QUIT)
			SYS_1(SYS_exit_group, 0);
		if (request_serve())
			return;
	}
}

/* ---- where runs begin ---- */

/* The program is on its way to where it is ready: where it says so, or where
 * it listens and all its threads wait. */
static bool ready_is_awaited;

/* The tool starts each run afresh then, and says why. */
static void refuse(const char *why)
{
	control_text(why);
	atomic_store(&control->ready, READY_REFUSED);
	atomic_fetch_add(&control->answered, 1);
	SYS_3(SYS_futex, &control->answered, FUTEX_WAKE, 1);
}

_Noreturn static void refuse_and_wait(const char *why)
{
	refuse(why);
	for (;;)
		SYS_0(SYS_pause);
}

static const char early_text[] = "it has threads before main";

/* What the tool asked of a run that is not forked. */
static struct control_ask asked;

/* Under control, on no schedule in particular: who has the turn keeps it as
 * long as it can. */
static void ready_await(void)
{
	asked = control->ask;
	control->ask.strategy = STRATEGY_FOLLOW;
	control->ask.plan_count = 0;
	control->ask.points_most = UINT64_MAX;
	control->ask.flags &=
		~(uint32_t)(CONTROL_LEARN | CONTROL_RECORD | CONTROL_VALUES);
	control->run.seed = asked.seed;
	ready_is_awaited = true;
	rebirth_expected = !(asked.flags & CONTROL_EXEC);
	control_begin();
}

static void server_await(void)
{
	/* What is perturbed is not under control on its way either. */
	if (region->mode == MODE_PERTURB) {
		ready_is_awaited = true;
		return;
	}
	if (!strangers_are_none())
		refuse_and_wait(early_text);
	rehearse();
	atomic_store(&control->ready, READY_COMING);
	ready_await();
}

/* Returns in each run. */
static void ready(struct thread *t)
{
	const char *why;

	ready_is_awaited = false;
	if (asked.flags & CONTROL_EXEC) {
		control->ask = asked;
		resume_here();
		return;
	}
	why = anew_note();
	if (!why)
		why = resume_prepare(t);
	if (why)
		refuse_and_wait(why);
	serve();
}

/* Returns in each run. */
static void ready_free(void)
{
	ready_is_awaited = false;
	if (!strangers_are_none())
		refuse_and_wait("it has threads where it is ready");
	anew_note();
	serve();
}

void server_ready(void)
{
	struct thread *t = guest_self();

	if (region->mode == MODE_PERTURB && ready_is_awaited)
		ready_free();
	if (!t || !controlled)
		return;
	guest_enter(t);
	if (ready_is_awaited)
		ready(t);
	guest_leave(t);
}

void server_idle(void)
{
	if (ready_is_awaited && asked.flags & CONTROL_IDLE && self &&
	    anew_listens())
		ready(self);
}

__attribute__((destructor)) void server_end(void)
{
	if (ready_is_awaited && !(asked.flags & CONTROL_EXEC))
		refuse("it ended before it was ready");
}

static bool ready_is_wanted(void)
{
	return (module_wants_ready || control->ask.flags & CONTROL_IDLE) &&
	       !(control->ask.flags & CONTROL_MAIN);
}

/* The process itself is the run. */
static void run_here(void)
{
	bool others = !strangers_are_none();

	if (!others && region->mode != MODE_PERTURB)
		rehearse();
	control->run.seed = control->ask.seed;
	requests_begin();
	if (region->mode == MODE_PERTURB && !others)
		perturb_prepare();
	if (ready_is_wanted() && region->mode != MODE_PERTURB)
		ready_await();
	else
		run_begin();
	if (!others || !controlled)
		return;
	strangers_expect();
	control->run.has_strangers = true;
	guest_note("threads were running before main, started by a "
		   "constructor; they are not controlled before they "
		   "come to a point");
}

static bool has_begun;

/* What lies above `top` on the main stack does not change. Returns in each
 * run. */
static void begin(uintptr_t top)
{
	has_begun = true;
	spin_begin(top);
	ending_prepare();
	control_prepare();
	if (control->ask.flags & CONTROL_EXEC)
		run_here();
	else if (ready_is_wanted())
		server_await();
	else if (strangers_are_none()) {
		rehearse();
		anew_note();
		serve();
	} else {
		refuse_and_wait(early_text);
	}
}

/* A process that was forked before is not the one that is tested. */
static bool is_the_one(void)
{
	return atomic_load(&region->guest_pid) == (uint32_t)SYS_0(SYS_getpid);
}

void server_before_thread(void)
{
	guest_init();
	if (likely(has_begun || !control) || !is_the_one() ||
	    !strangers_are_none())
		return;
	begin(getauxval(AT_EXECFN));
}

static int start_main(int argc, char **argv, char **env)
{
	uintptr_t top = (uintptr_t)__builtin_frame_address(0);
	int status;

	if (has_begun)
		spin_begin(top);
	else
		begin(top);
	status = program_main(argc, argv, env);
	if (controlled)
		ending_tell_exit(status, 0);
	return status;
}

EXPORT int __libc_start_main(main_function *main, int argc, char **argv,
			     void (*init)(void), void (*fini)(void),
			     void (*rtld_fini)(void), void *stack_end);
EXPORT int __libc_start_main(main_function *main, int argc, char **argv,
			     void (*init)(void), void (*fini)(void),
			     void (*rtld_fini)(void), void *stack_end)
{
	guest_init();
	program_main = main;
	if (!control)
		return real.__libc_start_main(main, argc, argv, init, fini,
					      rtld_fini, stack_end);
	return real.__libc_start_main(start_main, argc, argv, init, fini,
				      parting_instead(rtld_fini), stack_end);
}
