/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/hang.h"

#include "format/put.h"
#include "runtime/blocking_away.h"
#include "runtime/place.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#include <fcntl.h>
#include <signal.h>
#include <ucontext.h>

/* The last one of all, which hardly any program uses. The library's name for
 * it is a call. */
enum { HANG_SIGNAL = 64 };

static bool is_from_server(const siginfo_t *info)
{
	return info->si_code == SI_QUEUE && info->si_pid == SYS_0(SYS_getppid);
}

/* Threads of libraries that nobody instrumented have no call of the program on
 * their stacks. What is inside the guest is on its way to a point, or in a call
 * that the watchdog knows. */
static void deaf_look(struct thread *t, uintptr_t pc)
{
	uint32_t asked = t->number + 1;

	if (!controlled ||
	    !atomic_compare_exchange_strong(&control->run.deaf, &asked, 0))
		return;
	if (!t->inside && t->top == t->base)
		away_run(t, pc);
}

static void hang_tell(int signal, siginfo_t *info, void *at)
{
	const ucontext_t *context = at;
	struct thread *t = self;
	uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];

	(void)signal;
	if (!t || !t->alive)
		return;
	if (!is_from_server(info)) {
		deaf_look(t, pc);
		return;
	}
	t->inside++;
	control_fail(t, OUTCOME_HANG,
		     info->si_value.sival_int ? "loop without points" :
						"a call that nobody ends",
		     place_of(t, pc, sp));
}

void hang_begin(void)
{
	struct sigaction action = { .sa_sigaction = hang_tell,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK |
						SA_RESTART };

	real.sigaction(HANG_SIGNAL, &action, NULL);
}

/* ---- in the server ---- */

/* Does it run, or sleep in the kernel? The state stands behind the name, which
 * is in parentheses. */
static bool is_running(long pid, uint32_t tid)
{
	char path[64], text[256];
	char *end = put_number(put_text(path, "/proc/"), (unsigned long)pid);
	long fd, got;

	end = put_number(put_text(end, "/task/"), tid);
	put_text(end, "/stat");
	fd = SYS_3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	got = SYS_3(SYS_read, fd, text, sizeof(text));
	SYS_1(SYS_close, fd);
	for (long i = got - 1; i > 1; i--)
		if (text[i - 2] == ')')
			return text[i] == 'R';
	return false;
}

void hang_ask(long pid)
{
	uint32_t holder = control->run.holder;
	siginfo_t info = { .si_signo = HANG_SIGNAL, .si_code = SI_QUEUE };
	uint32_t tid;

	if (holder >= control->run.thread_count)
		return;
	tid = region->threads[holder].kernel_tid;
	info.si_pid = (pid_t)SYS_0(SYS_getpid);
	info.si_value.sival_int = is_running(pid, tid);
	SYS_4(SYS_rt_tgsigqueueinfo, pid, tid, HANG_SIGNAL, &info);
}
