/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/rehearse.h"

#include "runtime/heap.h"
#include "runtime/real.h"
#include "runtime/settle.h"
#include "runtime/strangers.h"
#include "runtime/sys.h"

#include <sys/mman.h>

static void *do_nothing(void *arg)
{
	return arg;
}

/* On a stack that is ours: libc would keep its own for the next thread. */
static bool create_and_join(void *stack, size_t size)
{
	pthread_attr_t attr;
	pthread_t id;
	bool is_done;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, size);
	is_done = real.pthread_create(&id, &attr, do_nothing, NULL) == 0 &&
		  real.pthread_join(id, NULL) == 0;
	pthread_attr_destroy(&attr);
	return is_done;
}

void rehearse(void)
{
	enum { STACK = 1 << 18 };
	char room[1 << 14];
	uint64_t mask;
	long stack = SYS_6(SYS_mmap, 0, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stack < 0 && stack > -4096)
		return;
	/* No handler of the program may run in it. */
	signals_block(&mask);
	heap_lend(room, sizeof(room));
	/* Joined is not yet gone, and whoever counts threads would see it. */
	if (create_and_join((void *)stack, STACK))
		while (!strangers_are_none())
			SYS_0(SYS_sched_yield);
	heap_lend(NULL, 0);
	signals_restore(&mask);
	SYS_2(SYS_munmap, stack, STACK);
}
