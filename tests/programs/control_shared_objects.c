/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that processes share: exclusion holds across them, and nobody in the
 * parent is thought to wait for ever because a child has to let go.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20 };

struct shared {
	pthread_mutex_t mutex;
	sem_t sem;
	int count;
};

static struct shared *shared;

static void add(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		int seen;

		assert(pthread_mutex_lock(&shared->mutex) == 0);
		seen = shared->count;
		shared->count = seen + 1;
		assert(pthread_mutex_unlock(&shared->mutex) == 0);
	}
}

static void *add_in_thread(void *unused)
{
	add();
	return unused;
}

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_t threads[2];
	int status;
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(shared != MAP_FAILED);
	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) ==
	       0);
	assert(pthread_mutex_init(&shared->mutex, &attr) == 0);
	assert(sem_init(&shared->sem, 1, 0) == 0);
	pid = fork();
	assert(pid >= 0);
	if (pid == 0) {
		add();
		sem_post(&shared->sem);
		_exit(0);
	}
	for (int i = 0; i < 2; i++)
		assert(!pthread_create(&threads[i], NULL, add_in_thread, NULL));
	assert(sem_wait(&shared->sem) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	assert(waitpid(pid, &status, 0) == pid && status == 0);
	assert(shared->count == 3 * ROUNDS);
	return 0;
}
