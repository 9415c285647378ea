// SPDX-License-Identifier: Apache-2.0
//
// Two threads use a variable without order, after they have left calls in another
// way than by returning: the one that is asked for. The call stacks of the report
// are right only if what was left is forgotten, and nothing else.

#include "guest_check.h"

#include <csetjmp>
#include <csignal>
#include <pthread.h>
#include <stdexcept>
#include <string>

static int shared;
static std::string way;
static pthread_barrier_t barrier;

#define NOINLINE __attribute__((noinline))

static NOINLINE void use()
{
	shared++;
}

static NOINLINE void dive(jmp_buf home, int depth)
{
	volatile int here = depth;

	if (!depth)
		longjmp(home, 1);
	dive(home, depth - 1);
	here = here + 1;
}

static NOINLINE void after_longjmp()
{
	for (volatile int i = 0; i < 100; i++) {
		jmp_buf home;

		if (!setjmp(home))
			dive(home, 10);
	}
	use();
}

static NOINLINE void raise_exception(int depth)
{
	volatile int here = depth;

	if (!depth)
		throw std::runtime_error("thrown");
	raise_exception(depth - 1);
	here = here + 1;
}

static NOINLINE void after_exception()
{
	for (int i = 0; i < 100; i++) {
		try {
			raise_exception(10);
		} catch (const std::runtime_error &) {
		}
	}
	use();
}

static __thread sigjmp_buf out;

static NOINLINE void deep_in_handler(int depth)
{
	volatile int here = depth;

	if (!depth)
		siglongjmp(out, 1);
	deep_in_handler(depth - 1);
	here = here + 1;
}

static void handle(int signal)
{
	if (signal == SIGHUP)
		use();
	else
		deep_in_handler(5);
}

static NOINLINE void after_handler(int signal)
{
	for (volatile int i = 0; i < 100; i++)
		if (!sigsetjmp(out, 1))
			raise(signal);
	use();
}

static NOINLINE void interrupted()
{
	raise(SIGHUP);
}

static void *work(void *alternate)
{
	stack_t stack = {};

	stack.ss_sp = alternate;
	stack.ss_size = 65536;
	CHECK(sigaltstack(&stack, nullptr) == 0);
	pthread_barrier_wait(&barrier);
	if (way == "longjmp")
		after_longjmp();
	else if (way == "exception")
		after_exception();
	else if (way == "handler")
		after_handler(SIGUSR1);
	else if (way == "alternate")
		after_handler(SIGUSR2);
	else
		interrupted();
	return nullptr;
}

int main(int argc, char **argv)
{
	static char stacks[2][65536];
	struct sigaction act = {};
	pthread_t threads[2];

	CHECK(argc == 2);
	way = argv[1];
	act.sa_handler = handle;
	CHECK(sigaction(SIGUSR1, &act, nullptr) == 0);
	CHECK(sigaction(SIGHUP, &act, nullptr) == 0);
	act.sa_flags = SA_ONSTACK;
	CHECK(sigaction(SIGUSR2, &act, nullptr) == 0);
	CHECK(pthread_barrier_init(&barrier, nullptr, 2) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&threads[i], nullptr, work, stacks[i]) ==
		      0);
	for (int i = 0; i < 2; i++)
		CHECK(pthread_join(threads[i], nullptr) == 0);
	return passed();
}
