/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "store/repro.h"

static char scratch[] = "/tmp/test_repro-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	strcpy(scratch + strlen(scratch) - 6, "XXXXXX");
	return mkdtemp(scratch) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	return file_remove(scratch, &err);
}

static struct repro *made_repro(const char *identity)
{
	struct repro *r = repro_new();

	vec_push(&r->arguments, xstrdup("./dir/bank"));
	vec_push(&r->arguments, xstrdup("with \"quotes\"\n and lines"));
	vec_push(&r->environment, xstrdup("LANG=C"));
	vec_push(&r->check, xstrdup("cmp"));
	r->directory = xstrdup("/some/where");
	r->strategy = xstrdup("random");
	r->seed = 17;
	r->outcome = OUTCOME_DEADLOCK;
	r->verdict = xstrdup("deadlock of 2 threads");
	r->details = xstrdup("thread 1\n");
	r->identity = xstrdup(identity);
	r->schedule = UINT64_MAX;
	r->points = 41;
	r->wait_status = 6;
	r->output = xstrdup("printed\n");
	r->output_size = strlen(r->output);
	r->plan = plan_new();
	return r;
}

static void a_kept_failure_is_read_back(void **state)
{
	struct repro *r = made_repro("deadlock: a b"), *q;
	char *file = xasprintf("%s/data.txt", scratch);
	bool was_known;
	struct err err;

	(void)state;
	assert_int_equal(file_write(file, "given", &err), 0);
	vec_push(&r->inputs, xstrdup("data.txt"));
	assert_int_equal(repro_save(r, scratch, &file, &was_known, &err), 0);
	assert_false(was_known);
	assert_string_equal(r->name, "bank-1");
	q = repro_load(scratch, "bank-1", &err);
	if (!q)
		fail_msg("%s", err.text);
	assert_int_equal(q->arguments.count, 2);
	assert_string_equal(q->arguments.at[1], r->arguments.at[1]);
	assert_string_equal(q->environment.at[0], "LANG=C");
	assert_string_equal(q->check.at[0], "cmp");
	assert_string_equal(q->verdict, r->verdict);
	assert_string_equal(q->details, r->details);
	assert_string_equal(q->identity, r->identity);
	assert_string_equal(q->output, r->output);
	assert_string_equal(q->inputs.at[0], "data.txt");
	assert_null(q->input);
	assert_int_equal(q->outcome, OUTCOME_DEADLOCK);
	assert_true(q->schedule == UINT64_MAX);
	assert_int_equal(q->points, 41);
	assert_int_equal(q->wait_status, 6);
	repro_free(q);
	repro_free(r);
	free(file);
}

static void the_same_failure_is_kept_once(void **state)
{
	static const char *const identities[] = { "a", "b", "a" };
	static const char *const names[] = { "bank-1", "bank-2", "bank-1" };
	struct repro_list list;
	struct err err;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct repro *r = made_repro(identities[i]);
		bool was_known;

		assert_int_equal(repro_save(r, scratch, NULL, &was_known, &err),
				 0);
		assert_string_equal(r->name, names[i]);
		assert_int_equal(was_known, i == 2);
		repro_free(r);
	}
	repro_list_init(&list, scratch);
	assert_int_equal(list.lines.count, 2);
	assert_string_equal(list.lines.at[1].verdict, "deadlock of 2 threads");
	repro_list_done(&list);
	assert_int_equal(repro_remove(scratch, "bank-1", &err), 0);
	assert_int_equal(repro_remove(scratch, "bank-1", &err), -1);
	assert_int_equal(repro_remove(scratch, "../x", &err), -1);
	assert_int_equal(repro_tidy(scratch, 0, &err), 0);
	repro_list_init(&list, scratch);
	assert_int_equal(list.lines.count, 0);
	repro_list_done(&list);
}

static void refuses(const char *text, const char *because)
{
	struct repro *r = repro_new();
	struct err err;

	assert_int_equal(repro_read(r, text, strlen(text), "r", &err), -1);
	if (!strstr(err.text, because))
		fail_msg("%s: %s", text, err.text);
	repro_free(r);
}

static void a_stranger_cannot_smuggle(void **state)
{
	(void)state;
	refuses("something\n", "no repro");
	refuses("heddle-repro 9\n", "version 9");
	refuses("heddle-repro 1\nargument \"a\"\ninput \"../a\"\n",
		"plain name");
	refuses("heddle-repro 1\nargument \"a\"\ninput \"a/b\"\n",
		"plain name");
	refuses("heddle-repro 1\nargument \"a\"\n"
		"variable \"LD_PRELOAD=x.so\"\n",
		"not taken");
	refuses("heddle-repro 1\nargument \"a\"\nvariable \"PATH=x\"\n",
		"not taken");
	refuses("heddle-repro 1\nidentity \"a\"\n", "names no program");
	refuses("heddle-repro 1\nargument \"a\"\n", "what failed");
	refuses("heddle-repro 1\nargument \"a\" \"b\"\n", "too many");
	refuses("heddle-repro 1\nshell \"a\"\n", "unknown word");
}

static void a_damaged_repro_is_named(void **state)
{
	struct repro *r = made_repro("a");
	char *plan = xasprintf("%s/repros/bank-1/plan", scratch);
	bool was_known;
	struct err err;

	(void)state;
	assert_null(repro_load(scratch, "bank-1", &err));
	assert_non_null(strstr(err.text, "no repro bank-1"));
	assert_int_equal(repro_save(r, scratch, NULL, &was_known, &err), 0);
	assert_int_equal(file_write(plan, "heddle-plan 1\n", &err), 0);
	assert_null(repro_load(scratch, "bank-1", &err));
	assert_non_null(strstr(err.text, "cut off"));
	assert_int_equal(unlink(plan), 0);
	assert_null(repro_load(scratch, "bank-1", &err));
	repro_free(r);
	free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_kept_failure_is_read_back,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_same_failure_is_kept_once,
						set_up, tear_down),
		cmocka_unit_test(a_stranger_cannot_smuggle),
		cmocka_unit_test_setup_teardown(a_damaged_repro_is_named,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
