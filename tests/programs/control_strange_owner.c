/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mutex in a file that every run of this program maps. While another run has
 * it, whoever waits for it waits for somebody that is not in this process, and
 * that is no deadlock.
 * expect: held
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t mutex;
	int count;
};

static struct shared *shared;

static void make(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->mutex, &attr);
}

static void *add(void *arg)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&shared->mutex);
		shared->count++;
		pthread_mutex_unlock(&shared->mutex);
	}
	return arg;
}

/* control_strange_owner FILE [make] */
int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDWR | O_CREAT, 0600);
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, sizeof(*shared)))
		abort();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	if (shared == MAP_FAILED)
		abort();
	if (argc > 2) {
		make();
		return strcmp(argv[2], "make") != 0;
	}
	if (pthread_create(&thread, NULL, add, NULL))
		abort();
	add(NULL);
	pthread_join(thread, NULL);
	return 0;
}
