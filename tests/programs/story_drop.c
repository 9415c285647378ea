/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each of two users drops a reference and then asks whether it was the last
 * one: both may find none left, or one asks when the object is gone.
 */
#include <pthread.h>
#include <stdlib.h>

struct object {
	int references;
	int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void object_put(struct object *o)
{
	int is_last;

	pthread_mutex_lock(&lock);
	o->references--;
	pthread_mutex_unlock(&lock);
	is_last = o->references == 0;
	if (is_last)
		free(o);
}

static void *user(void *arg)
{
	struct object *o = arg;

	if (o->value != 7)
		abort();
	object_put(o);
	return NULL;
}

int main(void)
{
	pthread_t users[2];
	struct object *o = malloc(sizeof(*o));

	o->references = 2;
	o->value = 7;
	for (int i = 0; i < 2; i++)
		pthread_create(&users[i], NULL, user, o);
	for (int i = 0; i < 2; i++)
		pthread_join(users[i], NULL);
	return 0;
}
