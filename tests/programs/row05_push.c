/* SPDX-License-Identifier: Apache-2.0 */
/* Row 5 of LOCON's Table 1, R W W: nodes are pushed on a list by reading its
 * head and writing it anew. -DFIXED compares and exchanges. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	struct node *next;
};

static _Atomic(struct node *) head;

static void push(struct node *node)
{
	node->next = atomic_load(&head);
#ifdef FIXED
	while (!atomic_compare_exchange_weak(&head, &node->next, node))
		;
#else
	atomic_store(&head, node);
#endif
}

static void *pusher(void *arg)
{
	struct node *nodes = arg;

	push(&nodes[0]);
	push(&nodes[1]);
	return NULL;
}

int main(void)
{
	struct node *mine = calloc(2, sizeof(*mine));
	struct node *yours = calloc(2, sizeof(*yours));
	pthread_t one, two;
	int count = 0;

	pthread_create(&one, NULL, pusher, mine);
	pthread_create(&two, NULL, pusher, yours);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	for (struct node *n = atomic_load(&head); n; n = n->next)
		count++;
	free(mine);
	free(yours);
	return count != 4;
}
