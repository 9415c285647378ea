/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams under control: what is written between flockfile and funlockfile
 * stays together, others wait for it, and nobody waits with the turn. The
 * stream is the program's own function, so that there are points inside.
 * expect: held
 */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static char text[4096];
static size_t length;
static FILE *stream;

static ssize_t append(void *unused, const char *at, size_t size)
{
	(void)unused;
	assert(length + size < sizeof(text));
	memcpy(text + length, at, size);
	sched_yield();
	length += size;
	return (ssize_t)size;
}

static void *speak(void *name)
{
	for (int i = 0; i < 3; i++) {
		flockfile(stream);
		fprintf(stream, "<%s", (const char *)name);
		sched_yield();
		fputs("-", stream);
		flockfile(stream);
		putc(*(const char *)name, stream);
		funlockfile(stream);
		fwrite(">", 1, 1, stream);
		funlockfile(stream);
	}
	return NULL;
}

static void *interrupt(void *unused)
{
	for (int i = 0; i < 3; i++) {
		fputs("<i-i>", stream);
		if (ftrylockfile(stream) == 0) {
			fprintf(stream, "<t-%c>", 't');
			funlockfile(stream);
		}
		fflush(i ? stream : NULL);
	}
	return unused;
}

static void *speak_aloud(void *unused)
{
	flockfile(stdout);
	printf("one");
	sched_yield();
	puts(" two");
	funlockfile(stdout);
	printf("three\n");
	return unused;
}

int main(void)
{
	cookie_io_functions_t functions = { .write = append };
	pthread_t threads[5];
	char name[2][2] = { "a", "b" };

	stream = fopencookie(NULL, "w", functions);
	assert(stream);
	setvbuf(stream, NULL, _IONBF, 0);
	assert(pthread_create(&threads[0], NULL, speak, name[0]) == 0);
	assert(pthread_create(&threads[1], NULL, speak, name[1]) == 0);
	assert(pthread_create(&threads[2], NULL, interrupt, NULL) == 0);
	assert(pthread_create(&threads[3], NULL, speak_aloud, NULL) == 0);
	assert(pthread_create(&threads[4], NULL, speak_aloud, NULL) == 0);
	for (int i = 0; i < 5; i++)
		assert(pthread_join(threads[i], NULL) == 0);
	assert(fclose(stream) == 0);
	assert(length % 5 == 0 && length >= 45);
	for (size_t i = 0; i < length; i += 5)
		assert(text[i] == '<' && text[i + 2] == '-' &&
		       text[i + 4] == '>' && text[i + 1] == text[i + 3]);
	return 0;
}
