/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread asks whether there is a job and then uses it; the owner may take it
 * back in between. With FIXED both do so under the lock.
 */
#include <pthread.h>
#include <stddef.h>

struct job {
	int size;
};

static struct job only = { 3 };
static struct job *volatile current = &only;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
}

static void *use(void *p)
{
	enter();
	if (current != NULL)
		sum += current->size;
	leave();
	return p;
}

static void *take_back(void *p)
{
	enter();
	current = NULL;
	leave();
	return p;
}

int main(void)
{
	pthread_t a, b;

	pthread_mutex_lock(&lock);
	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, take_back, NULL);
	pthread_mutex_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum > 3;
}
