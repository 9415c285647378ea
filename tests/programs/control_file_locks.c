/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads exclude each other by locks of files: flock, and fcntl with locks
 * that belong to the open file.
 *
 * expect: held; the same seed gives the same schedule
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

enum { THREADS = 2, ROUNDS = 3 };

static char path[] = "/tmp/control_file_locks-XXXXXX";
static int by_flock, by_range;
static int in_flock, in_range;

static void *work(void *arg)
{
	int fd = open(path, O_RDWR);
	struct flock range = { .l_type = F_WRLCK, .l_len = 10 };

	for (int i = 0; i < ROUNDS; i++) {
		assert(flock(fd, LOCK_EX) == 0);
		assert(in_flock++ == 0);
		by_flock++;
		in_flock--;
		assert(flock(fd, LOCK_UN) == 0);
		range.l_type = F_WRLCK;
		assert(fcntl(fd, F_OFD_SETLKW, &range) == 0);
		assert(in_range++ == 0);
		by_range++;
		in_range--;
		range.l_type = F_UNLCK;
		assert(fcntl(fd, F_OFD_SETLKW, &range) == 0);
	}
	close(fd);
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];
	int fd = mkstemp(path);

	assert(fd >= 0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	unlink(path);
	assert(by_flock == THREADS * ROUNDS && by_range == THREADS * ROUNDS);
	return 0;
}
