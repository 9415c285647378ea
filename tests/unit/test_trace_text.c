/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "made_trace.h"
#include "seeds.h"
#include "trace/text_line.h"
#include "trace/trace_text.h"

static struct made_trace made;

static char *text_of(struct trace *t)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	assert_int_equal(trace_text_write(out, t, &err), 0);
	fclose(out);
	return text;
}

static struct trace *trace_of(const char *text)
{
	struct err err = { 0 };
	struct trace *t = trace_from_text(text, &err);

	if (!t)
		fail_msg("%s", err.text);
	return t;
}

/* Text, trace, text. */
static char *again(const char *text)
{
	struct trace *t = trace_of(text);
	char *copy = text_of(t);

	trace_close(t);
	return copy;
}

static void printed_text_is_read_back_the_same(void **state)
{
	static const char *const text =
		"heddle-trace 1\n"
		"command \"./a b\" \"\" \"\\\"q\\\\\\x0a\"\n"
		"run started=7 stamps-per-second=8 mode=1 flags=1\n"
		"module 0 \"/bin/x y\" base=0x1000 bias=0x800 size=0x10 site=0x20 build-id=00ab instrumented=1\n"
		"module 1 \"/lib/z\" base=0x2000\n"
		"stack 1 parent=0 site=0x21\n"
		"stack 2 parent=1 site=0x22\n"
		"thread 0 tid=9 stack=2 stack-low=0x1 stack-high=0x2 start=0x3 end=50\n"
		"thread 1 parent=0 nth=1\n"
		"note \"first\"\n"
		"note \"second\"\n"
		"0 thread-create arg=1 stamp=10 stack=2\n"
		"1 thread-begin arg=0 stamp=11\n"
		"1 write 0x1000 size=4 stack=1\n"
		"0 read 0x1000 size=4 stack=2\n"
		"1 read 0x2000 size=100\n"
		"1 earlier-write 0x30 size=8 by=0 segment=3\n"
		"1 atomic-rmw 0x40 size=8 arg=5 stamp=12\n"
		"0 fence arg=5 stamp=13\n"
		"1 alloc 0xffffffffffffffff size=18446744073709551615 arg=2 stamp=14\n"
		"0 thread-end stamp=15\n"
		"end closed=0 status=-5 lost=1\n";
	char *copy = again(text);

	(void)state;
	assert_string_equal(copy, text);
	free(copy);
}

static void a_trace_that_was_cut_off_stays_so(void **state)
{
	char *once = again("0 write 8\ncut\n");
	char *twice = again(once);

	(void)state;
	assert_string_equal(once, twice);
	assert_non_null(strstr(once, "\ncut\n"));
	free(once);
	free(twice);
}

static void random_traces_survive_as_text(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= seeds(10); seed++) {
		char *path = random_path();
		struct err err;
		struct trace *t;
		char *once, *twice;

		made_trace_write(&made, seed, 1 + seed % MADE_THREADS, 300,
				 path);
		t = trace_open(path, &err);
		assert_non_null(t);
		once = text_of(t);
		trace_close(t);
		/* The first reading makes up stacks; then nothing changes. */
		twice = again(once);
		free(once);
		once = again(twice);
		assert_string_equal(once, twice);
		free(once);
		free(twice);
		made_trace_free(&made);
		unlink(path);
		free(path);
	}
}

static void every_kind_has_a_line(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < EVENT_KINDS; kind++) {
		struct event in = { .kind = (uint8_t)kind,
				    .thread = 3,
				    .stack = 4 },
			     out;
		unsigned int fields = event_fields(kind);
		char *text = NULL;
		size_t size = 0;
		FILE *file = open_memstream(&text, &size);
		struct trace *t;

		in.addr = fields & FIELD_ADDR ? 0x1000 : 0;
		in.size = fields & FIELD_SIZE ? 24 : 0;
		in.arg = fields & FIELD_ARG ? earlier_arg(5, 6) : 0;
		in.stamp = fields & FIELD_STAMP ? 70 : 0;
		trace_text_event(file, &in);
		fclose(file);
		t = trace_of(text);
		assert_int_equal(trace_next(t, &out), 1);
		assert_true(event_equals(&in, &out));
		trace_close(t);
		free(text);
	}
}

static void what_is_left_out_is_filled_in(void **state)
{
	struct trace *t = trace_of("# a comment\n"
				   "\n"
				   "0 thread-create arg=1   # and another\n"
				   "0 mutex-lock 0x10\n"
				   "1 read 0x20 stack=2\n"
				   "1 thread-end\n");
	struct event e;

	(void)state;
	assert_int_equal(trace_next(t, &e), 1);
	assert_int_equal(e.stamp, 1);
	assert_int_equal(trace_next(t, &e), 1);
	assert_int_equal(e.stamp, 2);
	assert_int_equal(trace_next(t, &e), 1);
	assert_int_equal(e.size, 4);
	assert_int_equal(e.stack, 2);
	assert_int_equal(trace_threads(t), 2);
	assert_int_equal(trace_thread(t, 0)->parent, NO_THREAD);
	assert_int_equal(trace_thread(t, 1)->parent, 0);
	assert_int_equal(trace_thread(t, 1)->end_stamp, 3);
	assert_int_equal(trace_stacks(t), 3);
	assert_int_equal(trace_stack(t, 2)->site, 2);
	assert_int_equal(trace_end(t)->closed, 1);
	assert_int_equal(trace_end(t)->events, 4);
	trace_close(t);
}

