/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A constructor starts a thread before main: control begins there.
 *
 * expect: held, started once for all runs
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int word;
static int to_it[2], from_it[2];

static void *early(void *arg)
{
	char c;

	while (read(to_it[0], &c, 1) == 1) {
		atomic_fetch_add(&word, 1);
		if (write(from_it[1], &c, 1) != 1)
			break;
	}
	return arg;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;

	if (pipe(to_it) == 0 && pipe(from_it) == 0)
		pthread_create(&thread, NULL, early, NULL);
}

static void *late(void *arg)
{
	atomic_fetch_add(&word, 1);
	return arg;
}

int main(void)
{
	pthread_t thread;
	char c = 0;

	pthread_create(&thread, NULL, late, NULL);
	for (int i = 0; i < 3; i++)
		if (write(to_it[1], &c, 1) != 1 || read(from_it[0], &c, 1) != 1)
			return 1;
	pthread_join(thread, NULL);
	return atomic_load(&word) == 4 ? 0 : 2;
}
