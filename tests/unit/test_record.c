/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/order.h"
#include "runtime/perturb.h"
#include "runtime/runtime.h"
#include "trace/event_bytes.h"

/*
 * The guest's recorder beside a region that nobody but the test empties.
 */

/* ---- the rest of the guest ---- */

struct region *region;
bool gate = true, recording = true;
bool perturbing;

void perturb_event(struct thread *t, enum event_kind kind,
		   const volatile void *object, uint64_t arg, uintptr_t pc)
{
	(void)t;
	(void)kind;
	(void)object;
	(void)arg;
	(void)pc;
}
static unsigned int notes;

void *guest_map(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

void guest_note(const char *text)
{
	(void)text;
	notes++;
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

/* ---- what a thread may do ---- */

static struct call base = { .stack = 1 };
static struct thread *t;

static int thread_begin(void **state)
{
	(void)state;
	region = guest_map(sizeof(*region));
	assert_non_null(region);
	region->tool_pid = (uint32_t)getpid();
	region->thread_count = 1;
	t = guest_map(sizeof(*t));
	assert_non_null(t);
	t->top = t->base = &base;
	t->before = guest_map(INCARNATIONS * sizeof(*t->before));
	order_begin(t, NULL);
	return 0;
}

static int thread_end(void **state)
{
	(void)state;
	munmap(t, sizeof(*t));
	munmap(region, sizeof(*region));
	return 0;
}

static uint32_t chance(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 33) % below;
}

/* A loop over an array, as the hooks record it. */
static void loop(uint64_t addr, uint32_t count, uintptr_t pc)
{
	for (uint32_t i = 0; i < count; i++, addr += 8)
		if (!record_again(t, addr, 8, true, pc)) {
			record_access(t, addr, 8, true, 7);
			record_run_at(t, pc);
		}
}

static void tell(uint64_t addr, uint32_t count, uint32_t thread)
{
	for (uint32_t i = 0; i < count; i++, addr += 8)
		record_earlier(t, true, addr, 8, earlier_arg(thread, 3), 9);
}

static void do_anything(uint64_t *state)
{
	uint64_t addr = 0x1000 + 8 * (uint64_t)chance(state, 1000);

	switch (chance(state, 8)) {
	case 0:
		record(t, EVENT_MUTEX_LOCK, (void *)(uintptr_t)addr, 0, 0, 5);
		break;
	case 1:
		record(t, EVENT_MUTEX_UNLOCK, (void *)(uintptr_t)addr, 0, 0, 6);
		break;
	case 2:
		loop(addr, 1 + chance(state, 6), 11);
		break;
	case 3:
		loop(addr, 1 + chance(state, 3 * CODEC_RUN_MAX), 12);
		break;
	case 4:
		tell(addr, 1 + chance(state, 5), chance(state, 2));
		break;
	case 5:
		record_access(t, addr, 24, false, chance(state, 50));
		break;
	case 6:
		if (!chance(state, 50))
			record_flush(t);
		break;
	default:
		record_access(t, addr, (size_t)1 << chance(state, 5),
			      chance(state, 2), chance(state, 50));
	}
}

/* Takes a slot as the tool does: how many events it had. */
static uint32_t slot_take(uint32_t n)
{
	struct region_slot *s = &region->slots[n];
	uint32_t count = event_bytes_count(region->data[n], s->used);

	assert_int_equal(s->events, count);
	s->state = SLOT_FREE;
	return count;
}

static void the_count_of_a_slot_is_that_of_its_events(void **state)
{
	uint64_t random = 1, total = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		do_anything(&random);
		for (uint32_t n = 0; n < region->slots_made; n++)
			if (region->slots[n].state == SLOT_FULL)
				total += slot_take(n);
	}
	record_flush(t);
	assert_true(total > 10000000);
	assert_int_equal(region->lost, 0);
}

static void the_program_does_not_run_far_ahead_of_the_tool(void **state)
{
	uint64_t random = 1;

	(void)state;
	/* A tool that is gone is not waited for. */
	region->tool_pid = UINT32_MAX / 2;
	while (gate)
		do_anything(&random);
	assert_true(region->slots_made >= 64);
	assert_true(region->slots_made <= 64 + 2);
	assert_int_equal(notes, 1);
	do_anything(&random);
	record(t, EVENT_MUTEX_LOCK, NULL, 0, 0, 5);
	assert_true(region->lost > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_count_of_a_slot_is_that_of_its_events, thread_begin,
			thread_end),
		cmocka_unit_test_setup_teardown(
			the_program_does_not_run_far_ahead_of_the_tool,
			thread_begin, thread_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
