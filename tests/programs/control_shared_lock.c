/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mutex and a counter in memory that is shared with a child process; two
 * threads and the child add to it.
 *
 * expect: held: a lock that was modelled in one process only would lose some
 */
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 6 };

static struct shared {
	pthread_mutex_t mutex;
	int count;
} * shared;

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		int seen;

		pthread_mutex_lock(&shared->mutex);
		seen = shared->count;
		usleep(10);
		shared->count = seen + 1;
		pthread_mutex_unlock(&shared->mutex);
	}
	return arg;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t threads[2];
	pid_t child;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(shared != MAP_FAILED);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &attr);
	child = fork();
	if (child == 0) {
		work(NULL);
		_exit(0);
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(waitpid(child, NULL, 0) == child);
	assert(shared->count == 3 * ROUNDS);
	return 0;
}
