/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Main returns without waiting for its thread, which then meets what main has
 * left behind: behind main's last point there is only the end of the process,
 * and the thread still has its chance before that.
 * expect: assertion `!atomic_load(&is_closed)' failed
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int is_closed;

static void *clerk(void *arg)
{
	assert(!atomic_load(&is_closed));
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, clerk, NULL);
#ifdef FIXED
	pthread_join(thread, NULL);
#endif
	atomic_store(&is_closed, 1);
	return 0;
}
