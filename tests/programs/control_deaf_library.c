/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With the path of a library (this file, built with -DLIBRARY and without
 * hooks), whose thread counts until it is told to stop and never comes to a
 * point; with "naps" as well it sleeps by system calls of its own in between.
 * Nobody else has to wait for it.
 *
 * expect: held; with the library unknown, a thread ran where control does not
 * reach
 */
#include <pthread.h>
#include <stddef.h>

#ifdef LIBRARY

#include <poll.h>
#include <sys/syscall.h>

static pthread_t counter;
static volatile int stop, naps;
static volatile long counted;

static void nap(void)
{
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(SYS_poll), "D"(NULL), "S"(0L), "d"(1L)
			 : "rcx", "r11", "memory");
}

static void *count(void *arg)
{
	while (!stop) {
		counted++;
		if (naps)
			nap();
	}
	return arg;
}

void library_start(int does_nap);
void library_start(int does_nap)
{
	naps = does_nap;
	pthread_create(&counter, NULL, count, NULL);
}

void library_stop(void);
void library_stop(void)
{
	stop = 1;
	pthread_join(counter, NULL);
}

#else

#include "guest_check.h"

#include <dlfcn.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		sum++;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	pthread_t threads[2];

	CHECK(argc < 2 || library);
	if (library)
		((void (*)(int))dlsym(library, "library_start"))(argc > 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK(sum == 6);
	if (library)
		((void (*)(void))dlsym(library, "library_stop"))();
	return 0;
}

#endif
