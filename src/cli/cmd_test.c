/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/install.h"
#include "base/quote.h"
#include "cli/baseline.h"
#include "cli/command_file.h"
#include "cli/hooked.h"
#include "cli/reporting.h"
#include "cli/story.h"
#include "cli/run_args.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/view.h"
#include "report/junit.h"
#include "store/store.h"
#include "store/tested.h"
#include "trial/program.h"
#include "trial/scratch.h"

struct test_options {
	uint64_t budget, jobs, seed, keep;
	bool all, exec, json, fail_fast, bless;
	const char *store, *expect, *check, *each, *junit, *baseline, *colour;
	const char *fail_on;
	struct arg_list inputs;
	uint64_t hang, max_points, memory;
};

static const struct test_options test_defaults = {
	RUN_ARGS_DEFAULTS, /* limits, and where it is kept */
	.budget = 60000,   .seed = 1, .colour = "auto", .fail_on = "none",
};

static const struct arg test_options[] = {
	ARG_DURATION(struct test_options, budget, "budget", 'b', "TIME",
		     "time to look for failures, each command (60s)"),
	RUN_ARGS_JOBS(struct test_options),
	ARG_FLAG(struct test_options, all, "all", 'a',
		 "go on after the first failure, as long as there is time"),
	ARG_PATH(struct test_options, each, "each", 0, "FILE",
		 "test every command of FILE, one a line"),
	ARG_FLAG(struct test_options, fail_fast, "fail-fast", 0,
		 "with --each: end with the first command that breaks"),
	ARG_PATH(struct test_options, baseline, "baseline", 0, "FILE",
		 "failures listed in FILE are known and do not count"),
	ARG_FLAG(struct test_options, bless, "bless", 0,
		 "write the failures found into the baseline"),
	ARG_PATH(struct test_options, junit, "junit", 0, "FILE",
		 "write the verdicts as JUnit XML to FILE as well"),
	ARG_FLAG(struct test_options, json, "json", 0,
		 "print JSON instead of a story"),
	RUN_ARGS_JUDGED(struct test_options),
	ARG_CHOICE(struct test_options, fail_on, "fail-on", 0, "race|none",
		   "a data race counts as a failure (none)"),
	RUN_ARGS_START(struct test_options),
	ARG_NUMBER(struct test_options, seed, "seed", 0, "N",
		   "where random choices begin (1)"),
	RUN_ARGS_LIMITS(struct test_options),
	RUN_ARGS_KEPT(struct test_options),
	ARG_CHOICE(struct test_options, colour, "colour", 0,
		   "auto|always|never", "colours (auto: on a terminal)"),
	ARG_END,
};

/* One command and what came of it. */
struct entry {
	char **argv;
	struct tested tested;
	struct err error; /* if it could not be tested */
	bool is_failed;
};

struct session {
	const struct test_options *o;
	const char *guest;
	struct baseline baseline;
	VEC(struct entry) entries;
	char *page; /* or NULL */
};

/* ---- testing ---- */

static struct tester_options tester_of(const struct session *s, char **argv)
{
	const struct test_options *o = s->o;

	return (struct tester_options){
		.argv = argv,
		.guest = s->guest,
		.store = o->store,
		.keep = o->keep,
		.budget_ms = o->budget,
		.seed = o->seed,
		.jobs = (uint32_t)o->jobs,
		.all = o->all,
		.races = strcmp(o->fail_on, "race") == 0,
		.exec = o->exec,
		.expect = o->expect,
		.check = o->check,
		.inputs = o->inputs.at,
		.input_count = o->inputs.count,
		.hang_ms = o->hang,
		.points_most = o->max_points,
		.memory_most = o->memory,
	};
}

/* Known failures are told and do not count. */
static void baseline_apply(struct session *s, struct tested *t)
{
	bool is_new = t->native_ending != NULL;

	for (size_t i = 0; i < t->bugs.count; i++) {
		struct tester_bug *b = &t->bugs.at[i];

		if (s->o->bless)
			baseline_add(&s->baseline, b->evidence.repro);
		b->is_known = baseline_has(&s->baseline, b->evidence.repro);
		is_new |= !b->is_known;
	}
	if (t->status == EXIT_BROKEN && !is_new)
		t->status = EXIT_HELD;
}

static int check_program(const char *name, struct err *err)
{
	struct program program;
	int rc = program_find(&program, name, err);

	program_done(&program);
	return rc;
}

/* Of a program without hooks only the calls are seen: whatever was tried, it
 * was not every schedule. */
static void doubt_unhooked(struct tested *t, const char *name)
{
	struct program program = { 0 };
	struct err ignored;

	if (program_find(&program, name, &ignored) == 0 &&
	    hooked_program(program.path) == HOOKED_NO) {
		t->is_complete = false;
		vec_push(&t->notes,
			 xasprintf("%s was not built by heddle cc: its "
				   "accesses to memory are not seen, and "
				   "threads change at its calls only",
				   name));
	}
	program_done(&program);
}

