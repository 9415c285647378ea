/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphores under control: never below 0, every post lets one through, those
 * with a time give up, named ones as well.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 3 };

static sem_t room, done;
static atomic_int inside, most;

static void *enter(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		assert(sem_wait(&room) == 0);
		int now = atomic_fetch_add(&inside, 1) + 1;

		assert(now <= 2);
		if (now > atomic_load(&most))
			atomic_store(&most, now);
		atomic_fetch_sub(&inside, 1);
		assert(sem_post(&room) == 0);
	}
	assert(sem_post(&done) == 0);
	return unused;
}

static void limited(void)
{
	pthread_t threads[THREADS];
	int value;

	assert(sem_init(&room, 0, 2) == 0);
	assert(sem_init(&done, 0, 0) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_create(&threads[i], NULL, enter, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		assert(sem_wait(&done) == 0);
	assert(sem_trywait(&done) == -1 && errno == EAGAIN);
	for (int i = 0; i < THREADS; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	assert(sem_getvalue(&room, &value) == 0 && value == 2);
	assert(sem_destroy(&room) == 0);
	assert(sem_destroy(&done) == 0);
}

static void *post_later(void *sem)
{
	assert(sem_post(sem) == 0);
	return NULL;
}

/* Either the post came in time or it is there afterwards. */
static void timed(void)
{
	struct timespec at, wrong = { 0, -1 };
	pthread_t thread;
	int rc, value;

	assert(sem_init(&done, 0, 0) == 0);
	assert(sem_timedwait(&done, &wrong) == -1 && errno == EINVAL);
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec++;
	assert(pthread_create(&thread, NULL, post_later, &done) == 0);
	rc = sem_timedwait(&done, &at);
	assert(rc == 0 || errno == ETIMEDOUT);
	assert(pthread_join(thread, NULL) == 0);
	assert(sem_getvalue(&done, &value) == 0 && value == (rc ? 1 : 0));
	assert(sem_destroy(&done) == 0);
}

static void named(void)
{
	pthread_t thread;
	char name[64];
	sem_t *sem;

	snprintf(name, sizeof(name), "/heddle-control-%ld", (long)getpid());
	sem = sem_open(name, O_CREAT, 0600, 0);
	assert(sem != SEM_FAILED && sem_unlink(name) == 0);
	assert(pthread_create(&thread, NULL, post_later, sem) == 0);
	assert(sem_wait(sem) == 0);
	assert(pthread_join(thread, NULL) == 0);
	assert(sem_close(sem) == 0);
}

int main(void)
{
	limited();
	timed();
	named();
	return 0;
}
