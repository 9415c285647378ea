/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A free list of buffers as a stack without locks. Taking one reads the head
 * and the next of the head, and replaces the head if it is still the same; but
 * it may have been taken and given back in between.
 *
 * bug:      Treiber's stack with the ABA problem
 * kind:     lock-free, atomicity violation, no data race
 * threads:  main and 2 users
 * failure:  assertion: a buffer has two users
 * accesses: read of head and of its next; head taken, next taken, head given
 *           back by the other; compare and exchange of head
 * natively: rare, three operations inside of one
 * twins:    -DFIXED counts the changes of the head in its upper half
 * sizes:    rounds of each user, buffers
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "subject.h"

#define USERS 2
#define BUFFERS_MAX 64
#define NOTHING 0xffffffffu

struct buffer {
	_Atomic uint32_t next;
	_Atomic int users;
	unsigned content;
};

static struct buffer buffers[BUFFERS_MAX];
static _Atomic uint64_t head = NOTHING;
static int rounds;

static uint64_t head_of(uint64_t old, uint32_t index)
{
#ifdef FIXED
	return ((old >> 32) + 1) << 32 | index;
#else
	(void)old;
	return index;
#endif
}

static void stack_push(uint32_t index)
{
	uint64_t old = atomic_load(&head);

	do
		atomic_store(&buffers[index].next, (uint32_t)old);
	while (!atomic_compare_exchange_strong(&head, &old,
					       head_of(old, index)));
}

static uint32_t stack_pop(void)
{
	uint64_t old = atomic_load(&head);
	uint32_t next;

	do {
		if ((uint32_t)old == NOTHING)
			return NOTHING;
		next = atomic_load(&buffers[(uint32_t)old].next);
	} while (!atomic_compare_exchange_strong(&head, &old,
						 head_of(old, next)));
	return (uint32_t)old;
}

static void buffer_own(uint32_t index)
{
	assert(atomic_fetch_add(&buffers[index].users, 1) == 0);
}

static void buffer_give_back(uint32_t index)
{
	atomic_fetch_sub(&buffers[index].users, 1);
	stack_push(index);
}

/* Works with two buffers at a time and gives the first back first. */
static void *user_run(void *arg)
{
	unsigned number = *(unsigned *)arg;

	for (int i = 0; i < rounds; i++) {
		uint32_t one = stack_pop(), two;

		if (one == NOTHING)
			continue;
		buffer_own(one);
		two = stack_pop();
		if (two != NOTHING)
			buffer_own(two);
		buffers[one].content = subject_work(number, 1500);
		buffer_give_back(one);
		if (two != NOTHING)
			buffer_give_back(two);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned numbers[USERS] = { 0, 1 };
	pthread_t threads[USERS];
	int count, found = 0;

	rounds = subject_size(argc, argv, 1, 2);
	count = subject_size(argc, argv, 2, 3);
	if (count > BUFFERS_MAX)
		return 2;
	for (int i = 0; i < count; i++)
		stack_push((uint32_t)i);
	for (int i = 0; i < USERS; i++)
		subject_start(&threads[i], user_run, &numbers[i]);
	for (int i = 0; i < USERS; i++)
		pthread_join(threads[i], NULL);
	while (found <= count && stack_pop() != NOTHING)
		found++;
	assert(found == count);
	printf("%d buffers\n", found);
	return 0;
}
