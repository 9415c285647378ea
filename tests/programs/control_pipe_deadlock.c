/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads, each of which reads what the other would write only afterwards.
 *
 * expect: deadlock, in every run
 */
#include <pthread.h>
#include <unistd.h>

static int there[2], back[2];

static void *other(void *arg)
{
	char c = 0;

	if (read(there[0], &c, 1) == 1)
		(void)!write(back[1], &c, 1);
	return arg;
}

int main(void)
{
	pthread_t thread;
	char c = 0;

	if (pipe(there) != 0 || pipe(back) != 0)
		return 1;
	pthread_create(&thread, NULL, other, NULL);
	if (read(back[0], &c, 1) == 1)
		(void)!write(there[1], &c, 1);
	pthread_join(thread, NULL);
	return 0;
}
