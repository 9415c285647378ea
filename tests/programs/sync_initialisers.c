/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread_once and call_once: done by one thread, passed by all; nested; given
 * up by a thread that is cancelled, and begun again by another.
 *
 * trace 0: note-acquire once-done once-pass once-pass
 * trace 1: once-pass
 * an initialiser that uses another once:
 * trace 0: note-acquire note-acquire once-done once-pass once-done once-pass
 * given up:
 * trace 0: note-acquire once-done once-pass
 * trace 2: note-acquire note-release
 * C11:
 * trace 0: note-acquire once-done once-pass once-pass
 */
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <threads.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_once_t inner = PTHREAD_ONCE_INIT;
static pthread_once_t outer = PTHREAD_ONCE_INIT;
static pthread_once_t retried = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static int counted, attempts;
static _Thread_local int gives_up;

static void in_thread(void *(*run)(void *), void *expected)
{
	pthread_t thread;
	void *result;

	assert(pthread_create(&thread, NULL, run, NULL) == 0);
	assert(pthread_join(thread, &result) == 0);
	assert(result == expected);
}

static void count(void)
{
	counted++;
}

static void *pass(void *unused)
{
	assert(pthread_once(&once, count) == 0);
	assert(counted == 1);
	return unused;
}

static void use_inner(void)
{
	assert(pthread_once(&inner, count) == 0);
}

static void try(void)
{
	attempts++;
	if (gives_up) {
		assert(pthread_cancel(pthread_self()) == 0);
		pthread_testcancel();
	}
}

static void *give_up(void *unused)
{
	gives_up = 1;
	assert(pthread_once(&retried, try) == 0);
	return unused;
}

int main(void)
{
	assert(pthread_once(&once, count) == 0);
	in_thread(pass, NULL);
	assert(pthread_once(&once, count) == 0);
	assert(counted == 1);

	assert(pthread_once(&outer, use_inner) == 0);
	assert(counted == 2);

	in_thread(give_up, PTHREAD_CANCELED);
	assert(pthread_once(&retried, try) == 0);
	assert(attempts == 2);

	call_once(&flag, count);
	call_once(&flag, count);
	assert(counted == 3);
	return 0;
}
