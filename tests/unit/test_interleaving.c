/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of a schedule keeps within the terminal, says a file's name once
 * if there is but one, and says what it leaves out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/event.h"
#include "report/interleaving.h"

enum { THREADS = 4 };

/* ---- a schedule ---- */

static void add_step(struct plan *p, uint32_t from, uint32_t to,
		     const char *where)
{
	struct plan_step s = {
		.thread = from,
		.module = NO_MODULE,
		.to = to,
		.what = STEP_PREEMPT,
		.kind = EVENT_MUTEX_LOCK,
		.where = where ? xstrdup(where) : NULL,
		.source = xstrdup("pthread_mutex_lock(&the_lock_of_all);"),
	};

	vec_push(&p->steps, s);
}

static struct plan *make_plan(size_t switches)
{
	struct plan *p = plan_new();

	for (size_t i = 0; i < THREADS; i++)
		vec_push(&p->threads, xasprintf("thread %zu (a_client)", i));
	for (uint32_t i = 0; i < switches; i++)
		add_step(p, i % THREADS, (i + 1) % THREADS,
			 "log_a_line logger.c:127");
	return p;
}

static char *print(const struct plan *p, size_t width, size_t most)
{
	struct interleaving_style style = { .width = width, .most = most };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	interleaving_print(p, &style, out);
	fclose(out);
	return text;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n > longest)
			longest = n;
		text += n + (text[n] == '\n');
	}
	return longest;
}

/* ---- tests ---- */

static void test_keeps_within_the_terminal(void **state)
{
	static const size_t widths[] = { 70, 80, 100, 160 };
	struct plan *p = make_plan(9);

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		char *text = print(p, widths[i], 0);

		assert_in_range(longest_line(text), widths[i] / 2, widths[i]);
		free(text);
	}
	plan_free(p);
}

/* In a file the last column is as long as it likes. */
static void test_file_has_long_lines(void **state)
{
	struct plan *p = make_plan(9);
	char *text = print(p, 0, 0);

	(void)state;
	assert_non_null(strstr(text, "pthread_mutex_lock(&the_lock_of_all);"));
	free(text);
	plan_free(p);
}

static void test_says_what_is_left_out(void **state)
{
	struct plan *p = make_plan(9);
	char *text = print(p, 80, 8);

	(void)state;
	assert_non_null(strstr(text, "... 1 switch before (--all shows it)"));
	free(text);
	text = print(p, 80, 7);
	assert_non_null(strstr(text, "... 2 switches before"));
	free(text);
	text = print(p, 80, 9);
	assert_null(strstr(text, "before (--all"));
	free(text);
	plan_free(p);
}

/* A function without a line belongs to no file, whatever colons it has. */
static void test_one_file_is_named_once(void **state)
{
	struct plan *p = make_plan(3);
	char *text;

	(void)state;
	add_step(p, 3, 0, "std::thread::join");
	add_step(p, 0, 1, NULL);
	text = print(p, 160, 0);
	assert_ptr_equal(strstr(text, "lines of logger.c\n"), text);
	assert_null(strstr(text + 18, "logger.c"));
	assert_non_null(strstr(text, " :127 mutex-lock"));
	assert_non_null(strstr(text, "before std::thread::join mutex-lock"));
	free(text);
	add_step(p, 1, 2, "run_all pool.c:3");
	text = print(p, 160, 0);
	assert_null(strstr(text, "lines of"));
	assert_non_null(strstr(text, "logger.c:127"));
	free(text);
	plan_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_within_the_terminal),
		cmocka_unit_test(test_file_has_long_lines),
		cmocka_unit_test(test_says_what_is_left_out),
		cmocka_unit_test(test_one_file_is_named_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
