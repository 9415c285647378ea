/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of memory, each marked as free or allocated in a vector. Finding a
 * free block and marking one are safe, each on its own; allocating does both.
 *
 * bug:      RV-CAUSAL Figure 6 and Table 1, Allocation
 * kind:     atomicity violation, one variable, no data race (LOCON row 6)
 * threads:  main and 2 users, or 3
 * failure:  assertion: a block that is allocated is marked again
 * accesses: read of the mark, write of the mark by another, read of the mark
 * natively: rare, one call between unlocking and locking again
 * twins:    -DFIXED holds the lock over both
 * sizes:    blocks that each user wants, rounds of work with one, those that
 *           it gives back plus one, users
 */
#include <assert.h>

#include "subject.h"

#define USERS_MAX 3
#define BLOCKS_MAX 1000

enum mark { BLOCK_FREE, BLOCK_ALLOCATED };

struct vector {
	pthread_mutex_t lock;
	enum mark marks[BLOCKS_MAX];
	int count;
};

struct user {
	int number;
	int got[BLOCKS_MAX];
	int missed;
};

static struct vector vector;
static int wanted;
static int effort;
static int given_back;

static void vector_lock(void)
{
	pthread_mutex_lock(&vector.lock);
}

static void vector_unlock(void)
{
	pthread_mutex_unlock(&vector.lock);
}

/* -1: all are in use. */
static int free_block_find(void)
{
	int found = -1;

	vector_lock();
	for (int i = 0; i < vector.count && found < 0; i++)
		if (vector.marks[i] == BLOCK_FREE)
			found = i;
	vector_unlock();
	return found;
}

static void block_mark(int block, enum mark mark)
{
	vector_lock();
	assert(vector.marks[block] != mark);
	vector.marks[block] = mark;
	vector_unlock();
}

static int block_allocate(void)
{
	int block;

#ifdef FIXED
	vector_lock();
#endif
	block = free_block_find();
	if (block >= 0)
		block_mark(block, BLOCK_ALLOCATED);
#ifdef FIXED
	vector_unlock();
#endif
	return block;
}

static void *user_run(void *arg)
{
	struct user *own = arg;

	for (int i = 0; i < wanted; i++) {
		subject_work((unsigned)(own->number + i), (unsigned)effort);
		own->got[i] = block_allocate();
	}
	for (int i = 0; i < given_back; i++) {
		if (own->got[i] >= 0)
			block_mark(own->got[i], BLOCK_FREE);
		else
			own->missed++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct user users[USERS_MAX];
	pthread_mutexattr_t attributes;
	pthread_t threads[USERS_MAX];
	int missed = 0, count;

	wanted = subject_size(argc, argv, 1, 2);
	effort = subject_size(argc, argv, 2, 2500);
	given_back = subject_size(argc, argv, 3, wanted + 1) - 1;
	count = subject_size(argc, argv, 4, 2);
	if (count > USERS_MAX)
		return 2;
	vector.count = count * wanted;
	if (vector.count > BLOCKS_MAX || given_back > wanted)
		return 2;
	/* A monitor can be entered again by the thread that is in it. */
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&vector.lock, &attributes);
	for (int i = 0; i < count; i++) {
		users[i].number = i;
		subject_start(&threads[i], user_run, &users[i]);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < count; i++)
		missed += users[i].missed;
	assert(given_back < wanted || free_block_find() == 0);
	printf("%d blocks, %d times none\n", vector.count, missed);
	return 0;
}
