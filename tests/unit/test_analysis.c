/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass over a whole trace: what one analysis needs of another, of the
 * trace's tables and of the sites.
 */
#include "site_fixture.h"

#include "analysis/analysis.h"

static const struct analysis_options everything = {
	.races = true,
	.lockcycles = true,
	.summary = true,
};

static struct analysis_result *result_of(struct trace *t,
					 const struct analysis_options *o)
{
	struct err err = { "" };
	struct analysis_result *r = analyse(t, o, &err);

	if (!r)
		fail_msg("%s", err.text);
	return r;
}

static struct trace *trace_of_text(const char *text)
{
	struct err err = { "" };
	struct trace *t = trace_from_text(text, &err);

	if (!t)
		fail_msg("%s", err.text);
	return t;
}

static struct analysis_result *result_of_text(const char *text)
{
	struct trace *t = trace_of_text(text);
	struct analysis_result *r = result_of(t, &everything);

	trace_close(t);
	return r;
}

static void a_race_in_the_heap_is_told_with_its_block(void **state)
{
	struct analysis_result *r =
		result_of_text("0 alloc 0x1000 size=64 arg=5 stack=3\n"
			       "0 thread-create arg=1\n"
			       "1 thread-begin arg=0\n"
			       "0 write 0x1008 size=8 stack=1\n"
			       "1 read 0x1008 size=8 stack=2\n");

	(void)state;
	assert_int_equal(r->race_count, 1);
	assert_int_equal(r->races[0].where.kind, LOCATION_HEAP);
	assert_int_equal(r->races[0].where.generation, 5);
	assert_int_equal(r->races[0].where.offset, 8);
	assert_int_equal(r->races[0].where.stack, 3);
	assert_int_equal(r->summary.shared_granules, 1);
	assert_int_equal(r->summary.shared_objects, 1);
	assert_int_equal(r->summary.events, 5);
	analysis_free(r);
}

/* A block that is freed is still told as what it was. */
static void a_race_with_free_is_told_with_its_block(void **state)
{
	struct analysis_result *r =
		result_of_text("0 alloc 0x1000 size=64 arg=5 stack=3\n"
			       "0 thread-create arg=1\n"
			       "1 thread-begin arg=0\n"
			       "0 free 0x1000 size=64 stack=1\n"
			       "1 read 0x1008 size=8 stack=2\n");

	(void)state;
	assert_int_equal(r->race_count, 1);
	assert_int_equal(r->races[0].first.kind, EVENT_FREE);
	assert_int_equal(r->races[0].where.kind, LOCATION_HEAP);
	analysis_free(r);
}

static void order_by_locks_joins_and_creation_is_seen(void **state)
{
	struct analysis_result *r = result_of_text("0 write 0x1000 stack=1\n"
						   "0 thread-create arg=1\n"
						   "1 thread-begin arg=0\n"
						   "1 write 0x1000 stack=2\n"
						   "1 mutex-lock 0x2000\n"
						   "1 write 0x1010 stack=2\n"
						   "1 mutex-unlock 0x2000\n"
						   "0 mutex-lock 0x2000\n"
						   "0 write 0x1010 stack=1\n"
						   "0 mutex-unlock 0x2000\n"
						   "1 thread-end\n"
						   "0 thread-join arg=1\n"
						   "0 write 0x1000 stack=3\n");

	(void)state;
	assert_int_equal(r->race_count, 0);
	assert_int_equal(r->summary.locks, 1);
	assert_int_equal(r->summary.acquisitions, 2);
	assert_int_equal(r->summary.threads, 2);
	analysis_free(r);
}

/* Nothing orders thread 2 after thread 1, but its stack is its own. */
static void a_stack_that_was_another_threads_does_not_race(void **state)
{
	static const char tables[] =
		"thread 1 stack-low=0xa000 stack-high=0xa800\n"
		"thread 2 stack-low=0xa000 stack-high=0xa800\n";
	static const char events[] = "0 thread-create arg=1\n"
				     "0 thread-create arg=2\n"
				     "1 thread-begin arg=0\n"
				     "1 write 0xa400 stack=1\n"
				     "1 thread-end\n"
				     "2 thread-begin arg=0\n"
				     "2 write 0xa400 stack=2\n";
	char text[1024];
	struct analysis_result *r;

	(void)state;
	snprintf(text, sizeof(text), "%s%s", tables, events);
	r = result_of_text(text);
	assert_int_equal(r->race_count, 0);
	assert_int_equal(r->summary.shared_granules, 0);
	analysis_free(r);
	r = result_of_text(events);
	assert_int_equal(r->race_count, 1);
	analysis_free(r);
}

static void stacks_with_one_innermost_site_are_one_finding(void **state)
{
	static const char text[] = "stack 1 parent=0 site=0x10\n"
				   "stack 2 parent=0 site=0x20\n"
				   "stack 3 parent=1 site=0x77\n"
				   "stack 4 parent=2 site=0x77\n"
				   "0 write 0x1000 stack=3\n"
				   "1 write 0x1000 stack=4\n"
				   "0 write 0x1100 stack=4\n"
				   "1 write 0x1100 stack=3\n"
				   "0 write 0x1200 stack=1\n"
				   "1 write 0x1200 stack=2\n";
	struct analysis_result *r = result_of_text(text);

	(void)state;
	assert_int_equal(r->race_count, 2);
	assert_int_equal(r->races[0].count, 2);
	assert_int_equal(r->races[1].count, 1);
	assert_int_equal(r->summary.stacks, 4);
	assert_int_equal(r->summary.sites, 3);
	analysis_free(r);
}

