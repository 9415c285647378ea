/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child process answers through pipes while threads go on: when its answers
 * come is not up to the program, but a plan brings them back where they were.
 *
 * expect: held; every schedule can be followed
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static int there[2], back[2];
static atomic_int others;

static void *work(void *arg)
{
	for (int i = 0; i < 20; i++)
		atomic_fetch_add(&others, 1);
	return arg;
}

static void *ask(void *arg)
{
	char c;

	for (int i = 0; i < 5; i++) {
		assert(write(there[1], "q", 1) == 1);
		assert(read(back[0], &c, 1) == 1);
		atomic_fetch_add(&others, 1);
	}
	close(there[1]);
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	pid_t child;
	char c;

	assert(pipe(there) == 0 && pipe(back) == 0);
	child = fork();
	if (child == 0) {
		close(there[1]);
		while (read(there[0], &c, 1) == 1)
			assert(write(back[1], "a", 1) == 1);
		_exit(0);
	}
	pthread_create(&threads[0], NULL, work, NULL);
	pthread_create(&threads[1], NULL, ask, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(wait(NULL) == child);
	assert(others == 25);
	return 0;
}
