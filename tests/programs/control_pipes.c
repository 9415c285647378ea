/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain of threads, each reading numbers from a pipe and writing them to the
 * next, and a pair of sockets that is used both ways.
 *
 * expect: held; the same seed gives the same schedule; no false deadlock
 */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STAGES = 3, NUMBERS = 4 };

static int pipes[STAGES + 1][2];
static int pair[2];

static void *stage(void *arg)
{
	int at = (int)(long)arg, n;

	while (read(pipes[at][0], &n, sizeof(n)) == sizeof(n)) {
		n++;
		assert(write(pipes[at + 1][1], &n, sizeof(n)) == sizeof(n));
	}
	close(pipes[at + 1][1]);
	return NULL;
}

static void *answer(void *arg)
{
	char c;

	while (recv(pair[1], &c, 1, 0) == 1) {
		c++;
		assert(send(pair[1], &c, 1, 0) == 1);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[STAGES], other;
	int n, sum = 0;
	char c = 'a';

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	for (int i = 0; i <= STAGES; i++)
		assert(pipe(pipes[i]) == 0);
	for (int i = 0; i < STAGES; i++)
		pthread_create(&threads[i], NULL, stage, (void *)(long)i);
	pthread_create(&other, NULL, answer, NULL);
	for (int i = 0; i < NUMBERS; i++)
		assert(write(pipes[0][1], &i, sizeof(i)) == sizeof(i));
	close(pipes[0][1]);
	for (int i = 0; i < 3; i++) {
		assert(write(pair[0], &c, 1) == 1);
		assert(read(pair[0], &c, 1) == 1);
	}
	shutdown(pair[0], SHUT_WR);
	while (read(pipes[STAGES][0], &n, sizeof(n)) == sizeof(n))
		sum += n;
	for (int i = 0; i < STAGES; i++)
		pthread_join(threads[i], NULL);
	pthread_join(other, NULL);
	assert(c == 'd');
	return sum == NUMBERS * (NUMBERS - 1) / 2 + STAGES * NUMBERS ? 0 : 1;
}