static void events_come_in_the_order_of_the_lines(void **state)
{
	enum { LINES = 2000 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	uint64_t seed = 5;
	struct trace *t;
	struct event e;

	(void)state;
	for (int i = 0; i < LINES; i++)
		fprintf(out, "%d %s 0x%x\n", (int)(random_next(&seed) % 5),
			random_next(&seed) % 4 ? "write" : "mutex-lock", i);
	fclose(out);
	t = trace_of(text);
	for (uint64_t i = 0; i < LINES; i++) {
		assert_int_equal(trace_next(t, &e), 1);
		assert_int_equal(e.addr, i);
	}
	assert_int_equal(trace_next(t, &e), 0);
	trace_close(t);
	free(text);
}

static void stamps_may_order_the_lines_anew(void **state)
{
	static const uint64_t order[] = { 3, 4, 1, 2 };
	struct trace *t = trace_of("0 mutex-lock 1 stamp=50\n"
				   "0 mutex-unlock 2 stamp=60\n"
				   "1 read 3\n"
				   "1 mutex-lock 4 stamp=20\n");
	struct event e;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(trace_next(t, &e), 1);
		assert_int_equal(e.addr, order[i]);
	}
	trace_close(t);
}

/* ---- mistakes ---- */

static void check_mistake(const char *text, const char *words)
{
	struct err err = { 0 };
	struct trace *t = trace_from_text(text, &err);

	if (t)
		fail_msg("no complaint about: %s", text);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void mistakes_are_told_with_their_line(void **state)
{
	(void)state;
	check_mistake("0 write 8\n0 wrote 8\n", "text:2: wrote is no kind");
	check_mistake("0\n", "text:1: nothing is no kind");
	check_mistake("0 write\n", "text:1: the address is missing");
	check_mistake("0 write x\n", "the address must be a number, not x");
	check_mistake("0 write 8 arg=1\n", "no place for arg=1");
	check_mistake("0 write 8 9\n", "no place for 9");
	check_mistake("0 mutex-lock 8 size=1\n", "no place for size=1");
	check_mistake("0 write 8 size=y\n", "size=y: this must be a number");
	check_mistake("0 write 99999999999999999999\n", "must be a number");
	check_mistake("65536 write 8\n", "beyond the limit of 65535");
	check_mistake("0 write 8 stack=1048576\n", "at most 1048575");
	check_mistake("0 time stamp=5\n0 time stamp=4\n",
		      "thread 0 goes back from stamp 5 to 4");
	check_mistake("walk 5\n", "a line cannot begin with walk");
	check_mistake("heddle-trace 2\n", "version 2 and this heddle reads");
	check_mistake("0 write 8\ncommand \"x\"\n", "must come before");
	check_mistake("0 write 8\nthread 0 tid=5\n", "known already");
	check_mistake("thread 1 parent=1\n", "must come before it");
	check_mistake("stack 1 parent=1\n", "must come before it");
	check_mistake("stack 0 parent=0\n", "known already");
	check_mistake("module 1 \"x\"\n", "module 0 is next, not 1");
	check_mistake("module 0\n", "needs a path");
	check_mistake("module 0 \"x\" build-id=abc\n", "is no build id");
	check_mistake("module 0 \"x\" build-id=xy\n", "is no build id");
	check_mistake("note\n", "needs a text");
	check_mistake("note \"x\n", "a quoted word");
	check_mistake("note \"\\q\"\n", "a quoted word");
	check_mistake("note \"\\x0\"\n", "a quoted word");
	check_mistake("note \"x\\\n", "a quoted word");
	check_mistake("cut off\n", "no place for off");
	check_mistake("end status=x\n", "status must be a number");
}

static void a_file_that_cannot_be_written_is_told(void **state)
{
	struct err err;
	FILE *in = fopen("/dev/null", "r");

	(void)state;
	assert_int_equal(trace_text_read(in, "null", "/nowhere/trace", &err),
			 -1);
	assert_non_null(strstr(err.text, "/nowhere/trace"));
	fclose(in);
}

static void a_text_that_cannot_be_written_is_told(void **state)
{
	struct trace *t = trace_of("0 write 8\n");
	FILE *out = fopen("/dev/full", "w");
	struct err err;

	(void)state;
	assert_int_equal(trace_text_write(out, t, &err), -1);
	assert_non_null(strstr(err.text, "No space left"));
	fclose(out);
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed_text_is_read_back_the_same),
		cmocka_unit_test(a_trace_that_was_cut_off_stays_so),
		cmocka_unit_test(random_traces_survive_as_text),
		cmocka_unit_test(every_kind_has_a_line),
		cmocka_unit_test(what_is_left_out_is_filled_in),
		cmocka_unit_test(events_come_in_the_order_of_the_lines),
		cmocka_unit_test(stamps_may_order_the_lines_anew),
		cmocka_unit_test(mistakes_are_told_with_their_line),
		cmocka_unit_test(a_file_that_cannot_be_written_is_told),
		cmocka_unit_test(a_text_that_cannot_be_written_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
