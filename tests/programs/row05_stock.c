/* SPDX-License-Identifier: Apache-2.0 */
/* Row 5 of LOCON's Table 1, R W W: sellers look up a stock and write down what
 * is left, each under the lock, but not both. -DFIXED keeps it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ITEMS 3

struct shelf {
	pthread_mutex_t lock;
	int stock[ITEMS];
};

static struct shelf *shelf;

static int look(int item)
{
	int stock;

	pthread_mutex_lock(&shelf->lock);
	stock = shelf->stock[item];
#ifndef FIXED
	pthread_mutex_unlock(&shelf->lock);
#endif
	return stock;
}

static void set(int item, int stock)
{
#ifndef FIXED
	pthread_mutex_lock(&shelf->lock);
#endif
	shelf->stock[item] = stock;
	pthread_mutex_unlock(&shelf->lock);
}

static void *seller(void *arg)
{
	for (int item = 0; item < ITEMS; item++)
		set(item, look(item) - 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int bad = 0;

	shelf = calloc(1, sizeof(*shelf));
	pthread_mutex_init(&shelf->lock, NULL);
	for (int i = 0; i < ITEMS; i++)
		shelf->stock[i] = 10;
	pthread_create(&a, NULL, seller, NULL);
	pthread_create(&b, NULL, seller, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (int i = 0; i < ITEMS; i++)
		bad |= shelf->stock[i] != 8;
	free(shelf);
	return bad;
}
