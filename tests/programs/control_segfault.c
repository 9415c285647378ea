/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: broken signal 11 in use, under some schedules
 *
 * A pointer is taken away between the test and the use of it. One word on the
 * command line makes the fault happen in a function of libc.
 */
#include <pthread.h>
#include <string.h>

static char text[] = "text";
static char *volatile shared = text;
static int in_libc;
static size_t total;

static void use(void)
{
	if (!shared)
		return;
	if (in_libc)
		total += strlen(shared);
	else
		total += (size_t)*shared;
}

static void *user(void *unused)
{
	(void)unused;
	use();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	in_libc = argc > 1;
	pthread_create(&thread, NULL, user, NULL);
	shared = NULL;
	pthread_join(thread, NULL);
	return 0;
}
