/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/hang.h"

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

static void hang_tell(int signal, siginfo_t *info, void *at)
{
	const ucontext_t *context = at;
	struct thread *t = self;
	uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	if (!t || !t->alive || !is_from_server(info))
		return;
	control_fail(t, OUTCOME_HANG,
		     info->si_value.sival_int ? "loop without points" :
						"a call that nobody ends",
		     t->inside ? control->threads[t->number].pc : pc);
}

void hang_begin(void)
{
	struct sigaction action = { .sa_sigaction = hang_tell,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	real.sigaction(HANG_SIGNAL, &action, NULL);
}

/* ---- in the server ---- */

static char *number_put(char *to, unsigned long n)
{
	char digits[24];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + n % 10);
	while (n /= 10);
	while (count)
		*to++ = digits[--count];
	return to;
}

static char *text_put(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = '\0';
	return to;
}

/* Does it run, or sleep in the kernel? The state stands behind the name, which
 * is in parentheses. */
static bool is_running(long pid, uint32_t tid)
{
	char path[64], text[256];
	char *end = number_put(text_put(path, "/proc/"), (unsigned long)pid);
	long fd, got;

	end = number_put(text_put(end, "/task/"), tid);
	text_put(end, "/stat");
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
