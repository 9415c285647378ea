/* SPDX-License-Identifier: Apache-2.0 */
#include "report/junit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static char *written(const struct junit_suite *s)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	junit_write(s, out);
	fclose(out);
	return text;
}

static void counts_are_right(void **state)
{
	const struct junit_case cases[] = {
		{ .name = "a", .seconds = 0.25, .status = EXIT_HELD },
		{ .name = "b",
		  .seconds = 0.5,
		  .status = EXIT_BROKEN,
		  .kind = "deadlock",
		  .message = "deadlock of 2 threads",
		  .text = "thread 1 waits\n" },
		{ .name = "c", .status = EXIT_BROKEN, .is_known = true },
		{ .name = "d", .status = EXIT_UNKNOWN, .message = "diverged" },
		{ .name = "e", .status = EXIT_FAILED, .message = "not there" },
	};
	const struct junit_suite s = { "suite", cases, 5 };
	char *text = written(&s);

	(void)state;
	assert_non_null(strstr(text, "<testsuite name=\"suite\" tests=\"5\" "
				     "failures=\"1\" errors=\"2\" "
				     "skipped=\"1\" time=\"0.750\">"));
	assert_non_null(strstr(text, "<failure message=\"deadlock of 2 "
				     "threads\" type=\"deadlock\">thread 1 "
				     "waits\n</failure>"));
	assert_non_null(strstr(text, "<error message=\"diverged\" "
				     "type=\"unknown\">"));
	free(text);
}

static void everything_is_escaped(void **state)
{
	const struct junit_case cases[] = {
		{ .name = "</testcase>\"'&\n\x01",
		  .status = EXIT_BROKEN,
		  .message = "caf\xc3\xa9 \xff",
		  .text = "]]> <b> \x1b[31m" },
	};
	const struct junit_suite s = { "a<b", cases, 1 };
	char *text = written(&s);

	(void)state;
	assert_non_null(strstr(text, "name=\"&lt;/testcase&gt;&quot;'&amp;"
				     "&#10;\xef\xbf\xbd\""));
	assert_non_null(strstr(text, "message=\"caf\xc3\xa9 \xef\xbf\xbd\""));
	assert_non_null(strstr(text, ">]]&gt; &lt;b&gt; \xef\xbf\xbd[31m<"));
	assert_null(strchr(text, '\x1b'));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_right),
		cmocka_unit_test(everything_is_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
