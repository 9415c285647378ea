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

void turn_drop(struct thread *t, const volatile void *object)
{
	struct control_thread *c = &control->threads[t->number];
	uint32_t n = c->hold_count < CONTROL_HELD ? c->hold_count :
						    CONTROL_HELD;

	spin_unlock(t->number, (uintptr_t)object);
	for (uint32_t i = 0; i < n; i++) {
		if (c->holds[i].object != (uintptr_t)object)
			continue;
		if (--c->holds[i].depth)
			return;
		c->hold_count--;
		for (; i + 1 < n; i++)
			c->holds[i] = c->holds[i + 1];
		break;
	}
	values_left(t, object);
}
