/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/args.h"

struct options {
	bool all;
	const char *name, *colour;
	uint64_t count, time, size;
	struct arg_list files;
};

static const struct arg table[] = {
	ARG_FLAG(struct options, all, "all", 'a', "everything"),
	ARG_STRING(struct options, name, "name", 'n', "NAME", "a name"),
	ARG_CHOICE(struct options, colour, "colour", 0, "red|green", "paint"),
	ARG_NUMBER(struct options, count, "count", 'c', "N", "how many"),
	ARG_DURATION(struct options, time, "time", 't', "TIME", "how long"),
	ARG_SIZE(struct options, size, "size", 0, "SIZE", "how much"),
	ARG_PATHS(struct options, files, "file", 'f', "FILE", "which"),
	ARG_END,
};

static struct options options;
static struct args_found found;
static struct err err;

/* Words separated by blanks; none is longer than 31 letters. */
static int parse_with(bool stop, const char *line)
{
	static char words[16][32];
	char *argv[17] = { words[0] };
	int argc = 1;

	strcpy(words[0], "verb");
	for (const char *p = line; *p; argc++) {
		size_t n = strcspn(p, " ");

		assert_true(argc < 16 && n < 32);
		memcpy(words[argc], p, n);
		words[argc][n] = '\0';
		argv[argc] = words[argc];
		p += n + (p[n] == ' ');
	}
	options = (struct options){ .count = 7 };
	err.text[0] = '\0';
	return args_parse(table, stop, argc, argv, &options, &found, &err);
}

static int parse(const char *line)
{
	return parse_with(false, line);
}

static void refuses(const char *line, const char *why)
{
	assert_int_equal(parse(line), -1);
	assert_string_equal(err.text, why);
}

static void defaults_stay_when_nothing_is_given(void **state)
{
	(void)state;
	assert_int_equal(parse(""), 0);
	assert_int_equal(options.count, 7);
	assert_false(options.all);
	assert_int_equal(found.first, 1);
}

static void every_kind_has_a_value(void **state)
{
	(void)state;
	assert_int_equal(parse("--all --name=x --colour green --count 3 "
			       "--time 2m --size 64K"),
			 0);
	assert_true(options.all);
	assert_string_equal(options.name, "x");
	assert_string_equal(options.colour, "green");
	assert_int_equal(options.count, 3);
	assert_int_equal(options.time, 120000);
	assert_int_equal(options.size, 65536);
}

static void letters_can_be_put_together(void **state)
{
	(void)state;
	assert_int_equal(parse("-ac5 -n y -t500ms"), 0);
	assert_true(options.all);
	assert_int_equal(options.count, 5);
	assert_string_equal(options.name, "y");
	assert_int_equal(options.time, 500);
}

static void two_dashes_end_the_options(void **state)
{
	(void)state;
	assert_int_equal(parse("-a -- --name"), 0);
	assert_int_equal(found.first, 3);
	assert_null(options.name);
}

static void a_program_ends_the_options_if_the_verb_says_so(void **state)
{
	(void)state;
	assert_int_equal(parse_with(true, "-a prog --count 3"), 0);
	assert_int_equal(found.first, 2);
	assert_int_equal(options.count, 7);
	assert_int_equal(parse_with(false, "-a file --count 3"), 0);
	assert_int_equal(options.count, 3);
}

static void help_and_verbose_are_always_there(void **state)
{
	(void)state;
	assert_int_equal(parse("-h"), 0);
	assert_true(found.help && !found.verbose);
	assert_int_equal(parse("--verbose"), 0);
	assert_true(found.verbose && !found.help);
}

static void an_unknown_option_brings_the_nearest(void **state)
{
	(void)state;
	refuses("--cuont 3", "unknown option --cuont; did you mean --count?");
	refuses("--tmie=3", "unknown option --tmie; did you mean --time?");
	refuses("--xyzzy", "unknown option --xyzzy; --help lists them");
	refuses("-z", "unknown option -z; --help lists them");
}

static void an_ambiguous_beginning_is_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("--co 3"), -1);
	assert_non_null(strstr(err.text, "--co;"));
}

static void a_missing_or_needless_value_is_refused(void **state)
{
	(void)state;
	refuses("--count", "--count wants a value: --count N");
	refuses("-c", "-c wants a value: --count N");
	refuses("--all=yes", "--all takes no value");
	refuses("--name=", "--name wants NAME, not nothing");
}

static void wrong_values_are_refused(void **state)
{
	static const char *const lines[] = {
		"--count -1",
		"--count=",
		"--count 3x",
		"--count 1.5",
		"--count 99999999999999999999",
		"--time 3d",
		"--time 99999999999999999h",
		"--size 4T",
		"--size K",
		"--colour blue",
		"--colour=",
		"--colour red|green",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (parse(lines[i]) == 0)
			fail_msg("took %s", lines[i]);
		assert_non_null(strstr(err.text, " wants "));
	}
}

static void help_has_a_line_for_every_row(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	args_print(table, out);
	fclose(out);
	for (const struct arg *a = table; a->name; a++) {
		assert_non_null(strstr(text, a->name));
		assert_non_null(strstr(text, a->help));
	}
	assert_non_null(strstr(text, "  -h, --help "));
	assert_non_null(strstr(text, "  -n, --name NAME "));
	free(text);
}

static void a_list_keeps_all_that_is_given(void **state)
{
	(void)state;
	assert_int_equal(parse("--file one -a -f two"), 0);
	assert_int_equal(options.files.count, 2);
	assert_string_equal(options.files.at[0], "one");
	assert_string_equal(options.files.at[1], "two");
	assert_null(options.files.at[2]);
	assert_int_equal(parse(""), 0);
	assert_int_equal(options.files.count, 0);
}

static void a_wrong_choice_brings_the_nearest(void **state)
{
	(void)state;
	refuses("--colour gren", "--colour wants one of red|green, not "
				 "'gren'; did you mean green?");
	refuses("--colour purple", "--colour wants one of red|green, not "
				   "'purple'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_keeps_all_that_is_given),
		cmocka_unit_test(a_wrong_choice_brings_the_nearest),
		cmocka_unit_test(defaults_stay_when_nothing_is_given),
		cmocka_unit_test(every_kind_has_a_value),
		cmocka_unit_test(letters_can_be_put_together),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(
			a_program_ends_the_options_if_the_verb_says_so),
		cmocka_unit_test(help_and_verbose_are_always_there),
		cmocka_unit_test(an_unknown_option_brings_the_nearest),
		cmocka_unit_test(an_ambiguous_beginning_is_refused),
		cmocka_unit_test(a_missing_or_needless_value_is_refused),
		cmocka_unit_test(wrong_values_are_refused),
		cmocka_unit_test(help_has_a_line_for_every_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