static int test_one(struct session *s, char **argv, struct err *err)
{
	struct tester_options o = tester_of(s, argv);
	struct entry e = { .argv = argv };
	json_t *record;
	int rc = check_program(argv[0], err);

	if (rc == 0)
		rc = tester_run(&o, &e.tested, err);
	if (rc == 0) {
		doubt_unhooked(&e.tested, argv[0]);
		baseline_apply(s, &e.tested);
		record = tested_json(&e.tested, argv);
		rc = tested_save(s->o->store, argv, record, err);
		json_decref(record);
	}
	if (rc < 0) {
		e.is_failed = true;
		e.error = *err;
	}
	vec_push(&s->entries, e);
	return rc;
}

/* ---- telling ---- */

/* A story in longer lines is hard to read. */
enum { WIDTH_MOST = 120 };

static struct story_style style_of(const struct session *s)
{
	const struct view_options view = { .colour = s->o->colour };
	size_t width = terminal_width();

	return (struct story_style){
		.is_colourful = view_is_colourful(&view, stdout),
		.width = width < WIDTH_MOST ? width : WIDTH_MOST,
		.store = strcmp(s->o->store, STORE_DEFAULT) == 0 ? NULL :
								   s->o->store,
		.page = s->page,
		.shows_command = s->o->each,
	};
}

static void entry_print(const struct session *s, const struct entry *e)
{
	struct story_style style = style_of(s);

	if (s->o->json)
		return;
	if (e->is_failed)
		printf("%s: %s\n", verdict_text(EXIT_FAILED), e->error.text);
	else
		story_print(&e->tested, e->argv, &style, stdout);
	fflush(stdout);
}

static int page_write_all(struct session *s, struct err *err)
{
	VEC(struct document_bug) bugs = { 0 };
	int rc;

	for (size_t i = 0; i < s->entries.count; i++) {
		const struct tested *t = &s->entries.at[i].tested;

		for (size_t k = 0; k < t->bugs.count; k++)
			vec_push(&bugs, evidence_bug(&t->bugs.at[k].evidence));
	}
	rc = reporting_after_test(bugs.at, bugs.count, s->o->store, &s->page,
				  err);
	vec_free(&bugs);
	return rc;
}

static char *command_text(char *const *argv)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (; *argv; argv++) {
		quote_word(*argv, out);
		if (argv[1])
			putc(' ', out);
	}
	fclose(out);
	return text;
}

static enum exit_status entry_status(const struct entry *e)
{
	return e->is_failed ? EXIT_FAILED : e->tested.status;
}

static void case_fill(struct junit_case *c, const struct entry *e)
{
	const struct tested *t = &e->tested;
	const struct repro *r = t->bugs.count ? t->bugs.at[0].evidence.repro :
						NULL;

	*c = (struct junit_case){
		.name = command_text(e->argv),
		.seconds = t->seconds,
		.status = entry_status(e),
		.message = e->is_failed ? xstrdup(e->error.text) :
					  story_line(t),
		.kind = r ? document_kind(r) : NULL,
		.text = r ? r->details : NULL,
		.output = r ? r->output : NULL,
	};
	if (t->bugs.count && c->status == EXIT_HELD) {
		c->status = EXIT_BROKEN;
		c->is_known = true;
	}
}

static int junit_write_all(const struct session *s, struct err *err)
{
	size_t count = s->entries.count;
	struct junit_case *cases = xcalloc(count + 1, sizeof(*cases));
	struct junit_suite suite = { "heddle test", cases, count };
	FILE *out = fopen(s->o->junit, "we");
	int rc = 0;

	if (!out) {
		free(cases);
		return err_set(err, "cannot write %s: %s", s->o->junit,
			       strerror(errno));
	}
	for (size_t i = 0; i < count; i++)
		case_fill(&cases[i], &s->entries.at[i]);
	junit_write(&suite, out);
	if (fclose(out) == EOF)
		rc = err_set(err, "cannot write %s: %s", s->o->junit,
			     strerror(errno));
	for (size_t i = 0; i < count; i++) {
		free((char *)(uintptr_t)cases[i].name);
		free((char *)(uintptr_t)cases[i].message);
	}
	free(cases);
	return rc;
}

static void json_print(const struct session *s)
{
	json_t *all = json_array();
	char *text;

	for (size_t i = 0; i < s->entries.count; i++)
		if (!s->entries.at[i].is_failed)
			json_array_append_new(
				all, tested_json(&s->entries.at[i].tested,
						 s->entries.at[i].argv));
	text = json_dumps(s->o->each ? all : json_array_get(all, 0),
			  JSON_INDENT(2));
	printf("%s\n", text ? text : "null");
	free(text);
	json_decref(all);
}

