/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/apiece.h"
#include "runtime/control.h"
#include "runtime/filter.h"
#include "runtime/latch.h"
#include "runtime/order.h"
#include "runtime/runtime.h"
#include "runtime/settle.h"
#include "runtime/sys.h"

#include <sys/mman.h>

/*
 * A struct thread is found by its number while somebody may still ask for it:
 * until the thread has ended and was joined or detached. Then it serves
 * another thread, with its memory.
 */

__thread struct thread *self __attribute__((tls_model("initial-exec")));

/* Past its end for us; what still runs in it (libc's last steps) passes. */
static __thread bool departed __attribute__((tls_model("initial-exec")));

enum {
	FATE_ENDED = 1,
	FATE_FORGOTTEN = 2,
};

static struct {
	struct latch latch;
	struct thread *free;
} pool;

/* A struct with the array of its first calls right behind it, so that a thread
 * that does little needs one page. They are mapped several at a time; untouched
 * ones cost nothing. Under control, where a page costs more than what is done
 * with it, several threads share one. */
enum {
	BLOCKS = 8,
	BLOCK = (sizeof(struct thread) + CALLS_FIRST * sizeof(struct call) +
		 4095) &
		~4095,
};

static struct {
	struct latch latch;
	uintptr_t next;
	uint32_t left;
} blocks;

static void blocks_map(void)
{
	blocks.next = (uintptr_t)guest_map((size_t)BLOCKS * BLOCK);
	blocks.left = blocks.next ? BLOCKS : 0;
}

static struct thread *block_take(void)
{
	struct thread *t = NULL;

	if (control)
		return guest_map(sizeof(*t) + CALLS_FEW * sizeof(struct call));
	latch_take(&blocks.latch);
	if (!blocks.left)
		blocks_map();
	if (blocks.left) {
		t = (struct thread *)blocks.next;
		blocks.next += BLOCK;
		blocks.left--;
	}
	latch_give(&blocks.latch);
	return t;
}

/* The struct and all it points to vanish in a forked child (guest_map). */
static struct thread *thread_map(void)
{
	struct thread *t = block_take();

	if (!t)
		return NULL;
	t->base = (struct call *)(t + 1);
	t->limit = t->base + (control ? CALLS_FEW : CALLS_FIRST);
	t->memo = guest_map(STACK_MEMO * sizeof(*t->memo));
	if (!control)
		t->before = guest_map(INCARNATIONS * sizeof(*t->before));
	return t->memo && (control || t->before) ? t : NULL;
}

static struct thread *thread_take(void)
{
	struct thread *t;

	latch_take(&pool.latch);
	t = pool.free;
	if (t)
		pool.free = t->next;
	latch_give(&pool.latch);
	return t ? t : thread_map();
}

static void thread_reset(struct thread *t)
{
	uint64_t *before = t->before;
	struct call *base = t->base, *limit = t->limit;
	struct stack_memo *memo = t->memo;
	struct loop_frame *loops = t->loops;
	struct pair_memo *pair_memo = t->pair_memo;

	base->header = base->loops = base->began = 0;
	*t = (struct thread){ .before = before,
			      .base = base,
			      .memo = memo,
			      .loops = loops,
			      .pair_memo = pair_memo,
			      .top = base,
			      .limit = limit,
			      .alive = 1 };
}

static uint32_t number_take(void)
{
	uint32_t count = atomic_load(&region->thread_count);

	/* The entry is filled by the caller after it is counted: the tool
	 * writes tables only when it writes events, and no event of this
	 * thread exists before the entry is filled. */
	do
		if (count >= REGION_THREADS)
			return NO_THREAD;
	while (!atomic_compare_exchange_weak(&region->thread_count, &count,
					     count + 1));
	return count;
}

static struct thread *thread_new(const struct thread *creator)
{
	struct thread *t;
	uint32_t number;

	if (!apiece_prepare())
		return NULL;
	t = thread_take();
	if (!t)
		return NULL;
	number = number_take();
	if (number == NO_THREAD) {
		guest_note("more threads than can be told apart; later ones "
			   "are not recorded");
		latch_take(&pool.latch);
		t->next = pool.free;
		pool.free = t;
		latch_give(&pool.latch);
		return NULL;
	}
	thread_reset(t);
	t->number = number;
	t->deepest = number ? 0 : UINT32_MAX; /* main is main */
	t->pair_tag = pair_tag(number);
	apiece[number].life = t;
	region->threads[number] =
		(struct region_thread){ .parent = creator ? creator->number :
							    NO_THREAD };
	return t;
}

