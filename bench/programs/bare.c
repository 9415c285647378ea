/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run under control costs at least: forks, starts two threads, hands
 * over between them by futex and waits, all on one processor.
 *
 *	bare RUNS SWITCHES
 *
 * Prints the seconds of the processor that one run and one hand-over in a long
 * row took.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CPU = 0, ROW = 20000 };

static _Atomic uint32_t turn[2];
static int switches;

/* Of this process and those it has waited for. */
static double seconds(void)
{
	double sum = 0;

	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
		struct rusage u;

		getrusage(who, &u);
		sum += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	}
	return sum;
}

static void futex(_Atomic uint32_t *word, int what, uint32_t value)
{
	syscall(SYS_futex, word, what, value, NULL, NULL, 0);
}

static void *hand_over(void *arg)
{
	uintptr_t me = (uintptr_t)arg;

	for (int i = 0; i < switches / 2; i++) {
		while (!atomic_load(&turn[me]))
			futex(&turn[me], FUTEX_WAIT_PRIVATE, 0);
		atomic_store(&turn[me], 0);
		atomic_store(&turn[!me], 1);
		futex(&turn[!me], FUTEX_WAKE_PRIVATE, 1);
	}
	return NULL;
}

static void two_threads(void)
{
	pthread_t id[2];

	turn[0] = 1;
	turn[1] = 0;
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&id[i], NULL, hand_over, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
}

static void run(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		two_threads();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(2);
}

int main(int argc, char **argv)
{
	int runs = argc > 2 ? atoi(argv[1]) : 0;
	cpu_set_t one;
	double begin;

	if (runs < 1)
		return 2;
	CPU_ZERO(&one);
	CPU_SET(CPU, &one);
	sched_setaffinity(0, sizeof(one), &one);
	switches = atoi(argv[2]);
	begin = seconds();
	for (int i = 0; i < runs; i++)
		run();
	printf("%.9f", (seconds() - begin) / runs);
	switches = ROW;
	begin = seconds();
	two_threads();
	printf(" %.9f\n", (seconds() - begin) / ROW);
	return 0;
}