static void summary_print(const struct session *s)
{
	size_t counts[EXIT_UNKNOWN + 1] = { 0 };

	puts("");
	for (size_t i = 0; i < s->entries.count; i++) {
		const struct entry *e = &s->entries.at[i];
		char *command = command_text(e->argv);
		const struct tested *t = &e->tested;
		char *line = e->is_failed ? xstrdup(e->error.text) :
					    story_line(t);

		printf("%-8s %6.1f s %8llu  %-24s %s\n",
		       verdict_text(entry_status(e)), t->seconds,
		       (unsigned long long)t->schedules, command, line);
		counts[entry_status(e)]++;
		free(command);
		free(line);
	}
	printf("%zu tested: %zu held, %zu broken, %zu unknown, %zu failed",
	       s->entries.count, counts[EXIT_HELD], counts[EXIT_BROKEN],
	       counts[EXIT_UNKNOWN], counts[EXIT_FAILED]);
	if (s->page)
		printf("   %s", s->page);
	puts("");
}

/* Broken before failed before unknown before held. */
static enum exit_status session_status(const struct session *s)
{
	static const int rank[] = { [EXIT_HELD] = 0,
				    [EXIT_UNKNOWN] = 1,
				    [EXIT_FAILED] = 2,
				    [EXIT_BROKEN] = 3 };
	enum exit_status worst = EXIT_HELD;

	for (size_t i = 0; i < s->entries.count; i++) {
		enum exit_status status = entry_status(&s->entries.at[i]);

		if (rank[status] > rank[worst])
			worst = status;
	}
	return worst;
}

/* ---- the verb ---- */

static int test_each(struct session *s, struct err *err)
{
	struct command_file f;
	struct err ignored;
	int rc = command_file_read(&f, s->o->each, err);

	for (size_t i = 0; rc == 0 && i < f.commands.count; i++) {
		const struct entry *e;

		if (test_one(s, f.commands.at[i].words.at, &ignored) < 0)
			s->entries.at[i].argv = f.commands.at[i].words.at;
		e = &s->entries.at[i];
		entry_print(s, e);
		if (e->tested.stopped_by ||
		    (s->o->fail_fast && entry_status(e) != EXIT_HELD))
			break;
	}
	if (rc == 0)
		rc = page_write_all(s, err);
	if (rc == 0 && !s->o->json)
		summary_print(s);
	if (rc == 0 && s->o->junit)
		rc = junit_write_all(s, err);
	if (rc == 0 && s->o->json)
		json_print(s);
	command_file_done(&f);
	return rc;
}

static int test_single(struct session *s, char **argv, struct err *err)
{
	int rc = test_one(s, argv, err);

	if (rc == 0)
		rc = page_write_all(s, err);
	if (rc < 0)
		return -1;
	entry_print(s, &s->entries.at[0]);
	if (s->o->json)
		json_print(s);
	return s->o->junit ? junit_write_all(s, err) : 0;
}

static int check_options(const struct test_options *o, int argc,
			 struct err *err)
{
	if (o->each && argc)
		return err_set(err, "--each has the commands; there is one too "
				    "many behind the options");
	if (!o->each && !argc)
		return err_set(err, "say what to test: heddle test -- PROGRAM "
				    "ARGUMENTS, or --each FILE");
	if (o->fail_fast && !o->each)
		return err_set(err, "--fail-fast goes with --each; one command "
				    "ends with its first failure anyway");
	if (o->bless && !o->baseline)
		return err_set(err, "--bless writes the file that --baseline "
				    "names");
	if (!o->budget)
		return err_set(err, "--budget 0 would show nothing");
	if (o->jobs > 256)
		return err_set(err, "--jobs wants a number up to 256, not %llu",
			       (unsigned long long)o->jobs);
	if (scratch_check(o->inputs.at, o->inputs.count, err) < 0 ||
	    view_check_output(o->junit, err) < 0)
		return -1;
	return store_check(o->store, err);
}

static void session_done(struct session *s)
{
	for (size_t i = 0; i < s->entries.count; i++)
		tested_done(&s->entries.at[i].tested);
	vec_free(&s->entries);
	baseline_done(&s->baseline);
	free(s->page);
}

static int cmd_test(const void *values, int argc, char **argv, struct err *err)
{
	const struct test_options *o = values;
	struct session s = { .o = o };
	char *guest = NULL;
	int rc = check_options(o, argc, err);

	if (rc == 0)
		rc = baseline_read(&s.baseline, o->baseline, o->bless, err);
	if (rc == 0) {
		guest = install_find("libheddle.so", err);
		s.guest = guest;
		rc = guest ? 0 : -1;
	}
	if (rc == 0)
		rc = o->each ? test_each(&s, err) : test_single(&s, argv, err);
	if (rc == 0 && o->bless)
		rc = baseline_write(&s.baseline, o->baseline, err);
	if (rc == 0)
		rc = session_status(&s);
	session_done(&s);
	free(guest);
	return rc;
}

const struct verb verb_test = {
	.name = "test",
	.summary = "find what breaks a program, make it repeat and explain it",
	.synopsis = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
	.flags = VERB_PROGRAM | VERB_OPERANDS,
	.options = test_options,
	.defaults = &test_defaults,
	.options_size = sizeof(struct test_options),
	.run = cmd_test,
};
