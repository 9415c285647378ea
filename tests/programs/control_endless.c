/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Main returns while another thread, by the argument, waits for what never
 * comes: looking again and again (spin), asleep (sleep), or blocked (wait); or
 * counts without an end (count), or does so where nobody looks (alone).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int stop, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static const char *how;
static volatile long own;

static void wait_once(void)
{
	if (strcmp(how, "sleep") == 0) {
		usleep(10);
		atomic_fetch_add(&count, 1);
	} else if (strcmp(how, "wait") == 0) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&never, &lock);
		pthread_mutex_unlock(&lock);
	} else if (strcmp(how, "count") == 0) {
		atomic_fetch_add(&count, 1);
	}
}

static void *work(void *arg)
{
	while (strcmp(how, "alone") == 0)
		for (int i = 0; i < 1000; i++)
			own++;
	while (!atomic_load(&stop))
		wait_once();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	how = argc > 1 ? argv[1] : "spin";
	pthread_create(&thread, NULL, work, NULL);
	atomic_fetch_add(&count, 1);
	return 0;
}
