/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of sines that is made when somebody first needs it. Whether it is
 * there is asked without the lock first; with the lock it is made, and known
 * to all before it is filled.
 *
 * bug:      double-checked initialisation
 * kind:     order violation, no data race
 * threads:  main and 3 users
 * failure:  assertion: an entry of the table is missing
 * accesses: write of table, read of table by another, read of an entry, write
 *           of the entry
 * natively: rare, the table is made once
 * twins:    -DFIXED fills the table before it is known
 * sizes:    lookups of each user, entries
 */
#include <assert.h>
#include <stdatomic.h>

#include "subject.h"

#define USERS 3
#define ENTRIES_MAX 4096

struct table {
	int size;
	_Atomic int entries[ENTRIES_MAX];
};

static _Atomic(struct table *) table;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int lookups;
static int entry_count;

/* Never 0. */
static int entry_compute(int i)
{
	return (int)(subject_work((unsigned)i, 50) % 1000) + 1;
}

static void table_fill(struct table *made)
{
	made->size = entry_count;
	for (int i = 0; i < entry_count; i++)
		atomic_store(&made->entries[i], entry_compute(i));
}

static struct table *table_make(void)
{
	struct table *made = calloc(1, sizeof(*made));

	if (!made)
		exit(2);
#ifdef FIXED
	table_fill(made);
	atomic_store(&table, made);
#else
	atomic_store(&table, made);
	table_fill(made);
#endif
	return made;
}

static struct table *table_get(void)
{
	struct table *made = atomic_load(&table);

	if (made)
		return made;
	pthread_mutex_lock(&table_lock);
	made = atomic_load(&table);
	if (!made)
		made = table_make();
	pthread_mutex_unlock(&table_lock);
	return made;
}

static int table_look_up(int i)
{
	int entry = atomic_load(&table_get()->entries[i]);

	assert(entry != 0);
	return entry;
}

static void *user_run(void *arg)
{
	unsigned *sum = arg;

	for (int i = 0; i < lookups; i++) {
		unsigned which = subject_work(*sum + (unsigned)i, 2000);

		*sum += (unsigned)table_look_up(
			(int)(which % (unsigned)entry_count));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned sums[USERS] = { 1, 2, 3 };
	pthread_t threads[USERS];

	lookups = subject_size(argc, argv, 1, 2);
	entry_count = subject_size(argc, argv, 2, 4);
	if (entry_count > ENTRIES_MAX)
		return 2;
	for (int i = 0; i < USERS; i++)
		subject_start(&threads[i], user_run, &sums[i]);
	for (int i = 0; i < USERS; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", sums[0] + sums[1] + sums[2]);
	free(atomic_load(&table));
	return 0;
}
