/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does so many things in two threads, then ends as it is told:
 *
 *	kill_self kill|abort|fault|exit COUNT
 *	kill_self wait COUNT		the first 100000, then says "first" and
 *					its number on standard output and waits
 *					for the end of its standard input;
 *					then the rest, and says "all COUNT"
 *	kill_self outlive COUNT		the same, whatever happens to the tool
 *
 * Each thing is a lock taken and a shared number raised, so that the recorder
 * leaves out none.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long done;

static void do_some(long count)
{
	for (long i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		done++;
		pthread_mutex_unlock(&lock);
	}
}

static void *do_half(void *count)
{
	do_some(*(long *)count / 2);
	return 0;
}

static void do_all(long count)
{
	pthread_t t;

	pthread_create(&t, 0, do_half, &count);
	do_some(count - count / 2);
	pthread_join(t, 0);
}

static void end_as(const char *how)
{
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "fault"))
		*(volatile int *)8 = 1;
}

enum { FIRST = 100000 };

static int do_in_two_steps(long count)
{
	char c;

	do_all(FIRST);
	printf("first %d\n", (int)getpid());
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	do_all(count - FIRST);
	printf("all %ld\n", done);
	return done != count;
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : 0;

	if (argc > 2 && !strcmp(argv[1], "outlive"))
		prctl(PR_SET_PDEATHSIG, 0);
	if (argc > 2 &&
	    (!strcmp(argv[1], "wait") || !strcmp(argv[1], "outlive")))
		return do_in_two_steps(count);
	do_all(count);
	end_as(argc > 1 ? argv[1] : "exit");
	return 0;
}
