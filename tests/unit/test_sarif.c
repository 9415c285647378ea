/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sarif.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *written(const struct sarif_log *log)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *j;

	sarif_write(log, out);
	fclose(out);
	j = json_loads(text, 0, NULL);
	assert_non_null(j);
	free(text);
	return j;
}

/* The value at a path of keys and numbers, "runs.0.results". */
static json_t *at(json_t *j, const char *path)
{
	char *copy = strdup(path), *rest = copy, *key;

	while (j && (key = strsep(&rest, ".")))
		j = json_is_array(j) ?
			    json_array_get(j, (size_t)strtoul(key, NULL, 10)) :
			    json_object_get(j, key);
	free(copy);
	assert_non_null(j);
	return j;
}

static void is_text(json_t *j, const char *path, const char *wanted)
{
	assert_string_equal(json_string_value(at(j, path)), wanted);
}

static void an_interleaving_is_a_code_flow(void **state)
{
	const struct sarif_step steps[] = {
		{ .thread = 1,
		  .place = { "/home/me/a b.c", 14, 2, "f", "read" } },
		{ .thread = 2, .place = { "/usr/x.c", 3, 0, NULL, "write" } },
		{ .thread = 1,
		  .place = { "/home/me/a b.c", 15, 0, "f", "write" },
		  .is_essential = 1 },
	};
	const char *threads[] = { "main", "thread 1 (f)" };
	const struct sarif_result r = {
		.rule = "assertion",
		.level = "error",
		.message = "it broke",
		.place = { "/home/me/a b.c", 15, 0, "f", NULL },
		.steps = steps,
		.step_count = 3,
		.threads = threads,
		.thread_count = 2,
		.fingerprint = "abc",
	};
	const struct sarif_log log = { "/home/me/", &r, 1 };
	json_t *j = written(&log), *flows;

	(void)state;
	is_text(j, "version", "2.1.0");
	is_text(j, "runs.0.originalUriBaseIds.SRCROOT.uri", "file:///home/me/");
	is_text(j,
		"runs.0.results.0.locations.0.physicalLocation."
		"artifactLocation.uri",
		"a%20b.c");
	flows = at(j, "runs.0.results.0.codeFlows.0.threadFlows");
	assert_int_equal(json_array_size(flows), 2);
	is_text(flows, "0.id", "thread 1");
	is_text(flows, "0.message.text", "thread 1 (f)");
	assert_int_equal(
		json_integer_value(at(flows, "0.locations.1.executionOrder")),
		3);
	assert_int_equal(
		json_integer_value(at(flows, "1.locations.0.executionOrder")),
		2);
	is_text(flows, "0.locations.1.importance", "essential");
	is_text(flows,
		"1.locations.0.location.physicalLocation.artifactLocation.uri",
		"file:///usr/x.c");
	json_decref(j);
}

static void rules_are_listed_once(void **state)
{
	const struct sarif_result r[] = {
		{ .rule = "deadlock", .level = "error", .message = "1" },
		{ .rule = "mine", .level = "note", .message = "2 \xff" },
		{ .rule = "deadlock", .level = "error", .message = "3" },
	};
	const struct sarif_log log = { NULL, r, 3 };
	json_t *j = written(&log);

	(void)state;
	assert_int_equal(json_array_size(at(j, "runs.0.tool.driver.rules")), 2);
	assert_int_equal(
		json_integer_value(at(j, "runs.0.results.2.ruleIndex")), 0);
	is_text(j, "runs.0.results.1.message.text", "2 \xef\xbf\xbd");
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interleaving_is_a_code_flow),
		cmocka_unit_test(rules_are_listed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
