/* SPDX-License-Identifier: Apache-2.0 */
/* Row 5 of LOCON's Table 1, R W W: a pool of connections is asked whether one is
 * free, and then one is taken. -DFIXED takes and looks in one step. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pool {
	_Atomic int free;
	int fds[2];
	_Atomic long served;
};

static struct pool *pool;

static int pool_take(void)
{
#ifdef FIXED
	int left = atomic_load(&pool->free);

	while (left > 0)
		if (atomic_compare_exchange_strong(&pool->free, &left,
						   left - 1))
			return pool->fds[left - 1];
	return -1;
#else
	int left;

	if (atomic_load(&pool->free) == 0)
		return -1;
	left = atomic_fetch_sub(&pool->free, 1);
	assert(left > 0);
	return pool->fds[left - 1];
#endif
}

static void *client(void *arg)
{
	for (int i = 0; i < 2; i++) {
		int fd = pool_take();

		if (fd < 0)
			continue;
		atomic_fetch_add(&pool->served, 1);
		atomic_fetch_add(&pool->free, 1);
	}
	return arg;
}

int main(void)
{
	pthread_t clients[3];

	pool = calloc(1, sizeof(*pool));
	pool->fds[0] = 3;
	pool->fds[1] = 4;
	atomic_store(&pool->free, 1);
	for (int i = 0; i < 3; i++)
		pthread_create(&clients[i], NULL, client, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(clients[i], NULL);
	free(pool);
	return 0;
}
