/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spin.h"
#include "runtime/turn.h"
#include "runtime/values.h"

/* What threads hold: for reports of deadlocks, and to find rings of them. */

void turn_hold(struct thread *t, enum event_kind kind,
	       const volatile void *object, uintptr_t pc)
{
	struct control_thread *c = &control->threads[t->number];
	uint32_t n = c->hold_count;

	spin_lock(t->number, (uintptr_t)object);
	for (uint32_t i = 0; i < n && i < CONTROL_HELD; i++)
		if (c->holds[i].object == (uintptr_t)object) {
			c->holds[i].depth++;
			return;
		}
	values_took(t, object);
	if (!n) {
		c->gate_site = c->site;
		c->gate_visit = turn_visit;
	}
	c->hold_count++;
	if (n < CONTROL_HELD)
		c->holds[n] =
			(struct control_hold){ .object = (uintptr_t)object,
					       .stack = stack_node(t, pc),
					       .kind = (uint16_t)kind,
					       .depth = 1 };
}

/* True: thread `number` held the object, and has dropped it once. */
static bool hold_drop(uint32_t number, uintptr_t object, bool *is_last)
{
	struct control_thread *c = &control->threads[number];
	uint32_t n = c->hold_count < CONTROL_HELD ? c->hold_count :
						    CONTROL_HELD;
	uint32_t i = 0;

	while (i < n && c->holds[i].object != object)
		i++;
	if (i == n)
		return false;
	*is_last = --c->holds[i].depth == 0;
	if (!*is_last)
		return true;
	c->hold_count--;
	for (; i + 1 < n; i++)
		c->holds[i] = c->holds[i + 1];
	return true;
}

/* libc lets anybody unlock a mutex, and some programs hand one over so. */
static uint32_t holder_of(uint32_t number, uintptr_t object)
{
	for (uint32_t k = 0; k < control->run.thread_count; k++) {
		const struct control_thread *c = &control->threads[k];

		for (uint32_t i = 0; i < c->hold_count && i < CONTROL_HELD; i++)
			if (c->holds[i].object == object &&
			    c->holds[i].kind == EVENT_MUTEX_LOCK)
				return k;
	}
	return number;
}

void turn_drop(struct thread *t, const volatile void *object)
{
	uint32_t number = t->number;
	bool is_last = true;

	if (!hold_drop(number, (uintptr_t)object, &is_last)) {
		number = holder_of(number, (uintptr_t)object);
		if (hold_drop(number, (uintptr_t)object, &is_last))
			spin_gate((uintptr_t)object);
	}
	spin_unlock(number, (uintptr_t)object);
	if (is_last)
		values_left(t, object);
}
