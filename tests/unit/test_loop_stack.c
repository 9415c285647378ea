/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lone_guest.h"

/*
 * The loops that a thread is in, as the guest follows them: by the hooks of
 * headers and of what comes behind loops, through calls and returns.
 */

/* ---- a program ---- */

/*
 * f: for (OUTER) { for (INNER) ...; } behind; g: for (CALLED) ...;
 * Loop numbers as the tool gives them, inner ones higher.
 */
enum { OUTER = 1, INNER, CALLED };

enum {
	BASE = 0x1000,
	AT_OUTER = 0x1010,
	AT_INNER = 0x1020,
	BEHIND_INNER = 0x1030,
	BEHIND_OUTER = 0x1040,
	AT_CALLED = 0x1050,
	BEHIND_CALLED = 0x1060,
	OF_NO_LOOP = 0x1070,
};

static struct thread thread;
static struct call calls[80];

static void hook_add(uint32_t address, uint16_t loop, bool is_header)
{
	uint32_t at = loop_hook_slot(address);

	while (region->pairs.loops.hooks[at].address)
		at = (at + 1) & (LOOP_HOOKS - 1);
	region->pairs.loops.hooks[at] = (struct loop_hook){
		.address = address, .loop = loop, .is_header = is_header
	};
}

static int set_up(void **state)
{
	(void)state;
	region = guest_map(sizeof(*region));
	if (!region)
		return -1;
	region->pairs.flags = PAIRS_LOOPS | PAIRS_STACKS;
	region->modules[0].base = BASE;
	region->modules[0].size = 0x1000;
	region->pairs.loops.outer[INNER] = OUTER;
	hook_add(AT_OUTER, OUTER, true);
	hook_add(AT_INNER, INNER, true);
	hook_add(BEHIND_INNER, OUTER, false);
	hook_add(BEHIND_OUTER, 0, false);
	hook_add(AT_CALLED, CALLED, true);
	hook_add(BEHIND_CALLED, 0, false);
	return 0;
}

static int begin(void **state)
{
	(void)state;
	thread = (struct thread){ .top = &calls[0],
				  .base = &calls[0],
				  .loops = thread.loops };
	calls[0] = (struct call){ 0 };
	return 0;
}

/* As __tsan_func_entry and __tsan_func_exit do. */
static void enter(void)
{
	struct call *c = ++thread.top;

	*c = (struct call){ .loops = c[-1].loops, .began = c[-1].began };
}

static void leave(void)
{
	thread.top--;
}

/* A hook, then an access; the iteration that it is of. */
static uint32_t pass(uintptr_t pc)
{
	pairs_block(&thread, pc);
	thread.pair_count++;
	return thread.top->began;
}

/* The same; is that access the first of its iteration? */
static bool begins(uintptr_t pc)
{
	uint32_t began = pass(pc);

	return began == thread.pair_count;
}

/* ---- tests ---- */

static void test_iterations(void **state)
{
	(void)state;
	enter();
	assert_int_equal(pass(OF_NO_LOOP), 0);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t outer = thread.pair_count + 1;

		assert_int_equal(pass(AT_OUTER), outer);
		for (uint32_t k = 0; k < 3; k++)
			assert_true(begins(AT_INNER));
		/* A hook that nobody is interested in changes nothing. */
		assert_int_equal(pass(OF_NO_LOOP), outer + 3);
		assert_int_equal(pass(BEHIND_INNER), outer);
	}
	assert_int_equal(pass(BEHIND_OUTER), 0);
	assert_int_equal(thread.top->loops, 0);
}

/* An inner loop that is empty, or left by the outer one's next iteration, or
 * together with the outer one. */
static void test_exits(void **state)
{
	(void)state;
	enter();
	pass(AT_OUTER);
	pass(AT_INNER);
	assert_int_equal(thread.top->loops, 2);
	assert_int_equal(pass(AT_OUTER), 3);
	assert_int_equal(thread.top->loops, 1);
	assert_int_equal(pass(AT_INNER), 4);
	assert_int_equal(pass(BEHIND_OUTER), 0);
	assert_int_equal(thread.top->loops, 0);
	assert_int_equal(pass(AT_OUTER), 6);
	assert_int_equal(pass(AT_OUTER), 7);
}

/* Who is called in a loop is in its iteration, until it has loops of its own,
 * and the caller finds its own again, however the callee ended. */
static void test_calls(void **state)
{
	(void)state;
	enter();
	assert_int_equal(pass(AT_OUTER), 1);
	for (int i = 0; i < 2; i++) {
		uint32_t began = thread.top->began;

		enter();
		assert_int_equal(pass(OF_NO_LOOP), began);
		assert_true(begins(AT_CALLED));
		assert_true(begins(AT_CALLED));
		assert_int_equal(thread.top->loops, 2);
		if (i == 0)
			assert_int_equal(pass(BEHIND_CALLED), began);
		leave();
		assert_int_equal(thread.top->loops, 1);
		assert_int_equal(thread.top->began, began);
	}
	/* The same function at the same depth of calls, from elsewhere. */
	assert_int_equal(pass(BEHIND_OUTER), 0);
	enter();
	assert_int_equal(pass(OF_NO_LOOP), 0);
	assert_true(begins(AT_CALLED));
	assert_int_equal(thread.top->loops, 1);
}

/* A function that calls itself in a loop is in one for each call. */
static void test_recursion(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 5; i++) {
		enter();
		assert_int_equal(pass(AT_CALLED), i);
		assert_int_equal(thread.top->loops, i);
	}
	for (uint32_t i = 4; i; i--) {
		leave();
		assert_int_equal(thread.top->loops, i);
		assert_int_equal(thread.top->began, i);
	}
	assert_int_equal(pass(AT_CALLED), 6);
	assert_int_equal(thread.top->loops, 1);
}

/* Deeper than there is room: the iteration is that of the last that had any. */
static void test_depth(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= LOOP_DEPTH + 10; i++) {
		enter();
		assert_int_equal(pass(AT_CALLED),
				 i < LOOP_DEPTH ? i : LOOP_DEPTH);
	}
	assert_int_equal(thread.top->loops, LOOP_DEPTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_iterations, begin),
		cmocka_unit_test_setup(test_exits, begin),
		cmocka_unit_test_setup(test_calls, begin),
		cmocka_unit_test_setup(test_recursion, begin),
		cmocka_unit_test_setup(test_depth, begin),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
