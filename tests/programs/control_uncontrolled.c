/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that sleeps by a system call of its own until another thread wakes
 * it, as in libraries that nobody can stand in front of.
 *
 * expect: unknown, uncontrolled block; no hang
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int word, before, after;

static long futex(atomic_int *at, int operation, int value)
{
	register long none __asm__("r10") = 0;
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(SYS_futex), "D"(at), "S"(operation), "d"(value),
			   "r"(none)
			 : "rcx", "r11", "memory");
	return rc;
}

static void *sleeper(void *arg)
{
	atomic_fetch_add(&before, 1);
	while (!atomic_load(&word))
		futex(&word, FUTEX_WAIT, 0);
	atomic_fetch_add(&after, 1);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper, NULL);
	while (!atomic_load(&before))
		;
	for (int i = 0; i < 20; i++)
		atomic_fetch_add(&before, 1);
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE, 1);
	pthread_join(thread, NULL);
	return atomic_load(&after) == 1 ? 0 : 1;
}
