/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/interrupts.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "base/err.h"

static int depth;
static sigset_t before;	 /* of the outermost */
static atomic_int taken; /* since then */

/* By nohup, which wants it to go on. */
static bool is_hangup_ignored(void)
{
	struct sigaction now;

	return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void interrupts_fill(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGQUIT);
	if (!is_hangup_ignored())
		sigaddset(set, SIGHUP);
}

void interrupts_hold(void)
{
	sigset_t set;

	if (depth++)
		return;
	atomic_store(&taken, 0);
	interrupts_fill(&set);
	pthread_sigmask(SIG_BLOCK, &set, &before);
}

/* What came too late for any part has been told of by interrupts_came, or came
 * after the last word; it must not end the tool now. */
void interrupts_release(void)
{
	const struct timespec now = { 0 };
	sigset_t set;

	CHECK(depth > 0);
	if (--depth)
		return;
	interrupts_fill(&set);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void interrupts_program_mask(sigset_t *mask)
{
	if (depth)
		*mask = before;
	else
		pthread_sigmask(SIG_BLOCK, NULL, mask);
}

void interrupts_tell(int signal)
{
	atomic_store(&taken, signal);
}

int interrupts_came(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t pending;

	if (!depth)
		return 0;
	if (atomic_load(&taken))
		return atomic_load(&taken);
	sigpending(&pending);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (sigismember(&pending, all[i]))
			return all[i];
	return 0;
}
