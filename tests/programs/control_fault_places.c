/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: broken signal 11, under some schedules, at the line of the call
 *
 * A pointer is taken away between the test and the use of it, and the use is
 * outside of the program's code, where its stack has words left from earlier
 * calls. The first word on the command line says where:
 *
 *	mutex	in the guest, which looks at a mutex
 *	library	in libc, called by a library that has hooks as well: this file
 *		with -DLIBRARY, named by the second word
 *	nowhere	in libc, with a return address that leads nowhere
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBRARY

size_t length_of(const char *text);

size_t length_of(const char *text)
{
	return strlen(text) + 1;
}

#else

struct counter {
	long count;
	pthread_mutex_t lock;
	char text[8];
};

static struct counter counter = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct counter *volatile shared = &counter;
static size_t (*length)(const char *);

static inline void count(struct counter *c)
{
	pthread_mutex_lock(&c->lock);
	c->count++;
	pthread_mutex_unlock(&c->lock);
}

static void use_mutex(void)
{
	if (shared)
		count(shared);
}

static void use_library(void)
{
	if (shared)
		counter.count += (long)length((const char *)shared);
}

static void use_nowhere(void)
{
	const char *text;

	if (!shared)
		return;
	text = (const char *)shared;
	if (text)
		return;
	__asm__ volatile("push $16\n\tjmp *%0"
			 :
			 : "r"(length), "D"(text)
			 : "memory");
}

static void *user(void *use)
{
	void (*const *function)(void) = use;

	(*function)();
	return NULL;
}

static void *found(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW);
	void *at = handle ? dlsym(handle, name) : NULL;

	if (!at)
		exit(2);
	return at;
}

int main(int argc, char **argv)
{
	void (*use)(void) = use_mutex;
	void *at = NULL;
	pthread_t thread;

	if (argc > 2) {
		use = use_library;
		at = found(argv[2], "length_of");
	} else if (argc > 1 && strcmp(argv[1], "nowhere") == 0) {
		use = use_nowhere;
		at = found("libc.so.6", "strlen");
	}
	memcpy(&length, &at, sizeof(length));
	pthread_create(&thread, NULL, user, (void *)&use);
	shared = NULL;
	pthread_join(thread, NULL);
	return 0;
}

#endif
