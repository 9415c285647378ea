/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads read standard input, partly by stdio: each run finds it from its
 * beginning.
 *
 * expect: held, with "one\ntwo\n" as standard input
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char rest[100];

static void *by_read(void *arg)
{
	assert(read(STDIN_FILENO, rest, 4) == 4);
	assert(read(STDIN_FILENO, rest + 50, 4) == 4);
	return arg;
}

int main(void)
{
	pthread_t thread;
	char line[16];

	pthread_create(&thread, NULL, by_read, NULL);
	pthread_join(thread, NULL);
	assert(strncmp(rest, "one\n", 4) == 0);
	assert(strncmp(rest + 50, "two\n", 4) == 0);
	rewind(stdin);
	assert(fgets(line, sizeof(line), stdin));
	assert(strcmp(line, "one\n") == 0);
	return 0;
}
