/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts of runs that are made up here. Their stacks lie in this very
 * program, so that they have functions and lines.
 */
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "format/event.h"
#include "trial/oracle.h"

enum { FIRST_SITE = 0x1000 };

/* Places for stacks to stand at. */
int alpha(int x);
int beta(int x);

__attribute__((noinline)) int alpha(int x)
{
	return x + 1;
}

__attribute__((noinline)) int beta(int x)
{
	return x * 3;
}

/* ---- a run ---- */

static struct region_module self;

static int find_self(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t end = 0;

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > end)
			end = p->p_vaddr + p->p_memsz;
	}
	self.base = self.bias = info->dlpi_addr;
	self.size = (uint32_t)end;
	return 1; /* the first is the program */
}

static int set_up(void **state)
{
	(void)state;
	dl_iterate_phdr(find_self, NULL);
	self.site = FIRST_SITE;
	self.instrumented = 1;
	return readlink("/proc/self/exe", self.path, REGION_PATH - 1) < 0;
}

/* Stacks 1 and 2 stand in alpha and beta, 3 in alpha called by beta. */
static struct captured *run_new(enum outcome_kind kind)
{
	struct captured *c = xcalloc(1, sizeof(*c));

	c->modules = xcalloc(1, sizeof(*c->modules));
	c->modules[0] = self;
	c->module_count = 1;
	c->stacks = xcalloc(4, sizeof(*c->stacks));
	c->stack_count = 4;
	c->stacks[1].site =
		FIRST_SITE + (uint32_t)((uintptr_t)alpha + 1 - self.base);
	c->stacks[2].site =
		FIRST_SITE + (uint32_t)((uintptr_t)beta + 1 - self.base);
	c->stacks[3] = c->stacks[1];
	c->stacks[3].parent = 2;
	c->threads = xcalloc(4, sizeof(*c->threads));
	c->run.thread_count = 1;
	c->run.outcome.kind = kind;
	c->run.outcome.stack = 1;
	c->output = xstrdup("");
	c->errors = xstrdup("");
	return c;
}

static struct captured *run_said(enum outcome_kind kind, const char *text)
{
	struct captured *c = run_new(kind);

	strcpy(c->run.outcome.text, text);
	return c;
}

static void blocked(struct captured *c, uint32_t thread, uint32_t stack)
{
	c->threads[thread].state = THREAD_BLOCKED;
	c->threads[thread].kind = EVENT_MUTEX_LOCK;
	c->threads[thread].stack = stack;
	if (thread >= c->run.thread_count)
		c->run.thread_count = thread + 1;
}

static struct verdict judged(struct captured *c)
{
	struct verdict v;
	struct err err;

	assert_int_equal(oracle_judge(c, NULL, &v, &err), 0);
	captured_free(c);
	return v;
}

static void expect_text(struct captured *c, const char *text)
{
	struct verdict v = judged(c);

	assert_string_equal(v.text, text);
	verdict_done(&v);
}

static void expect_begins(struct captured *c, const char *text)
{
	struct verdict v = judged(c);

	assert_memory_equal(v.text, text, strlen(text));
	verdict_done(&v);
}

static bool is_same_bug(struct captured *a, struct captured *b)
{
	struct verdict x = judged(a), y = judged(b);
	bool same = strcmp(x.identity, y.identity) == 0;

	verdict_done(&x);
	verdict_done(&y);
	return same;
}

/* ---- identity ---- */

static void numbers_that_vary_are_no_part_of_identity(void **state)
{
	(void)state;
	assert_true(is_same_bug(
		run_said(OUTCOME_ABORT, "free(0x7ffe12): 24 bytes, pid 41"),
		run_said(OUTCOME_ABORT, "free(0x55): 8 bytes, pid 9")));
	assert_false(is_same_bug(run_said(OUTCOME_ABORT, "free 1"),
				 run_said(OUTCOME_ABORT, "malloc 1")));
}

static void an_assertion_is_its_own_text(void **state)
{
	(void)state;
	assert_false(
		is_same_bug(run_said(OUTCOME_ASSERTION, "`x == 1' failed"),
			    run_said(OUTCOME_ASSERTION, "`x == 2' failed")));
	assert_true(
		is_same_bug(run_said(OUTCOME_ASSERTION, "`x == 1' failed"),
			    run_said(OUTCOME_ASSERTION, "`x == 1' failed")));
}

static void the_same_message_elsewhere_is_another_bug(void **state)
{
	struct captured *a = run_said(OUTCOME_ABORT, "oops");
	struct captured *b = run_said(OUTCOME_ABORT, "oops");
	struct captured *c = run_said(OUTCOME_ABORT, "oops");

	(void)state;
	b->run.outcome.stack = 2;
	assert_false(is_same_bug(a, b));
	a = run_said(OUTCOME_ABORT, "oops");
	c->run.outcome.stack = 3; /* alpha again, but called by beta */
	assert_false(is_same_bug(a, c));
}

