/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/check.h"
#include "cli/verb.h"
#include "format/verdict.h"

struct doctor_options {
	bool json;
};

static const struct arg doctor_options[] = {
	ARG_FLAG(struct doctor_options, json, "json", 0, "print JSON"),
	ARG_END,
};

/* In the order in which a newcomer meets them. Of the compilers one must
 * work; the rest of what is needed must all be there. */
static const struct check checks[] = {
	{ "gcc", false, "heddle cc", check_gcc },
	{ "clang-14", false, "HEDDLE_CC=clang-14 heddle cc", check_clang_14 },
	{ "clang-19", false, "HEDDLE_CC=clang-19 heddle cc", check_clang_19 },
	{ "g++", false, "heddle c++", check_gxx },
	{ "libdw", true, "functions and lines of sites", check_libdw },
	{ "zstd", true, "traces", check_zstd },
	{ "shared memory", true, "heddle run", check_memfd },
	{ "time-stamp counter", false, "times in traces", check_tsc },
	{ "cores", false, "threads that meet", check_cores },
	{ "memory", false, "long traces", check_memory },
	{ "store", false, "keeping runs", check_store },
	{ "address randomisation", false, "equal addresses in every run",
	  check_randomisation },
	{ "ptrace", false, "debugging a run", check_ptrace },
	{ "gdb", false, "debugging a run", check_gdb },
	{ "z3", false, "checking the order solver", check_z3 },
};

enum { CHECKS = sizeof(checks) / sizeof(*checks) };

static const char *const state_names[] = {
	[CHECK_OK] = "ok",
	[CHECK_LIMITED] = "limited",
	[CHECK_MISSING] = "missing",
};

void check_say(struct check_result *r, enum check_state state, const char *fmt,
	       ...)
{
	va_list ap;

	r->state = state;
	va_start(ap, fmt);
	vsnprintf(r->detail, sizeof(r->detail), fmt, ap);
	va_end(ap);
}

static void print_text(const struct check_result *results, bool is_fit)
{
	for (int i = 0; i < CHECKS; i++) {
		printf("%-8s %-22s %s", state_names[results[i].state],
		       checks[i].name, results[i].detail);
		if (results[i].state != CHECK_OK)
			printf(" (for %s)", checks[i].for_what);
		putchar('\n');
	}
	puts(is_fit ? "This machine has what heddle needs." :
		      "Something heddle needs is missing: see above.");
}

static void print_json(const struct check_result *results, bool is_fit)
{
	json_t *list = json_array();
	json_t *all;

	for (int i = 0; i < CHECKS; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:s, s:b}",
						"name", checks[i].name, "state",
						state_names[results[i].state],
						"detail", results[i].detail,
						"for", checks[i].for_what,
						"needed", checks[i].needed));
	all = json_pack("{s:s, s:i, s:b, s:o}", "format", "heddle-doctor",
			"version", 1, "fit", is_fit, "checks", list);
	json_dumpf(all, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(all);
}

/* Everything needed is there, and a compiler. */
static bool judge(const struct check_result *results)
{
	bool has_compiler = false;

	for (int i = 0; i < CHECKS; i++) {
		if (checks[i].needed && results[i].state == CHECK_MISSING)
			return false;
		if (results[i].state == CHECK_OK &&
		    (checks[i].run == check_gcc ||
		     checks[i].run == check_clang_14 ||
		     checks[i].run == check_clang_19))
			has_compiler = true;
	}
	return has_compiler;
}

static int cmd_doctor(const void *values, int argc, char **argv,
		      struct err *err)
{
	const struct doctor_options *options = values;
	struct check_result results[CHECKS] = { 0 };
	bool is_fit;

	(void)argc;
	(void)argv;
	(void)err;
	for (int i = 0; i < CHECKS; i++)
		checks[i].run(&results[i]);
	is_fit = judge(results);
	if (options->json)
		print_json(results, is_fit);
	else
		print_text(results, is_fit);
	return is_fit ? EXIT_HELD : EXIT_FAILED;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.summary = "check what this machine offers and what is missing",
	.synopsis = "[OPTION...]",
	.options = doctor_options,
	.options_size = sizeof(struct doctor_options),
	.run = cmd_doctor,
};
