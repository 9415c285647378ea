/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphores, unnamed and named. errno is the program's: a success leaves it.
 *
 * trace 0: sem-init:1 sem-wait sem-fail:EAGAIN sem-fail:ETIMEDOUT
 * trace 0: sem-fail:ETIMEDOUT sem-fail:ETIMEDOUT sem-post sem-wait sem-post
 * trace 0: sem-wait sem-post sem-wait sem-post sem-wait sem-destroy
 * at the highest value a post is taken back:
 * trace 0: sem-init:2147483647 sem-post sem-fail:EOVERFLOW sem-destroy
 * interrupted by a signal:
 * trace 0: sem-init sem-fail:EINTR sem-destroy
 * named, opened twice:
 * trace 0: sem-post sem-wait
 * cancelled:
 * trace 0: sem-init sem-init sem-wait sem-destroy sem-destroy
 * trace 1: sem-post
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <sys/time.h>
#include <unistd.h>

static const struct timespec past = { .tv_sec = 1 };
static sem_t sem, started;

static void unnamed(void)
{
	errno = 77;
	assert(sem_init(&sem, 0, 1) == 0);
	assert(sem_wait(&sem) == 0);
	assert(errno == 77);
	assert(sem_trywait(&sem) == -1 && errno == EAGAIN);
	assert(sem_timedwait(&sem, &past) == -1 && errno == ETIMEDOUT);
	assert(sem_clockwait(&sem, CLOCK_REALTIME, &past) == -1 &&
	       errno == ETIMEDOUT);
	assert(sem_clockwait(&sem, CLOCK_MONOTONIC, &past) == -1 &&
	       errno == ETIMEDOUT);
	errno = 77;
	assert(sem_post(&sem) == 0);
	assert(sem_trywait(&sem) == 0);
	assert(sem_post(&sem) == 0);
	assert(sem_timedwait(&sem, &past) == 0);
	assert(sem_post(&sem) == 0);
	assert(sem_clockwait(&sem, CLOCK_MONOTONIC, &past) == 0);
	assert(sem_post(&sem) == 0);
	assert(sem_wait(&sem) == 0);
	assert(sem_destroy(&sem) == 0);
	assert(errno == 77);
}

static void full(void)
{
	int value = 0;

	assert(sem_init(&sem, 0, SEM_VALUE_MAX) == 0);
	assert(sem_post(&sem) == -1 && errno == EOVERFLOW);
	assert(sem_getvalue(&sem, &value) == 0 && value == SEM_VALUE_MAX);
	assert(sem_destroy(&sem) == 0);
}

static void ignore(int signo)
{
	(void)signo;
}

/* The timer fires again and again, so it is no matter whether its first signal
 * comes before the wait. */
static void interrupted(void)
{
	struct sigaction action = { .sa_handler = ignore };
	struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, off = { 0 };

	assert(sem_init(&sem, 0, 0) == 0);
	assert(sigaction(SIGALRM, &action, NULL) == 0);
	assert(setitimer(ITIMER_REAL, &often, NULL) == 0);
	assert(sem_wait(&sem) == -1 && errno == EINTR);
	assert(setitimer(ITIMER_REAL, &off, NULL) == 0);
	assert(sem_destroy(&sem) == 0);
}

static void named(void)
{
	char name[64];
	sem_t *one, *two;

	snprintf(name, sizeof(name), "/heddle-sync-sem-%ld", (long)getpid());
	one = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	assert(one != SEM_FAILED);
	two = sem_open(name, 0);
	assert(two == one);
	assert(sem_unlink(name) == 0);
	assert(sem_post(one) == 0);
	assert(sem_wait(two) == 0);
	assert(sem_close(two) == 0);
	assert(sem_close(one) == 0);
}

static void *wait_to_be_cancelled(void *unused)
{
	assert(sem_post(&started) == 0);
	assert(sem_wait(&sem) == 0);
	return unused;
}

static void cancelled(void)
{
	pthread_t thread;
	void *result;

	assert(sem_init(&sem, 0, 0) == 0);
	assert(sem_init(&started, 0, 0) == 0);
	assert(pthread_create(&thread, NULL, wait_to_be_cancelled, NULL) == 0);
	assert(sem_wait(&started) == 0);
	assert(pthread_cancel(thread) == 0);
	assert(pthread_join(thread, &result) == 0);
	assert(result == PTHREAD_CANCELED);
	assert(sem_destroy(&started) == 0);
	assert(sem_destroy(&sem) == 0);
}

int main(void)
{
	unnamed();
	full();
	interrupted();
	named();
	cancelled();
	return 0;
}
