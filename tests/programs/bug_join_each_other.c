/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads wait for each other's end, when each was told of the other in
 * time.
 * expect: deadlock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_t threads[2];
static atomic_bool known[2];

static void *wait_for_other(void *index)
{
	int other = !*(const int *)index;

#ifdef FIXED
	if (*(const int *)index)
		return NULL;
#endif
	if (atomic_load(&known[other]))
		pthread_join(threads[other], NULL);
	return NULL;
}

int main(void)
{
	static const int index[] = { 0, 1 };

	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, wait_for_other,
			       (void *)(size_t)&index[i]);
		atomic_store(&known[i], true);
	}
	pthread_exit(NULL);
}