static void a_block_may_lie_anywhere(void **state)
{
	struct captured *a = run_new(OUTCOME_USE_AFTER_FREE);
	struct captured *b = run_new(OUTCOME_USE_AFTER_FREE);

	(void)state;
	a->run.outcome.block = 0x1000;
	b->run.outcome.block = 0x2000;
	a->run.outcome.block_size = 8;
	b->run.outcome.block_size = 16;
	assert_true(is_same_bug(a, b));
}

static void exit_statuses_and_signals_are_told_apart(void **state)
{
	struct captured *a = run_new(OUTCOME_NONE);
	struct captured *b = run_new(OUTCOME_NONE);

	(void)state;
	a->run.wait_status = 3 << 8;
	b->run.wait_status = 4 << 8;
	assert_false(is_same_bug(a, b));
	a = run_new(OUTCOME_NONE);
	b = run_new(OUTCOME_NONE);
	a->run.wait_status = SIGSEGV;
	b->run.wait_status = SIGBUS;
	assert_false(is_same_bug(a, b));
}

static void a_hang_is_where_it_all_began(void **state)
{
	struct captured *a = run_new(OUTCOME_HANG);
	struct captured *b = run_new(OUTCOME_HANG);

	(void)state;
	a->run.outcome.stack = 2; /* beta */
	b->run.outcome.stack = 3; /* and what it calls */
	assert_true(is_same_bug(a, b));
	a = run_new(OUTCOME_HANG);
	b = run_new(OUTCOME_HANG);
	b->run.outcome.stack = 2;
	assert_false(is_same_bug(a, b));
}

static void a_deadlock_does_not_depend_on_who_came_first(void **state)
{
	struct captured *a = run_new(OUTCOME_DEADLOCK);
	struct captured *b = run_new(OUTCOME_DEADLOCK);
	struct captured *c = run_new(OUTCOME_DEADLOCK);

	(void)state;
	blocked(a, 1, 1);
	blocked(a, 2, 2);
	blocked(b, 1, 2);
	blocked(b, 2, 1);
	b->run.outcome.stack = 2;
	assert_true(is_same_bug(a, b));
	a = run_new(OUTCOME_DEADLOCK);
	blocked(a, 1, 1);
	blocked(a, 2, 2);
	blocked(c, 1, 1);
	blocked(c, 2, 1);
	assert_false(is_same_bug(a, c));
}

/* ---- words ---- */

static void every_kind_has_its_words(void **state)
{
	struct captured *c;

	(void)state;
	c = run_new(OUTCOME_NONE);
	expect_text(c, "held");
	c = run_new(OUTCOME_NONE);
	c->run.wait_status = 3 << 8;
	expect_text(c, "exit status 3");
	c = run_new(OUTCOME_SIGNAL);
	c->run.outcome.signal = SIGSEGV;
	c->run.outcome.addr = 0x18;
	expect_begins(c, "killed by SIGSEGV at address 0x18 in alpha (test_"
			 "oracle.c:");
	c = run_said(OUTCOME_ASSERTION, "assertion `a' failed");
	expect_begins(c, "assertion `a' failed (test_oracle.c:");
	c = run_said(OUTCOME_ASSERTION, "assertion `a' failed (x.c:9, f)");
	expect_text(c, "assertion `a' failed (x.c:9, f)");
	c = run_new(OUTCOME_DOUBLE_FREE);
	c->run.outcome.block = 0x1000;
	c->run.outcome.block_size = 24;
	expect_begins(c, "double free of a block of 24 bytes in alpha (");
	c = run_new(OUTCOME_HANG);
	c->ask.hang_ms = 1500;
	expect_begins(c, "hang: no point for 1.5 s in alpha (");
	c = run_said(OUTCOME_LIMIT, "more points than allowed");
	expect_text(c, "limit reached: more points than allowed");
}

static void who_waits_for_an_end_is_not_in_the_deadlock(void **state)
{
	struct captured *c = run_new(OUTCOME_DEADLOCK);

	(void)state;
	blocked(c, 0, 1);
	c->threads[0].kind = EVENT_THREAD_JOIN;
	blocked(c, 1, 1);
	blocked(c, 2, 2);
	expect_text(c, "deadlock of 2 threads");
	c = run_new(OUTCOME_DEADLOCK);
	blocked(c, 0, 1);
	c->threads[0].kind = EVENT_THREAD_JOIN;
	blocked(c, 1, 1);
	expect_text(c, "deadlock of 1 thread, whose end 1 other awaits");
	c = run_new(OUTCOME_DEADLOCK);
	blocked(c, 0, 1);
	c->threads[0].kind = EVENT_THREAD_JOIN;
	expect_text(c, "deadlock of 1 thread");
}

