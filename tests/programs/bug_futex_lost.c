/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock built of a futex that forgets that somebody waits.
 * expect: deadlock
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0: free, 1: taken, 2: taken and somebody waits. */
static _Atomic uint32_t word;
static int count;

static void take(void)
{
	uint32_t state = 0;

	while (!atomic_compare_exchange_strong(&word, &state, 1)) {
		if (state == 1)
			atomic_compare_exchange_strong(&word, &state, 2);
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
#ifdef FIXED
		/* Perhaps not the only one who waits. */
		while (atomic_exchange(&word, 2))
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL,
				NULL, 0);
		return;
#endif
		state = 0;
	}
}

static void give(void)
{
	if (atomic_exchange(&word, 0) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *add(void *unused)
{
	take();
	count++;
	give();
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
