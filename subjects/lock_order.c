/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file system in memory: renaming moves a file from one directory to another
 * and locks both, the source first.
 *
 * bug:      two locks in either order
 * kind:     deadlock
 * threads:  main and 2 that rename
 * failure:  deadlock
 * accesses: lock of a, lock of b by the other, lock of b, lock of a
 * natively: rare, both have to be between two locks
 * twins:    -DPARTIAL locks in the order of addresses if the directory it takes
 *           from is the fuller one; -DFIXED always does
 * sizes:    renames of each thread, directories
 */
#include <string.h>

#include "subject.h"

#define THREADS 2
#define FILES_MAX 16
#define DIRECTORIES_MAX 8

struct directory {
	pthread_mutex_t lock;
	int count;
	int files[FILES_MAX];
};

struct mover {
	int number;
	unsigned moved;
	unsigned failed;
};

static struct directory directories[DIRECTORIES_MAX];
static int directory_count;
static int renames;

static void directories_lock(struct directory *from, struct directory *to)
{
#if defined(PARTIAL)
	int in_order = from->count > to->count && to < from;

	pthread_mutex_lock(in_order ? &to->lock : &from->lock);
	pthread_mutex_lock(in_order ? &from->lock : &to->lock);
#elif defined(FIXED)
	pthread_mutex_lock(from < to ? &from->lock : &to->lock);
	pthread_mutex_lock(from < to ? &to->lock : &from->lock);
#else
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
#endif
}

/* Moves the last file; 0 if there is none, or no room. */
static int file_rename(struct directory *from, struct directory *to)
{
	int done = 0;

	if (from == to)
		return 0;
	directories_lock(from, to);
	if (from->count > 0 && to->count < FILES_MAX) {
		to->files[to->count++] = from->files[--from->count];
		done = 1;
	}
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
	return done;
}

static void *mover_run(void *arg)
{
	struct mover *own = arg;
	unsigned dice = (unsigned)own->number + 1;

	for (int i = 0; i < renames; i++) {
		unsigned count = (unsigned)directory_count, from, to;

		dice = subject_work(dice, 3000);
		from = dice % count;
		to = (from + 1 + (dice >> 8) % (count - 1)) % count;
		if (file_rename(&directories[from], &directories[to]))
			own->moved++;
		else
			own->failed++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct mover movers[THREADS] = { 0 };
	pthread_t threads[THREADS];
	int files = 0;

	renames = subject_size(argc, argv, 1, 2);
	directory_count = subject_size(argc, argv, 2, 2);
	if (directory_count < 2 || directory_count > DIRECTORIES_MAX)
		return 2;
	for (int i = 0; i < directory_count; i++) {
		pthread_mutex_init(&directories[i].lock, NULL);
		directories[i].count = 2;
	}
	for (int i = 0; i < THREADS; i++) {
		movers[i].number = i;
		subject_start(&threads[i], mover_run, &movers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < directory_count; i++)
		files += directories[i].count;
	if (files != 2 * directory_count)
		subject_wrong("%d files", files);
	printf("%u renames\n", movers[0].moved + movers[1].moved);
	return 0;
}
