/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object cache of a web server. Requests take an object by a reference,
 * the cache gives up its own reference when it replaces the object, and the
 * last to let go of an object frees it. Counting down and looking at the
 * count are both atomic, but they are two steps.
 *
 * bug:      CTrigger Table 2, Apache#1; LOCON Table 3, Apache-1
 * kind:     atomicity violation, one variable, no data race (LOCON row 6)
 * threads:  main and 3 workers
 * failure:  the object is freed twice, or looked at when it is freed
 * accesses: decrement of refs, decrement of refs by another, read of refs here
 *           and there
 * natively: rare, two instructions one after the other
 * twins:    -DFIXED frees when the decrement itself reached 0
 * sizes:    requests of each worker, objects in the cache
 */
#include <stdatomic.h>
#include <string.h>

#include "subject.h"

#define WORKERS 3
#define PATHS 5

struct object {
	_Atomic int refs;
	int path;
	char body[32];
};

struct cache {
	pthread_mutex_t lock;
	struct object **slots;
	int size;
};

struct worker {
	int number;
	unsigned hits;
	unsigned sent;
};

static struct cache cache = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int requests;

static struct object *object_new(int path)
{
	struct object *object = malloc(sizeof(*object));

	if (!object)
		exit(2);
	atomic_init(&object->refs, 1);
	object->path = path;
	snprintf(object->body, sizeof(object->body), "page %d, %08x", path,
		 subject_work((unsigned)path, 400));
	return object;
}

static void object_release(struct object *object)
{
#ifdef FIXED
	if (atomic_fetch_sub(&object->refs, 1) == 1)
		free(object);
#else
	atomic_fetch_sub(&object->refs, 1);
	if (atomic_load(&object->refs) == 0)
		free(object);
#endif
}

static struct object *cache_find(int path)
{
	struct object *object;

	pthread_mutex_lock(&cache.lock);
	object = cache.slots[path % cache.size];
	if (object && object->path == path)
		atomic_fetch_add(&object->refs, 1);
	else
		object = NULL;
	pthread_mutex_unlock(&cache.lock);
	return object;
}

/* Takes a reference for the cache; whatever was in the slot has to go. */
static void cache_store(struct object *object)
{
	struct object *old;

	atomic_fetch_add(&object->refs, 1);
	pthread_mutex_lock(&cache.lock);
	old = cache.slots[object->path % cache.size];
	cache.slots[object->path % cache.size] = object;
	pthread_mutex_unlock(&cache.lock);
	if (old)
		object_release(old);
}

static void request_serve(struct worker *worker, int path)
{
	struct object *object = cache_find(path);

	if (object) {
		worker->hits++;
	} else {
		object = object_new(path);
		cache_store(object);
	}
	worker->sent += (unsigned)strlen(object->body);
	object_release(object);
}

static void *worker_run(void *arg)
{
	struct worker *own = arg;

	for (int i = 0; i < requests; i++) {
		unsigned dice =
			subject_work((unsigned)(own->number * 53 + i), 2000);

		request_serve(own, (int)(dice % PATHS));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[WORKERS] = { 0 };
	pthread_t threads[WORKERS];
	unsigned hits = 0, sent = 0;

	requests = subject_size(argc, argv, 1, 2);
	cache.size = subject_size(argc, argv, 2, 2);
	cache.slots = calloc((size_t)cache.size, sizeof(*cache.slots));
	if (!cache.slots)
		return 2;
	for (int i = 0; i < WORKERS; i++) {
		workers[i].number = i;
		subject_start(&threads[i], worker_run, &workers[i]);
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], NULL);
		hits += workers[i].hits;
		sent += workers[i].sent;
	}
	for (int i = 0; i < cache.size; i++)
		if (cache.slots[i])
			object_release(cache.slots[i]);
	free(cache.slots);
	printf("%u bytes, %u hits\n", sent, hits);
	return 0;
}
