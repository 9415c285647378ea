/* SPDX-License-Identifier: Apache-2.0 */
/* Row 13 of LOCON's Table 1, Wx Wy / Ry Rx: a buffer becomes smaller, its data
 * first and then its length; who reads it looks at the length first. Either is
 * under its own lock. -DFIXED has a lock for both. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t length_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
static const char *data = "a long text";
static int length = 11;

static void *shortener(void *arg)
{
#ifdef FIXED
	pthread_mutex_lock(&both);
#endif
	pthread_mutex_lock(&data_lock);
	data = "short";
	pthread_mutex_unlock(&data_lock);
	pthread_mutex_lock(&length_lock);
	length = 5;
	pthread_mutex_unlock(&length_lock);
#ifdef FIXED
	pthread_mutex_unlock(&both);
#endif
	return arg;
}

static void *reader(void *arg)
{
	const char *text;
	int size;

#ifdef FIXED
	pthread_mutex_lock(&both);
#else
	(void)both;
#endif
	pthread_mutex_lock(&length_lock);
	size = length;
	pthread_mutex_unlock(&length_lock);
	pthread_mutex_lock(&data_lock);
	text = data;
	pthread_mutex_unlock(&data_lock);
#ifdef FIXED
	pthread_mutex_unlock(&both);
#endif
	for (int i = 0; i < size; i++)
		assert(text[i]);
	return arg;
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_create(&c, NULL, shortener, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return 0;
}
