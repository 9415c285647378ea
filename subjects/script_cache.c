/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script engine. Every thread runs a script of its own on objects of its
 * own; only the cache that says in which slot of an object a property lies is
 * shared. On a miss the engine fills the cache's entry, under a lock, and goes
 * on as after a hit: it takes the slot out of the entry.
 *
 * bug:      CTrigger Table 2, Mozilla
 * kind:     atomicity violation, one variable, half of it under a lock (LOCON
 *           row 4: W W R)
 * threads:  main and 2 scripts
 * failure:  wrong result (exit status 1) of a script
 * accesses: write of entry->slot, write of entry->slot by the other script,
 *           read of entry->slot
 * natively: rare, the entry has to be taken between unlocking and reading
 * twins:    -DFIXED takes the slot before it unlocks
 * sizes:    rounds of the scripts
 */
#include <stdatomic.h>

#include "subject.h"

#define SCRIPTS 2
#define PROPERTIES 4
#define ENTRIES 4

struct shape {
	int number;
	int slot_of[PROPERTIES];
};

struct object {
	const struct shape *shape;
	long slots[PROPERTIES];
};

struct entry {
	int shape;
	int property;
	_Atomic int slot;
};

struct script {
	const struct shape *shape;
	long result;
	unsigned misses;
};

static const struct shape shapes[SCRIPTS] = { { 0, { 2, 0, 3, 1 } },
					      { 1, { 1, 3, 0, 2 } } };
static struct entry cache[ENTRIES];
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

/* The way around the cache: look through the shape. */
static int shape_find(const struct shape *shape, int property)
{
	subject_work((unsigned)property, 600);
	return shape->slot_of[property];
}

static int cache_lookup(const struct shape *shape, int property,
			unsigned *misses)
{
	struct entry *entry = &cache[property % ENTRIES];
	int slot = -1;

	pthread_mutex_lock(&cache_lock);
	if (entry->shape == shape->number && entry->property == property) {
		slot = atomic_load(&entry->slot);
	} else {
		entry->shape = shape->number;
		entry->property = property;
		atomic_store(&entry->slot, shape_find(shape, property));
#ifdef FIXED
		slot = atomic_load(&entry->slot);
#endif
		++*misses;
	}
	pthread_mutex_unlock(&cache_lock);
	return slot >= 0 ? slot : atomic_load(&entry->slot);
}

static long *object_at(struct object *object, int property, unsigned *misses)
{
	int slot = cache_lookup(object->shape, property, misses);

	return &object->slots[slot];
}

/* total += price * count; count = count % 7 + 1; price = price + 3 */
static void *script_run(void *arg)
{
	enum { TOTAL, PRICE, COUNT };
	struct script *own = arg;
	struct object object = { .shape = own->shape };
	unsigned *misses = &own->misses;

	*object_at(&object, PRICE, misses) = 5;
	*object_at(&object, COUNT, misses) = 1;
	for (int i = 0; i < rounds; i++) {
		long price = *object_at(&object, PRICE, misses);
		long count = *object_at(&object, COUNT, misses);

		*object_at(&object, TOTAL, misses) += price * count;
		*object_at(&object, COUNT, misses) = count % 7 + 1;
		*object_at(&object, PRICE, misses) = price + 3;
	}
	own->result = *object_at(&object, TOTAL, misses);
	return NULL;
}

static long script_expected(void)
{
	long total = 0, price = 5, count = 1;

	for (int i = 0; i < rounds; i++) {
		total += price * count;
		count = count % 7 + 1;
		price += 3;
	}
	return total;
}

int main(int argc, char **argv)
{
	struct script scripts[SCRIPTS] = { 0 };
	pthread_t threads[SCRIPTS];

	rounds = subject_size(argc, argv, 1, 2);
	for (int i = 0; i < ENTRIES; i++)
		cache[i].shape = -1;
	for (int i = 0; i < SCRIPTS; i++) {
		scripts[i].shape = &shapes[i];
		subject_start(&threads[i], script_run, &scripts[i]);
	}
	for (int i = 0; i < SCRIPTS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SCRIPTS; i++)
		if (scripts[i].result != script_expected())
			subject_wrong("script %d says %ld instead of %ld", i,
				      scripts[i].result, script_expected());
	printf("%ld, %u misses\n", scripts[0].result,
	       scripts[0].misses + scripts[1].misses);
	return 0;
}
