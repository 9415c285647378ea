/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program replaces itself; an attempt that fails does not count.
 *
 * expect: unknown, because of exec
 */
#include <pthread.h>
#include <unistd.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t thread;

	execl("/nowhere/at/all", "all", (char *)NULL);
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	execl("/bin/true", "true", (char *)NULL);
	return 1;
}
