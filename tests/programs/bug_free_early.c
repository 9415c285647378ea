/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner frees a block while a reader may still be at it.
 *
 * expect: broken use after free
 */
#include <pthread.h>
#include <stdlib.h>

struct box {
	int content;
};

static struct box *box;
static int sum;

static void *look(void *arg)
{
	struct box *seen = box;

	sum += seen->content;
	return arg;
}

int main(void)
{
	pthread_t reader;

	box = malloc(sizeof(*box));
	box->content = 1;
	pthread_create(&reader, NULL, look, NULL);
	free(box);
	pthread_join(reader, NULL);
	return 0;
}
