/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever comes first lends its own buffer, and whoever comes last frees what
 * was lent: a variable, if that was the first one's.
 * expect: invalid free
 */
#include <pthread.h>
#include <stdlib.h>

static char spare[64];
static char *_Atomic lent;

static void *lend(void *arg)
{
	char *none = NULL;
	char *mine = arg ? malloc(64) : spare;

	if (!__atomic_compare_exchange_n((char **)&lent, &none, mine, 0,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
	    mine != spare)
		free(mine);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, lend, (void *)(1 - i));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
#ifdef FIXED
	if (lent != spare)
#endif
		free(lent);
	return 0;
}
