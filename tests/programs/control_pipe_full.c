/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More is written into a pipe, and sent to a socket, than fits, while somebody
 * reads it slowly.
 *
 * expect: held
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE = 300 * 1000 };

static int fds[2], pair[2];
static char out[SIZE], in[SIZE];

static void *drink(void *arg)
{
	size_t sum = 0;
	ssize_t n;

	while (sum < SIZE && (n = read(fds[0], in, 20000)) > 0)
		sum += (size_t)n;
	assert(sum == SIZE);
	for (sum = 0; sum < SIZE; sum += (size_t)n) {
		n = recv(pair[0], in, SIZE, sum ? 0 : MSG_WAITALL);
		assert(n > 0);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	assert(pipe(fds) == 0);
	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	pthread_create(&thread, NULL, drink, NULL);
	assert(write(fds[1], out, SIZE) == SIZE);
	assert(send(pair[1], out, SIZE, 0) == SIZE);
	pthread_join(thread, NULL);
	return 0;
}
