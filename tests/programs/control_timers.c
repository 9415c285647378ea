/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds under every schedule, and takes no real time
 *
 * alarm, setitimer and timer_create on virtual time, with one thread and with
 * two; timers interrupt sleeping, come again, and can be stopped.
 */
#include "guest_check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int alarms, ticks, values;

static void handle_alarm(int signal)
{
	(void)signal;
	alarms++;
}

static void handle_tick(int signal, siginfo_t *info, void *unused)
{
	(void)signal;
	(void)unused;
	if (info->si_code == SI_TIMER)
		values += info->si_value.sival_int;
	ticks++;
}

static void alone(void)
{
	const struct itimerval often = { { 60, 0 }, { 60, 0 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	alarm(3600);
	CHECK(alarm(3600) > 3590);
	CHECK(pause() == -1 && errno == EINTR);
	CHECK(alarms == 1);
	CHECK(alarm(0) == 0);
	setitimer(ITIMER_REAL, &often, NULL);
	while (alarms < 4)
		CHECK(pause() == -1);
	setitimer(ITIMER_REAL, &never, NULL);
	/* A loop that waits for a handler without any call. */
	alarm(100);
	while (alarms < 5)
		;
}

static void *sleep_on(void *unused)
{
	(void)unused;
	while (ticks < 3)
		sleep(1000);
	return NULL;
}

int main(void)
{
	struct sigaction act = { .sa_handler = handle_alarm };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGRTMIN + 1 };
	const struct itimerspec often = { { 1, 0 }, { 5, 0 } };
	struct itimerspec left;
	pthread_t thread;
	timer_t timer;

	sigaction(SIGALRM, &act, NULL);
	act = (struct sigaction){ .sa_flags = SA_SIGINFO };
	act.sa_sigaction = handle_tick;
	sigaction(SIGRTMIN + 1, &act, NULL);
	alone();
	event.sigev_value.sival_int = 7;
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	pthread_create(&thread, NULL, sleep_on, NULL);
	CHECK(timer_settime(timer, 0, &often, NULL) == 0);
	pthread_join(thread, NULL);
	CHECK(timer_gettime(timer, &left) == 0);
	CHECK(left.it_interval.tv_sec == 1);
	CHECK(timer_delete(timer) == 0);
	CHECK(values == 7 * ticks);
	return 0;
}
