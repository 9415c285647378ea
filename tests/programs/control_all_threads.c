/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who the process is, is a thing of each thread: libc asks all of them by a
 * signal, and waits until they have answered, whatever they wait for.
 *
 * expect: held
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void *wait_long(void *arg)
{
	sleep(1000);
	return arg;
}

int main(void)
{
	pthread_t thread;

	assert(pthread_create(&thread, NULL, wait_long, NULL) == 0);
	assert(setregid(getgid(), getgid()) == 0);
	assert(setreuid(getuid(), getuid()) == 0);
	assert(pthread_join(thread, NULL) == 0);
	return 0;
}
