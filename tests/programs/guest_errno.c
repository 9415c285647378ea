/* SPDX-License-Identifier: Apache-2.0 */
/* errno is the program's: nothing that succeeds may change it. */
#include "guest_check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int fresh[1 << 20];

static void handle(int signal)
{
	(void)signal;
	fresh[7]++;
}

static void *use(void *arg)
{
	char *block;

	/* libc itself may change it in what follows, so not everything is
	 * tried. */
	CHECK(errno == 0);
	errno = 77;
	for (int i = 0; i < 1 << 20; i += 512)
		fresh[i]++;
	CHECK(errno == 77);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	CHECK(errno == 77);
	block = malloc(1000);
	memset(block, 1, 1000);
	free(block);
	CHECK(errno == 77);
	raise(SIGUSR1);
	CHECK(errno == 77);
	return arg;
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handle);
	errno = 0;
	use(NULL);
	CHECK(pthread_create(&thread, NULL, use, NULL) == 0);
	CHECK(errno == 77);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(errno == 77);
	return passed();
}
