/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server and two clients in one process, over TCP, one connection at a time.
 *
 * expect: held; the same seed gives the same schedule
 */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2 };

static struct sockaddr_in address;

static void *client(void *arg)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char c = (char)(long)arg;

	assert(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	assert(send(fd, &c, 1, 0) == 1);
	assert(recv(fd, &c, 1, 0) == 1);
	assert(c == (char)(long)arg + 1);
	assert(recv(fd, &c, 1, 0) == 0);
	close(fd);
	return NULL;
}

int main(void)
{
	pthread_t threads[CLIENTS];
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	assert(getsockname(fd, (struct sockaddr *)&address, &length) == 0);
	assert(listen(fd, 8) == 0);
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, client, (void *)(long)i);
	for (int i = 0; i < CLIENTS; i++) {
		int peer = accept(fd, NULL, NULL);
		char c;

		assert(peer >= 0);
		assert(recv(peer, &c, 1, 0) == 1);
		c++;
		assert(send(peer, &c, 1, 0) == 1);
		close(peer);
	}
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
