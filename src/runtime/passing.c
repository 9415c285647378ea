/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/blocking.h"
#include "runtime/rebirth.h"
#include "runtime/sys.h"
#include "runtime/values.h"

#include <linux/futex.h>
#include <time.h>

/*
 * How the turn gets from one thread to another: a word of each thread, which
 * it waits for in the kernel. It is the one place in which threads without the
 * turn are, but for those in real calls.
 */

static _Atomic uint32_t *word_of(uint32_t number)
{
	return &control->threads[number].turn;
}

void turn_wake(uint32_t number, enum turn_word word)
{
	/* Pairs with the acquire in word_await. */
	atomic_store_explicit(word_of(number), word, memory_order_release);
	SYS_3(SYS_futex, word_of(number), FUTEX_WAKE_PRIVATE, 1);
}

static void word_sleep(uint32_t me, const struct timespec *tick)
{
	if (unlikely(rebirth_expected))
		rebirth_park(me, word_of(me), tick);
	else
		SYS_4(SYS_futex, word_of(me), FUTEX_WAIT_PRIVATE, TURN_NONE,
		      tick);
}

/* `tick` for a thread that no signal can wake: it looks now and then. */
static void word_await(uint32_t me, const struct timespec *tick)
{
	uint32_t word;

	for (;;) {
		word = atomic_load_explicit(word_of(me), memory_order_acquire);
		if (word == TURN_NONE) {
			word_sleep(me, tick);
			continue;
		}
		atomic_store_explicit(word_of(me), TURN_NONE,
				      memory_order_relaxed);
		if (likely(word == TURN_YOURS))
			return;
		blocking_errand(word);
	}
}

void turn_wait(uint32_t me)
{
	word_await(me, NULL);
}

void turn_enter(struct thread *t)
{
	const struct timespec tick = { .tv_nsec = 100 * 1000 * 1000 };

	word_await(t->number, &tick);
	values_point(t->number, true);
}
