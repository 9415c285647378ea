/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: broken signal 11, stack overflow in deeper, under every schedule
 *
 * Of a thread on a stack of ours; with a word on the command line on one of the
 * program's own, with two words on the main one.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { OWN = 1 << 18 };

static int total;

static int deeper(int n)
{
	volatile char room[512];

	room[0] = (char)n;
	total++;
	return deeper(n + 1) + room[0];
}

static void *run(void *unused)
{
	(void)unused;
	deeper(0);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };
	pthread_attr_t attr;
	pthread_t thread;
	char *own;

	(void)argv;
	pthread_attr_init(&attr);
	if (argc == 2) {
		own = mmap(NULL, 2 * OWN, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(own + OWN, OWN, PROT_READ | PROT_WRITE);
		pthread_attr_setstack(&attr, own + OWN, OWN);
	}
	if (argc > 2) {
		setrlimit(RLIMIT_STACK, &limit);
		deeper(0);
	}
	pthread_create(&thread, &attr, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
