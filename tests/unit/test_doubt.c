/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "cli/doubt.h"

/* What is said of a failure that so many replays of so many gave again. */
static char *said(bool by_rules, uint32_t same, uint32_t times)
{
	struct evidence e = { .repro = repro_new(),
			      .same = same,
			      .times = times };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (!e.repro->plan)
		e.repro->plan = plan_new();
	e.repro->plan->rules.is_free = by_rules;
	assert_int_equal(doubt_is_at_rate(&e), by_rules);
	doubt_print(&e, out);
	fclose(out);
	repro_free(e.repro);
	return text;
}

static void says(bool by_rules, uint32_t same, uint32_t times, const char *what)
{
	char *text = said(by_rules, same, times);

	if (what && !strstr(text, what))
		fail_msg("no '%s' in: %s", what, text);
	if (!what)
		assert_string_equal(text, "");
	free(text);
}

static void schedules_come_every_time(void **state)
{
	(void)state;
	says(false, 20, 20, NULL);
	says(false, 5, 5, NULL);
	says(false, 13, 20, "not certain: 7 of 20 runs of its schedule");
	says(false, 0, 20, "not certain: 20 of 20");
}

static void rules_come_at_a_rate(void **state)
{
	char *text = said(true, 7, 20);

	(void)state;
	assert_null(strstr(text, "not certain"));
	free(text);
	says(true, 7, 20, "comes again at a rate");
	says(true, 0, 20, "did not come again in 20 replays");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schedules_come_every_time),
		cmocka_unit_test(rules_come_at_a_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
