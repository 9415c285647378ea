/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread writes into a block that another one frees when it is done with
 * it. What is in the block never changes what anybody reads, so nothing but
 * the order of the write and the end of the block is wrong. With FIXED the
 * block is freed when both threads are over.
 */
#include <pthread.h>
#include <stdlib.h>

struct box {
	int mine, yours;
};

static struct box *box;

static void *write_mine(void *p)
{
	box->mine = 1;
	return p;
}

static void *write_yours(void *p)
{
	box->yours = 2;
#ifndef FIXED
	free(box);
#endif
	return p;
}

int main(void)
{
	pthread_t a, b;

	box = calloc(1, sizeof(*box));
	pthread_create(&a, NULL, write_mine, NULL);
	pthread_create(&b, NULL, write_yours, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
#ifdef FIXED
	free(box);
#endif
	return 0;
}
