/* SPDX-License-Identifier: Apache-2.0 */
/* Row 12 of LOCON's Table 1, Wx Wy / Wx Wy: who logs in leaves name and time,
 * each with a lock of its own; in the end they are of two people. -DFIXED has
 * one lock. */
#include <pthread.h>
#include <stdlib.h>

struct cell {
	pthread_mutex_t lock;
	int value;
};

static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
static struct cell *cells;

static void put(struct cell *c, int value)
{
	pthread_mutex_lock(&c->lock);
	c->value = value;
	pthread_mutex_unlock(&c->lock);
}

static void *login(void *arg)
{
	int who = *(int *)arg;

	for (int i = 0; i < 2; i++) {
#ifdef FIXED
		pthread_mutex_lock(&both);
#endif
		put(&cells[0], 10 * who + i);
		put(&cells[1], 10 * who + i);
#ifdef FIXED
		pthread_mutex_unlock(&both);
#else
		(void)both;
#endif
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int people[2] = { 1, 2 }, bad;

	cells = calloc(2, sizeof(*cells));
	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&cells[i].lock, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, login, &people[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	bad = cells[0].value != cells[1].value;
	free(cells);
	return bad;
}
