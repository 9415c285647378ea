/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: holds, in every run; appends the same numbers to the file that the
 * argument names, in every run of a seed.
 *
 * The processor's counter under control, read by two threads, and by one that
 * waits for it to go on; beside the clocks, and with a handler of the program's
 * own for the fault by which it is caught. Processes that are started in between
 * read a counter too.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static unsigned long long seen[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	unsigned long long *mine = arg, before = __rdtsc();
	unsigned int processor;

	for (int i = 0; i < 10; i++) {
		unsigned long long now;

		pthread_mutex_lock(&lock);
		now = i & 1 ? __rdtscp(&processor) : __rdtsc();
		pthread_mutex_unlock(&lock);
		assert(now > before);
		before = now;
	}
	*mine = before;
	return NULL;
}

static void fault(int signal)
{
	(void)signal;
	abort();
}

/* Ten seconds, of a counter that nobody waits for. */
static void wait_long(void)
{
	unsigned long long until = __rdtsc() + 30000000000ULL;

	while (__rdtsc() < until)
		;
}

static void start(void)
{
	unsigned long long before = __rdtsc(), after;
	pid_t child = fork();
	int status;

	if (!child)
		_exit(__rdtsc() == 0);
	assert(waitpid(child, &status, 0) == child && status == 0);
	assert(system("exit 3") == 3 << 8);
	/* Virtual time has hardly gone on; real time has. */
	after = __rdtsc();
	assert(after > before && after - before < 300000);
	if (execl("/nowhere", "nowhere", NULL) == 0)
		abort();
	assert(__rdtsc() - after < 300000);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	struct timespec now;
	FILE *out;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, &seen[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	signal(SIGSEGV, fault);
	wait_long();
	start();
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (argc < 2)
		return 0;
	out = fopen(argv[1], "a");
	assert(out);
	fprintf(out, "%llu %llu %llu %ld\n", seen[0], seen[1], __rdtsc(),
		now.tv_nsec);
	fclose(out);
	return 0;
}
