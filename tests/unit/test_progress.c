/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trial/progress.h"

static void expect_line(struct campaign_news news, const char *line)
{
	char *text = progress_text(&news);

	assert_string_equal(text, line);
	free(text);
}

static void what_is_left_is_the_shorter_of_runs_and_time(void **state)
{
	(void)state;
	expect_line((struct campaign_news){ .seconds = 2,
					    .made = 200,
					    .wanted = 1000,
					    .distinct = 150 },
		    "200 of 1000 runs, 100/s, 150 schedules, 0 failures, "
		    "8 s left");
	expect_line((struct campaign_news){ .seconds = 2,
					    .made = 200,
					    .wanted = 1000,
					    .distinct = 150,
					    .failures = 1,
					    .seconds_wanted = 5 },
		    "200 of 1000 runs, 100/s, 150 schedules, 1 failure, "
		    "3 s left");
	expect_line((struct campaign_news){ .seconds = 10,
					    .made = 10,
					    .distinct = 10,
					    .seconds_wanted = 610 },
		    "10 runs, 1/s, 10 schedules, 0 failures, 10 min left");
}

static void nothing_is_promised_before_the_first_run(void **state)
{
	(void)state;
	expect_line((struct campaign_news){ .wanted = 1000 },
		    "0 of 1000 runs, 0/s, 0 schedules, 0 failures");
}

static void nobody_is_told_in_a_file(void **state)
{
	struct campaign_news news = { .wanted = 9 };
	FILE *file = tmpfile();
	struct progress p;

	(void)state;
	progress_init(&p, file);
	progress_tell(&p, &news);
	progress_done(&p);
	assert_int_equal(ftell(file), 0);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_is_the_shorter_of_runs_and_time),
		cmocka_unit_test(nothing_is_promised_before_the_first_run),
		cmocka_unit_test(nobody_is_told_in_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
