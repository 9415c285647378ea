/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/model.h"

#include "runtime/timing.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>

/*
 * The futex that programs build their own locks of. Who sleeps on a word is
 * known to the turn, so looking at the word and going to sleep are one.
 *
 * The kernel wakes those who came first; programs must not rely on that, and
 * here any of them is woken, by choice. Operations with priority inheritance
 * are left to the kernel.
 */

enum { SECOND = 1000 * 1000 * 1000 };

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* ---- sleeping ---- */

/* FUTEX_WAIT is told how long, FUTEX_WAIT_BITSET until when. */
static long deadline_of(const struct futex_call *call, uint64_t *deadline)
{
	const struct timespec *timeout = call->timeout;
	bool is_wall = call->operation & FUTEX_CLOCK_REALTIME;

	*deadline = NO_DEADLINE;
	if (!timeout)
		return 0;
	if (timeout->tv_sec < 0 || timeout->tv_nsec < 0 ||
	    timeout->tv_nsec >= SECOND)
		return -EINVAL;
	if ((call->operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
		*deadline = timing_deadline_in(timeout);
	else
		*deadline = timing_deadline(
			is_wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
	return 0;
}

static long futex_wait(struct thread *t, const struct futex_call *call,
		       uint32_t which, uintptr_t pc)
{
	uint64_t deadline;
	long rc = deadline_of(call, &deadline);

	if (rc || !which)
		return rc ? rc : -EINVAL;
	turn_point(t, EVENT_FUTEX_WAIT, call->word, pc);
	if (load(call->word) != call->value)
		return -EAGAIN;
	model_sleep(t, EVENT_FUTEX_WAIT, call->word, which);
	rc = model_await_signal(t, EVENT_FUTEX_WAIT, call->word, pc,
				can_be_woken_only, deadline);
	return model_sleep_end(t) ? 0 : -rc;
}

/* ---- waking ---- */

static long wake(struct thread *t, const uint32_t *word, uint32_t most,
		 uint32_t which)
{
	uint32_t woken = 0, n;

	while (woken < most) {
		n = model_sleeper_pick(t, EVENT_FUTEX_WAIT, word, which);
		if (n == NO_THREAD)
			break;
		model_wake(n);
		woken++;
	}
	return woken;
}

static long futex_wake(struct thread *t, const struct futex_call *call,
		       uint32_t which, uintptr_t pc)
{
	/* The kernel wakes one when told to wake none. */
	uint32_t most = (int)call->value > 0 ? call->value : 1;

	if (!which)
		return -EINVAL;
	turn_point(t, EVENT_FUTEX_WAKE, call->word, pc);
	return wake(t, call->word, most, which);
}

/* ---- moving ---- */

static uint32_t requeue(struct thread *t, const uint32_t *from,
			const uint32_t *to, uint32_t most)
{
	uint32_t moved = 0, n;

	while (moved < most) {
		n = model_sleeper_pick(t, EVENT_FUTEX_WAIT, from, ANY_BITS);
		if (n == NO_THREAD)
			break;
		model_move(n, to);
		moved++;
	}
	return moved;
}

static long futex_requeue(struct thread *t, const struct futex_call *call,
			  bool compares, uintptr_t pc)
{
	uint32_t most = (uint32_t)(uintptr_t)call->timeout;
	long rc;

	if ((int)call->value < 0 || (int)most < 0)
		return -EINVAL;
	turn_point(t, EVENT_FUTEX_WAKE, call->word, pc);
	if (compares && load(call->word) != call->other_value)
		return -EAGAIN;
	rc = wake(t, call->word, call->value, ANY_BITS);
	if (call->other == call->word)
		return rc;
	rc += requeue(t, call->word, call->other, most);
	return rc;
}

/* ---- changing another word on the way ---- */

static uint32_t operation_apply(uint32_t *word, uint32_t what)
{
	uint32_t operand = what >> 12 & 0xfff;
	uint32_t op = what >> 28 & 7;

	if (what >> 28 & FUTEX_OP_OPARG_SHIFT)
		operand = UINT32_C(1) << (operand & 31);
	else
		operand = (uint32_t)((int32_t)(operand << 20) >> 20);
	switch (op) {
	case FUTEX_OP_SET:
		return __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
	case FUTEX_OP_ADD:
		return __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
	case FUTEX_OP_OR:
		return __atomic_fetch_or(word, operand, __ATOMIC_SEQ_CST);
	case FUTEX_OP_ANDN:
		return __atomic_fetch_and(word, ~operand, __ATOMIC_SEQ_CST);
	default:
		return __atomic_fetch_xor(word, operand, __ATOMIC_SEQ_CST);
	}
}

static bool operation_compare(uint32_t old, uint32_t what)
{
	int32_t left = (int32_t)old;
	int32_t right = (int32_t)(what << 20) >> 20;

	switch (what >> 24 & 0xf) {
	case FUTEX_OP_CMP_EQ:
		return left == right;
	case FUTEX_OP_CMP_NE:
		return left != right;
	case FUTEX_OP_CMP_LT:
		return left < right;
	case FUTEX_OP_CMP_LE:
		return left <= right;
	case FUTEX_OP_CMP_GT:
		return left > right;
	default:
		return left >= right;
	}
}

static long futex_wake_op(struct thread *t, const struct futex_call *call,
			  uintptr_t pc)
{
	uint32_t most = (uint32_t)(uintptr_t)call->timeout;
	uint32_t what = call->other_value, old;
	long woken;

	if ((what >> 28 & 7) > FUTEX_OP_XOR ||
	    (what >> 24 & 0xf) > FUTEX_OP_CMP_GE)
		return -ENOSYS;
	turn_point(t, EVENT_FUTEX_WAKE, call->word, pc);
	old = operation_apply(call->other, what);
	woken = wake(t, call->word, call->value, ANY_BITS);
	if (operation_compare(old, what))
		woken += wake(t, call->other, most, ANY_BITS);
	return woken;
}

/* ---- the call ---- */

/* False: not one of those modelled. The thread is inside. */
static bool dispatch(struct thread *t, const struct futex_call *call,
		     uintptr_t pc, long *result)
{
	switch (call->operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		*result = futex_wait(t, call, ANY_BITS, pc);
		return true;
	case FUTEX_WAIT_BITSET:
		*result = futex_wait(t, call, call->other_value, pc);
		return true;
	case FUTEX_WAKE:
		*result = futex_wake(t, call, ANY_BITS, pc);
		return true;
	case FUTEX_WAKE_BITSET:
		*result = futex_wake(t, call, call->other_value, pc);
		return true;
	case FUTEX_REQUEUE:
		*result = futex_requeue(t, call, false, pc);
		return true;
	case FUTEX_CMP_REQUEUE:
		*result = futex_requeue(t, call, true, pc);
		return true;
	case FUTEX_WAKE_OP:
		*result = futex_wake_op(t, call, pc);
		return true;
	default:
		return false;
	}
}

bool model_futex(const struct futex_call *call, uintptr_t pc, long *result)
{
	struct thread *t = guest_self();
	bool is_done;

	if (!t || (uintptr_t)call->word % sizeof(*call->word) ||
	    model_is_apart(!(call->operation & FUTEX_PRIVATE_FLAG)))
		return false;
	guest_enter(t);
	is_done = dispatch(t, call, pc, result);
	guest_leave(t);
	return is_done;
}
