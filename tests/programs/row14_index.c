/* SPDX-License-Identifier: Apache-2.0 */
/* Row 14 of LOCON's Table 1, Wx Wy / Ry Wx: a table is emptied, cursor first
 * and then its size; who moves the cursor to the end looks at the size before.
 * -DFIXED does either under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct table {
	pthread_mutex_t lock;
	_Atomic int size, cursor;
};

static struct table *table;

static void enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&table->lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&table->lock);
#endif
}

static void *clear(void *arg)
{
	enter();
	atomic_store(&table->cursor, 0);
	atomic_store(&table->size, 0);
	leave();
	return arg;
}

static void *end_key(void *arg)
{
	int size;

	enter();
	size = atomic_load(&table->size);
	atomic_store(&table->cursor, size);
	leave();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	table = calloc(1, sizeof(*table));
	pthread_mutex_init(&table->lock, NULL);
	atomic_store(&table->size, 9);
	pthread_create(&b, NULL, end_key, NULL);
	pthread_create(&a, NULL, clear, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(atomic_load(&table->cursor) <= atomic_load(&table->size));
	free(table);
	return 0;
}
