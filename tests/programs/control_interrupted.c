/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals interrupt calls that wait: without SA_RESTART read ends with EINTR,
 * with it read goes on; poll always ends. A thread that is cancelled leaves its
 * call.
 *
 * expect: held, without waiting for any real time
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static int fds[2], never[2];
static int rings;

static void ring(int signal)
{
	(void)signal;
	rings++;
}

/* It rings again and again: the first may come too early. */
static void on_alarm(int flags)
{
	struct sigaction action = { .sa_handler = ring, .sa_flags = flags };

	sigaction(SIGALRM, &action, NULL);
}

static void *write_later(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	sleep(7200);
	assert(write(fds[1], "x", 1) == 1);
	return arg;
}

static void *wait_for_ever(void *arg)
{
	sigset_t all;
	char c;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	(void)!read(never[0], &c, 1);
	return arg;
}

int main(void)
{
	struct itimerval hourly = { { 3600, 0 }, { 3600, 0 } };
	struct pollfd one = { .events = POLLIN };
	pthread_t thread, other;
	void *result;
	char c;

	assert(pipe(fds) == 0 && pipe(never) == 0);
	on_alarm(0);
	assert(setitimer(ITIMER_REAL, &hourly, NULL) == 0);
	one.fd = never[0];
	pthread_create(&other, NULL, wait_for_ever, NULL);
	assert(read(never[0], &c, 1) == -1 && errno == EINTR);
	on_alarm(SA_RESTART);
	assert(poll(&one, 1, -1) == -1 && errno == EINTR);
	pthread_create(&thread, NULL, write_later, NULL);
	assert(read(fds[0], &c, 1) == 1 && c == 'x');
	assert(rings >= 2);
	pthread_join(thread, NULL);
	pthread_cancel(other);
	pthread_join(other, &result);
	assert(result == PTHREAD_CANCELED);
	return 0;
}
