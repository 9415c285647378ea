/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Specs: what they say, and what is refused; scripts as inputs; replies and
 * components compared by rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "linear/fitting.h"
#include "linear/linear_input.h"

static void refuses(const char *text, const char *words)
{
	struct linear_spec s;
	struct err err;

	assert_int_equal(linear_spec_read(&s, text, "a", &err), -1);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not have '%s'", err.text, words);
	linear_spec_done(&s);
}

static struct linear_spec read_spec(const char *text)
{
	struct linear_spec s;
	struct err err;

	if (linear_spec_read(&s, text, "a", &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

static void test_reads(void **state)
{
	struct linear_spec s = read_spec("# all of it\n"
					 "start 'a b' c\n"
					 "connect tcp:80\n"
					 "ending \\r\\n\n"
					 "reply until ^END\n"
					 "client 2 y\n"
					 "client 1 x\\x41\n"
					 "probe p get\n"
					 "patience 3s\n");

	(void)state;
	assert_int_equal(s.start.count, 2);
	assert_string_equal(s.start.at[0], "a b");
	assert_int_equal(s.ending.size, 2);
	assert_int_equal(s.reply, REPLY_UNTIL);
	assert_string_equal(s.requests.at[1].text.at, "xA");
	assert_int_equal(s.patience_ms, 3000);
	linear_spec_done(&s);
}

static void test_refuses(void **state)
{
	(void)state;
	refuses("strat x\n", "a:1: no key is called strat; is it start?");
	refuses("\nstart\n", "a:2: start has no value");
	refuses("client x y\n", "client wants a number");
	refuses("client 1 \\q\n", "a backslash begins");
	refuses("connect ftp:1\n", "unix:PATH or tcp:PORT");
	refuses("rule x within\n", "rule wants a component");
	refuses("rule x equal y\n", "rule wants a component");
	refuses("sort [\n", "no regular expression");
	refuses("file x /etc/passwd\n", "below the server's directory");
	refuses("stop signal KILL\n", "stop wants");
	refuses("connect tcp:1\n", "start is missing");
}

static void test_script(void **state)
{
	struct linear_spec s = read_spec("start x\nconnect tcp:1\nread ^get\n");
	struct linear_inputs inputs = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(linear_inputs_add_script(&inputs, &s,
						  "set a\nget a\nset b\n\n"
						  "set a\nget a\n",
						  "dir/t", 2, &err),
			 0);
	/* (1,2) (1,3) (2,3), and (5,6) which is (1,2) again. */
	assert_int_equal(inputs.all.count, 3);
	assert_int_equal(inputs.repeated, 1);
	assert_string_equal(inputs.all.at[1].name, "t:1,3");
	/* A request that only reads is no part of a set-up. */
	assert_int_equal(inputs.all.at[1].setup.count, 0);
	assert_string_equal(inputs.all.at[2].setup.at[0].at, "set a");
	linear_inputs_done(&inputs);
	linear_spec_done(&s);
}

static void test_replies(void **state)
{
	struct linear_spec s = read_spec("ignore at [0-9]+\nsort ^list\n");
	struct blob list = blob_text("list"), get = blob_text("get");
	struct blob reply = blob_text("b at 17\na at 4\nEND\n"), fitted;

	(void)state;
	fitted = fitting_reply(&s, get, reply);
	assert_string_equal(fitted.at, "b \na \nEND\n");
	blob_done(&fitted);
	fitted = fitting_reply(&s, list, reply);
	assert_string_equal(fitted.at, "a \nb \nEND\n");
	blob_done(&fitted);
	blob_done(&reply);
	blob_done(&list);
	blob_done(&get);
	linear_spec_done(&s);
}

static struct components made_of(enum linear_kind kind, const char *elements)
{
	struct components c = { 0 };
	struct component *x = components_get(&c, "x", kind);

	for (; *elements; elements++) {
		struct blob e = blob_make(elements, 1);

		component_change(x, LINEAR_ADD, (struct blob){ 0 }, e);
		blob_done(&e);
	}
	components_seal(&c);
	return c;
}

static bool fits(const char *rule, enum linear_kind kind, const char *a,
		 const char *b)
{
	struct linear_spec s = read_spec(rule);
	struct components x = made_of(kind, a), y = made_of(kind, b);
	const char *wrong;
	bool is = fitting_state_fits(&s, &x, &y, &wrong);

	assert_true(is == !wrong);
	components_done(&x);
	components_done(&y);
	linear_spec_done(&s);
	return is;
}

static void test_components(void **state)
{
	const enum linear_kind bag = LINEAR_MULTISET, row = LINEAR_SEQUENCE;

	(void)state;
	assert_true(fits("", bag, "abb", "bab"));
	/* Equal elements do not cancel out. */
	assert_false(fits("", bag, "aabb", "ab"));
	assert_false(fits("", bag, "aab", "b"));
	assert_true(fits("", LINEAR_SET, "aab", "ba"));
	assert_false(fits("", row, "ab", "ba"));
	assert_true(fits("rule x any-order\n", row, "ab", "ba"));
	assert_true(fits("rule x any-order m\n", row, "amb", "abm"));
	assert_false(fits("rule x any-order m\n", row, "amb", "bam"));
	assert_false(fits("rule x any-order m\n", row, "amb", "ab"));
	assert_true(fits("rule x concurrent-within-serial\n", bag, "a", "ab"));
	assert_false(
		fits("rule x concurrent-within-serial\n", bag, "aa", "ab"));
	assert_true(
		fits("rule x serial-within-concurrent\n", bag, "aab", "ab"));
	assert_false(fits("rule x serial-within-concurrent\n", bag, "a", "b"));
	assert_true(fits("rule x ignore\n", bag, "a", "b"));
	assert_false(fits("rule y ignore\n", bag, "a", "b"));
	/* The last that fits counts. */
	assert_false(fits("rule x ignore\nrule x equal\n", bag, "a", "b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_components),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