static void lock_cycles_are_told_with_their_locks(void **state)
{
	struct analysis_result *r =
		result_of_text("0 alloc 0x2000 size=96 arg=9\n"
			       "0 thread-create arg=1\n"
			       "0 thread-create arg=2\n"
			       "1 thread-begin arg=0\n"
			       "2 thread-begin arg=0\n"
			       "1 mutex-lock 0x2000 stack=1\n"
			       "1 mutex-lock 0x2030 stack=2\n"
			       "1 mutex-unlock 0x2030\n"
			       "1 mutex-unlock 0x2000\n"
			       "2 mutex-lock 0x2030 stack=3\n"
			       "2 mutex-lock 0x2000 stack=4\n");

	(void)state;
	assert_int_equal(r->lockcycle_count, 1);
	assert_false(r->lockcycles_were_cut);
	assert_int_equal(r->lockcycles[0].edge_count, 2);
	assert_int_equal(r->lockcycles[0].edges[0].held.where.generation, 9);
	assert_int_equal(r->lockcycles[0].edges[0].wanted.where.offset, 0x30);
	analysis_free(r);
}

static void only_what_was_asked_for_is_done(void **state)
{
	struct trace *t = trace_of_text("0 write 0x1000 stack=1\n"
					"1 write 0x1000 stack=2\n");
	struct analysis_options o = { .summary = true };
	struct err err = { "" };
	struct analysis_result *r = result_of(t, &o);

	(void)state;
	assert_int_equal(r->race_count, 0);
	assert_int_equal(r->summary.events, 2);
	analysis_free(r);
	/* From the beginning again. */
	o = (struct analysis_options){ .races = true };
	r = result_of(t, &o);
	assert_int_equal(r->race_count, 1);
	assert_int_equal(r->summary.events, 0);
	analysis_free(r);
	o.races = false;
	assert_null(analyse(t, &o, &err));
	assert_string_not_equal(err.text, "");
	trace_close(t);
}

/* ---- suppressions, with names from a real program ---- */

static const char source[] =
	"#define MARK(name) __asm__ volatile(#name \": .globl \" #name "
	"\"; nop\")\n"
	"struct stats { int hits, misses; } stats;\n"
	"int other;\n"
	"__attribute__((noinline)) void bump(void)\n"
	"{\n"
	"	MARK(mark_bump);\n"
	"	stats.misses++;\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	MARK(mark_main);\n"
	"	bump();\n"
	"	return other;\n"
	"}\n";

/* Two races: on stats.misses, in bump; and on other, in main. */
static struct trace *trace_of_program(void)
{
	char text[1024];

	source_write("prog.c", source);
	shell("gcc -g -O1 -fPIE -pie -o prog prog.c");
	snprintf(text, sizeof(text),
		 "stack 1 parent=0 site=%u\n"
		 "stack 2 parent=1 site=%u\n"
		 "0 write 0x%llx stack=2\n"
		 "1 write 0x%llx stack=2\n"
		 "0 write 0x%llx stack=1\n"
		 "1 read 0x%llx stack=1\n",
		 module_site(0, symbol_at("prog", "mark_main") + 1),
		 module_site(0, symbol_at("prog", "mark_bump") + 1),
		 (unsigned long long)(module_base(0) +
				      symbol_at("prog", "stats") + 4),
		 (unsigned long long)(module_base(0) +
				      symbol_at("prog", "stats") + 4),
		 (unsigned long long)(module_base(0) +
				      symbol_at("prog", "other")),
		 (unsigned long long)(module_base(0) +
				      symbol_at("prog", "other")));
	return trace_of((const char *const[]){ "prog", NULL }, text);
}

static void expect_kept(struct trace *t, const char *line, size_t kept)
{
	struct err err = { "" };
	struct suppressions *s = suppressions_parse("list", line, &err);
	struct analysis_options o = { .races = true, .suppress = s };
	struct analysis_result *r;

	assert_non_null(s);
	r = result_of(t, &o);
	if (r->race_count != kept)
		fail_msg("%s keeps %zu", line, r->race_count);
	assert_int_equal(r->races_suppressed, 2 - kept);
	assert_int_equal(suppressions_get(s, 0)->used, 2 - kept);
	analysis_free(r);
	suppressions_free(s);
}

static void suppressions_go_by_function_file_and_variable(void **state)
{
	struct trace *t = trace_of_program();

	(void)state;
	expect_kept(t, "race: function=bump", 1);
	expect_kept(t, "race: function=main", 0);
	expect_kept(t, "race: function=nobody", 2);
	expect_kept(t, "race: file=prog.c", 0);
	expect_kept(t, "race: file=*/nowhere/*", 2);
	expect_kept(t, "race: variable=stats.*", 1);
	expect_kept(t, "race: variable=other", 1);
	expect_kept(t, "deadlock: function=*", 2);
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_race_in_the_heap_is_told_with_its_block),
		cmocka_unit_test(a_race_with_free_is_told_with_its_block),
		cmocka_unit_test(order_by_locks_joins_and_creation_is_seen),
		cmocka_unit_test(
			a_stack_that_was_another_threads_does_not_race),
		cmocka_unit_test(
			stacks_with_one_innermost_site_are_one_finding),
		cmocka_unit_test(lock_cycles_are_told_with_their_locks),
		cmocka_unit_test(only_what_was_asked_for_is_done),
		cmocka_unit_test(suppressions_go_by_function_file_and_variable),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
