/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real-time signals come in the order they were sent, none is lost and none
 * comes twice, even when they strike while an event is being recorded; each
 * with its value, on the stack it should be on. Others, which do not queue, come
 * in between.
 *
 * count: 2 thread-create
 */
#include "guest_check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { SIGNALS = 3000, ALTERNATE = 64 * 1024 };

static pthread_t receiver;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int next, others;
static atomic_long steps;
static char text[64], alternate[ALTERNATE];
static bool on_alternate;

static void handle(int signal, siginfo_t *info, void *machine)
{
	char here;
	bool is_there = &here >= alternate && &here < alternate + ALTERNATE;

	CHECK(signal == SIGRTMIN + 2 && machine);
	CHECK(is_there == on_alternate);
	CHECK(info->si_code == SI_QUEUE);
	CHECK(info->si_value.sival_int == next);
	next++;
}

static void handle_other(int signal)
{
	CHECK(signal == SIGUSR1);
	others++;
}

static void *send(void *unused)
{
	for (int i = 0; i < SIGNALS; i++) {
		union sigval value = { .sival_int = i };
		int rc;

		do
			rc = pthread_sigqueue(receiver, SIGRTMIN + 2, value);
		while (rc == EAGAIN && sched_yield() == 0);
		CHECK(rc == 0);
		if (i % 8 == 0)
			CHECK(pthread_kill(receiver, SIGUSR1) == 0);
	}
	return unused;
}

static void receive(int flags)
{
	struct sigaction act = { .sa_sigaction = handle,
				 .sa_flags = SA_SIGINFO | flags };
	pthread_t sender;

	on_alternate = flags & SA_ONSTACK;
	next = others = 0;
	CHECK(sigaction(SIGRTMIN + 2, &act, NULL) == 0);
	CHECK(pthread_create(&sender, NULL, send, NULL) == 0);
	while (next < SIGNALS) {
		pthread_mutex_lock(&mutex);
		steps++;
		pthread_mutex_unlock(&mutex);
		strcpy(text, "something to write");
	}
	CHECK(pthread_join(sender, NULL) == 0);
	CHECK(next == SIGNALS && others > 0);
}

int main(void)
{
	stack_t stack = { .ss_sp = alternate, .ss_size = ALTERNATE };

	receiver = pthread_self();
	CHECK(sigaltstack(&stack, NULL) == 0);
	CHECK(signal(SIGUSR1, handle_other) == SIG_DFL);
	receive(0);
	receive(SA_ONSTACK);
	return passed();
}
