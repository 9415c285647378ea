/* SPDX-License-Identifier: Apache-2.0 */
/* Row 3 of LOCON's Table 1, order W-W: defaults are loaded by a thread, and what
 * the user sets meanwhile is overwritten. -DFIXED waits for the defaults. */
#include <pthread.h>
#include <stdatomic.h>

#define SETTINGS 3

static _Atomic int settings[SETTINGS];

static void *defaults(void *arg)
{
	for (int i = 0; i < SETTINGS; i++)
		atomic_store(&settings[i], 1);
	return arg;
}

static void *user(void *arg)
{
	atomic_store(&settings[1], 42);
	return arg;
}

int main(void)
{
	pthread_t loader, person;

	pthread_create(&loader, NULL, defaults, NULL);
#ifdef FIXED
	pthread_join(loader, NULL);
#endif
	pthread_create(&person, NULL, user, NULL);
#ifndef FIXED
	pthread_join(loader, NULL);
#endif
	pthread_join(person, NULL);
	return atomic_load(&settings[1]) != 42;
}
