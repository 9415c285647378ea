/* SPDX-License-Identifier: Apache-2.0 */
/* Row 1 of LOCON's Table 1, order W-R: a queue is freed when it is empty, and
 * the worker who emptied it looks at it once more. -DFIXED waits for the worker
 * before. */
#include <pthread.h>
#include <stdlib.h>

struct queue {
	pthread_mutex_t lock;
	int items[4];
	int head, tail;
	int is_closed;
};

static int queue_pop(struct queue *q, int *item)
{
	int got = 0;

	pthread_mutex_lock(&q->lock);
	if (q->head < q->tail) {
		*item = q->items[q->head++];
		got = 1;
	} else if (q->is_closed) {
		got = -1;
	}
	pthread_mutex_unlock(&q->lock);
	return got;
}

static int queue_is_empty(struct queue *q)
{
	int is_empty;

	pthread_mutex_lock(&q->lock);
	is_empty = q->head == q->tail;
	pthread_mutex_unlock(&q->lock);
	return is_empty;
}

static void *worker(void *arg)
{
	int item, sum = 0, got;

	while ((got = queue_pop(arg, &item)) > 0)
		sum += item;
	return NULL;
}

int main(void)
{
	struct queue *q = calloc(1, sizeof(*q));
	pthread_t thread;

	pthread_mutex_init(&q->lock, NULL);
	for (int i = 0; i < 2; i++)
		q->items[q->tail++] = i;
	q->is_closed = 1;
	pthread_create(&thread, NULL, worker, q);
#ifdef FIXED
	pthread_join(thread, NULL);
	free(q);
#else
	while (!queue_is_empty(q))
		sched_yield();
	free(q);
	pthread_join(thread, NULL);
#endif
	return 0;
}
