/* SPDX-License-Identifier: Apache-2.0 */
/* Row 4 of LOCON's Table 1, W W R: the last error of a library is one for all
 * threads: who sets it reads it some calls later. -DFIXED has one for each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int last_error;
#ifdef FIXED
static _Thread_local int own_error;
#endif

static int call(int n)
{
#ifdef FIXED
	own_error = n % 2 ? -n : 0;
	return own_error ? -1 : 0;
#else
	int error = n % 2 ? -n : 0;

	atomic_store(&last_error, error);
	return error ? -1 : 0;
#endif
}

static int error_get(void)
{
#ifdef FIXED
	return own_error;
#else
	return atomic_load(&last_error);
#endif
}

static void *worker(void *arg)
{
	int n = *(int *)arg;

	for (int i = 0; i < 2; i++)
		if (call(n + i) < 0)
			assert(error_get() == -(n + i));
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int numbers[2] = { 1, 20 };

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&last_error) > 0;
}