static void thread_recycle(struct thread *t)
{
	apiece[t->number].life = NULL;
	order_recycle(t);
	t->alive = 0;
	latch_take(&pool.latch);
	t->next = pool.free;
	pool.free = t;
	latch_give(&pool.latch);
}

/* Ended and forgotten, in either order: whoever comes second recycles. */
static void fate_add(struct thread *t, uint32_t what)
{
	if (atomic_fetch_or(&t->fate, what) ==
	    (FATE_ENDED ^ FATE_FORGOTTEN ^ what))
		thread_recycle(t);
}

static void warm_up(struct thread *t)
{
	order_slow(t, true);
}

static struct thread *meet(void)
{
	struct thread *t = thread_new(NULL);

	departed = !t;
	if (!t)
		return NULL;
	t->inside = 1;
	self = t;
	return t;
}

static struct thread *adopt(struct thread *t)
{
	if (!t)
		return NULL;
	order_begin(t, NULL);
	warm_up(t);
	region->threads[t->number].kernel_tid = (uint32_t)SYS_0(SYS_gettid);
	settle(t, SETTLE_ADOPTED);
	record_at(t, EVENT_THREAD_BEGIN, 0, 0, NO_THREAD, NO_STACK);
	guest_leave(t);
	return t;
}

struct thread *life_adopt(void)
{
	struct thread *t;
	uint64_t mask;

	/* A new thread in a child that was forked behind our back finds the
	 * gate open too. */
	if (!gate_is_open() || departed ||
	    SYS_0(SYS_getpid) != (long)atomic_load(&region->guest_pid))
		return NULL;
	signals_block(&mask);
	t = meet();
	signals_restore(&mask);
	return adopt(t);
}

/* The gate is closed: a handler meets nobody. */
struct thread *life_first(void)
{
	return adopt(meet());
}

struct thread *life_prepare(struct thread *creator, const void *start,
			    uintptr_t pc)
{
	struct thread *t;
	struct region_thread *entry;

	guest_enter(creator);
	t = thread_new(creator);
	if (t) {
		entry = &region->threads[t->number];
		entry->nth = creator->children++;
		entry->stack = stack_node(creator, pc);
		entry->start = (uintptr_t)start;
		t->deepest = module_is_instrumented((uintptr_t)start) ?
				     UINT32_MAX :
				     0;
		record_at(creator, EVENT_THREAD_CREATE, 0, 0, t->number,
			  entry->stack);
		order_begin(t, creator);
	}
	guest_leave(creator);
	return t;
}

void life_cancel(struct thread *t)
{
	thread_recycle(t);
}

void life_begin(struct thread *t)
{
	struct region_thread *entry = &region->threads[t->number];

	guest_enter(t);
	self = t;
	warm_up(t);
	/* Under control it was told before the thread had its first turn. */
	if (!controlled)
		entry->kernel_tid = (uint32_t)SYS_0(SYS_gettid);
	entry->stack_low = t->stack_low;
	entry->stack_high = t->stack_high;
	record_at(t, EVENT_THREAD_BEGIN, 0, 0, entry->parent, entry->stack);
	guest_leave(t);
}

void life_end(void)
{
	struct thread *t = self;

	departed = true;
	if (!t || !t->alive)
		return;
	guest_enter(t);
	record_at(t, EVENT_THREAD_END, 0, 0, 0, NO_STACK);
	atomic_store(&region->threads[t->number].end_stamp,
		     t->codec.stamp ? t->codec.stamp : 1);
	record_flush(t);
	/* From here on handlers run without us; those put off until now are
	 * raised again. */
	self = NULL;
	guest_leave(t);
	fate_add(t, FATE_ENDED);
}

void life_join(struct thread *t, uint32_t number, uintptr_t pc)
{
	struct thread *ended;

	guest_enter(t);
	ended = number < REGION_THREADS && apiece ? apiece[number].life : NULL;
	record(t, EVENT_THREAD_JOIN, NULL, 0, number, pc);
	if (ended) {
		order_join(t, ended);
		fate_add(ended, FATE_FORGOTTEN);
	}
	guest_leave(t);
}

void life_forget(uint32_t number)
{
	struct thread *t = apiece ? apiece[number].life : NULL;

	if (t)
		fate_add(t, FATE_FORGOTTEN);
}

void life_close(void)
{
	if (!gate || !region)
		return;
	atomic_store(&region->closed, 1);
}
