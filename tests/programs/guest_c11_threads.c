/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of C11, which do not pass through the pthread names.
 *
 * count: 13 thread-create
 * count: 12 thread-join
 * count: 1 thread-detach
 */
#include "guest_check.h"

#include <stdatomic.h>
#include <threads.h>

static atomic_int detached;
static int shared;

static int work(void *by)
{
	shared += *(int *)by;
	return 40 + *(int *)by;
}

static int leave(void *by)
{
	thrd_exit(-*(int *)by);
}

static int alone(void *unused)
{
	(void)unused;
	detached = 1;
	return 0;
}

int main(void)
{
	thrd_t thread;
	int by = 2, result;

	for (int i = 0; i < 10; i++) {
		CHECK(thrd_create(&thread, work, &by) == thrd_success);
		CHECK(thrd_join(thread, &result) == thrd_success);
		CHECK(result == 42);
	}
	CHECK(thrd_create(&thread, leave, &by) == thrd_success);
	CHECK(thrd_join(thread, &result) == thrd_success && result == -2);
	CHECK(thrd_create(&thread, work, &by) == thrd_success);
	CHECK(thrd_join(thread, NULL) == thrd_success);
	CHECK(thrd_create(&thread, alone, NULL) == thrd_success);
	CHECK(thrd_detach(thread) == thrd_success);
	while (!detached)
		thrd_yield();
	CHECK(shared == 22);
	return passed();
}
