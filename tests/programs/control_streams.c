/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads read from pipes by stdio, in every way, what others write in parts
 * of lines.
 *
 * expect: held; the same seed gives the same schedule; no thread keeps the
 * turn while it waits for input
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fds[2];

static void put(const char *text)
{
	assert(write(fds[1], text, strlen(text)) == (ssize_t)strlen(text));
}

static void *feed(void *arg)
{
	put("first ");
	put("line\n");
	put("sec");
	put("ond\nthird line\n");
	put("12345");
	put("678x");
	close(fds[1]);
	return arg;
}

int main(void)
{
	pthread_t thread;
	char line[64], *grown = NULL;
	size_t room = 0;
	FILE *in;

	assert(pipe(fds) == 0);
	in = fdopen(fds[0], "r");
	pthread_create(&thread, NULL, feed, NULL);
	assert(fgets(line, sizeof(line), in) == line);
	assert(strcmp(line, "first line\n") == 0);
	assert(getline(&grown, &room, in) == 7);
	assert(strcmp(grown, "second\n") == 0);
	assert(fgets(line, 6, in) == line && strcmp(line, "third") == 0);
	assert(getdelim(&grown, &room, '\n', in) == 6);
	assert(fread(line, 4, 2, in) == 2 && memcmp(line, "12345678", 8) == 0);
	assert(fgetc(in) == 'x');
	assert(fgetc(in) == EOF && feof(in));
	assert(fgets(line, sizeof(line), in) == NULL);
	assert(getline(&grown, &room, in) == -1);
	pthread_join(thread, NULL);
	free(grown);
	fclose(in);
	return 0;
}
