/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers on an alternate stack: of a program that wrote where it must not,
 * and of one that ran out of stack. Both jump back and go on.
 */
#include "guest_check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS = 500, ALTERNATE = 64 * 1024 };

static __thread sigjmp_buf out;
static __thread char *alternate;
static volatile char *forbidden;

static void handle(int signal, siginfo_t *info, void *machine)
{
	char here;

	CHECK(machine && info->si_signo == signal);
	CHECK(&here >= alternate && &here < alternate + ALTERNATE);
	siglongjmp(out, signal);
}

static __attribute__((noinline)) int overflow(int n)
{
	volatile char frame[4096];

	frame[n % 4096] = (char)n;
	return overflow(n + 1) + frame[n % 4096];
}

static void *fault(void *unused)
{
	stack_t stack = { .ss_size = ALTERNATE };

	alternate = malloc(ALTERNATE);
	stack.ss_sp = alternate;
	CHECK(sigaltstack(&stack, NULL) == 0);
	for (volatile int i = 0; i < ROUNDS; i++) {
		int got = sigsetjmp(out, 1);

		if (!got)
			*forbidden = 1;
		CHECK(got == SIGSEGV);
	}
	for (volatile int i = 0; i < 3; i++) {
		int got = sigsetjmp(out, 1);

		if (!got)
			overflow(0);
		CHECK(got == SIGSEGV);
	}
	stack.ss_flags = SS_DISABLE;
	CHECK(sigaltstack(&stack, NULL) == 0);
	free(alternate);
	return unused;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = handle,
				 .sa_flags = SA_SIGINFO | SA_ONSTACK };
	pthread_attr_t attr;
	pthread_t thread;

	forbidden =
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(forbidden != MAP_FAILED);
	CHECK(sigaction(SIGSEGV, &act, NULL) == 0);
	fault(NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	CHECK(pthread_create(&thread, &attr, fault, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	return passed();
}