static void a_deadlock_says_who_holds_what(void **state)
{
	struct captured *c = run_new(OUTCOME_DEADLOCK);
	struct verdict v;

	(void)state;
	blocked(c, 1, 1);
	blocked(c, 2, 2);
	c->threads[1].object = 0x10;
	c->threads[2].object = 0x20;
	c->threads[1].hold_count = 1;
	c->threads[1].holds[0] = (struct control_hold){
		.object = 0x20, .stack = 2, .kind = EVENT_MUTEX_LOCK
	};
	v = judged(c);
	assert_non_null(strstr(v.details, "thread 2 waits for mutex 0x20, held "
					  "by thread 1\n"));
	assert_non_null(strstr(v.details, "at beta (test_oracle.c:"));
	assert_non_null(strstr(v.details, "holds mutex 0x20, taken in beta ("));
	verdict_done(&v);
}

static void the_past_of_a_block_is_told(void **state)
{
	struct captured *c = run_new(OUTCOME_USE_AFTER_FREE);
	struct verdict v;

	(void)state;
	c->run.outcome.alloc_thread = 1;
	c->run.outcome.alloc_stack = 2;
	c->run.outcome.free_thread = 2;
	c->run.outcome.free_stack = 3;
	v = judged(c);
	assert_non_null(strstr(v.details, "the block was allocated by thread "
					  "1\n      at beta"));
	assert_non_null(strstr(v.details, "the block was freed by thread 2\n"
					  "      at alpha"));
	verdict_done(&v);
}

/* ---- verdicts ---- */

static void what_is_not_known_is_no_bug(void **state)
{
	(void)state;
	assert_int_equal(oracle_status(OUTCOME_NONE), EXIT_HELD);
	assert_int_equal(oracle_status(OUTCOME_EXIT), EXIT_BROKEN);
	assert_int_equal(oracle_status(OUTCOME_DIVERGED), EXIT_UNKNOWN);
	assert_int_equal(oracle_status(OUTCOME_UNCONTROLLED), EXIT_UNKNOWN);
	assert_int_equal(oracle_status(OUTCOME_LIMIT), EXIT_UNKNOWN);
	assert_int_equal(oracle_kind(OUTCOME_NONE, SIGKILL), OUTCOME_KILLED);
	assert_int_equal(oracle_kind(OUTCOME_NONE, SIGFPE), OUTCOME_SIGNAL);
	assert_int_equal(oracle_kind(OUTCOME_NONE, 1 << 8), OUTCOME_EXIT);
	assert_int_equal(oracle_kind(OUTCOME_NONE, 0), OUTCOME_NONE);
	assert_int_equal(oracle_kind(OUTCOME_HANG, SIGKILL), OUTCOME_HANG);
}

static void keys_tell_stacks_and_statuses_apart(void **state)
{
	struct region *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
				0);
	uint64_t first, second;

	(void)state;
	assert_true(r != MAP_FAILED);
	r->stacks[1].site = 7;
	r->stacks[2].site = 8;
	r->control.run.outcome.kind = OUTCOME_ABORT;
	r->control.run.outcome.stack = 1;
	first = oracle_key(r, NULL);
	assert_true(first == oracle_key(r, NULL));
	r->control.run.outcome.stack = 2;
	second = oracle_key(r, NULL);
	assert_true(first != second);
	r->control.run.wait_status = 6;
	assert_true(second != oracle_key(r, NULL));
	munmap(r, sizeof(*r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_that_vary_are_no_part_of_identity),
		cmocka_unit_test(an_assertion_is_its_own_text),
		cmocka_unit_test(the_same_message_elsewhere_is_another_bug),
		cmocka_unit_test(a_block_may_lie_anywhere),
		cmocka_unit_test(exit_statuses_and_signals_are_told_apart),
		cmocka_unit_test(a_hang_is_where_it_all_began),
		cmocka_unit_test(a_deadlock_does_not_depend_on_who_came_first),
		cmocka_unit_test(every_kind_has_its_words),
		cmocka_unit_test(who_waits_for_an_end_is_not_in_the_deadlock),
		cmocka_unit_test(a_deadlock_says_who_holds_what),
		cmocka_unit_test(the_past_of_a_block_is_told),
		cmocka_unit_test(what_is_not_known_is_no_bug),
		cmocka_unit_test(keys_tell_stacks_and_statuses_apart),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
