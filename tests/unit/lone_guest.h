/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LONE_GUEST_H
#define HEDDLE_LONE_GUEST_H

/*
 * What the collector of pairs needs of the rest of the guest, for a test
 * program that has none: memory, and places that are their own numbers. It
 * defines these, so a program includes it once, behind cmocka.h.
 */

#include "runtime/control.h"
#include "runtime/pairs.h"

#include "lone_memory.h"

struct region *region;
struct control *control;
bool controlled, steered, gate;
uint32_t turn_live, turn_visit;
__thread struct thread *self;

void guest_note(const char *text)
{
	(void)text;
	fail();
}

void signal_deliver_pending(struct thread *t)
{
	(void)t;
}

uint32_t stack_node(struct thread *t, uintptr_t pc)
{
	(void)t;
	return (uint32_t)pc;
}

uint32_t control_site(uintptr_t pc)
{
	return (uint32_t)pc;
}

#endif
