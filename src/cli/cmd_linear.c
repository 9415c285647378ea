/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/install.h"
#include "base/xalloc.h"
#include "cli/linear_keep.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/view.h"
#include "linear/linear_campaign.h"
#include "report/report_linear.h"
#include "store/store.h"
#include "trial/program.h"

struct linear_verb {
	const char *from_tests, *strategy, *preset, *points, *store, *spec;
	const char *output, *colour;
	uint64_t tuple, schedules, seed, depth, steps, jobs, hang, max_points;
	uint64_t most;
	bool json, exec, again;
};

static const struct linear_verb linear_defaults = {
	.strategy = "pct",
	.points = "shared",
	.store = STORE_DEFAULT,
	.colour = "auto",
	.tuple = 2,
	.seed = 1,
	.hang = 10000,
	.max_points = 1000000,
};

enum {
	/* The paper's: section 3.3 and 5.2. */
	PIKE_STEPS = 50000,
	PIKE_DEPTH = 2, /* one change of priority */
	PIKE_SCHEDULES = 400,
	DEPTH = 3,
	SCHEDULES = 100,
};

static const struct arg linear_args[] = {
	ARG_PATH(struct linear_verb, from_tests, "from-tests", 0, "FILE",
		 "make inputs of a script of sequential requests"),
	ARG_NUMBER(struct linear_verb, tuple, "tuple", 0, "K",
		   "requests of a script made at once (2)"),
	ARG_NUMBER(struct linear_verb, most, "inputs", 0, "N",
		   "take N inputs, spread over the script (all)"),
	ARG_NUMBER(struct linear_verb, schedules, "schedules", 'n', "N",
		   "of each input (100)"),
	ARG_CHOICE(struct linear_verb, preset, "preset", 0, "pike",
		   "the paper's: 400 schedules, 50000 steps, one change"),
	ARG_CHOICE(struct linear_verb, strategy, "strategy", 0,
		   "random|pct|pos|round-robin",
		   "how the next thread is chosen (pct)"),
	ARG_NUMBER(struct linear_verb, depth, "depth", 0, "D",
		   "of the bugs pct looks for (3)"),
	ARG_NUMBER(struct linear_verb, steps, "steps", 0, "N",
		   "among which pct draws its changes (measured)"),
	ARG_NUMBER(struct linear_verb, seed, "seed", 0, "K",
		   "of the first schedule of each input (1)"),
	ARG_NUMBER(struct linear_verb, jobs, "jobs", 'j', "J",
		   "inputs at a time (as many as processors)"),
	ARG_CHOICE(struct linear_verb, points, "points", 0, "all|shared|sync",
		   "accesses at which threads may change (shared)"),
	ARG_PATH(struct linear_verb, spec, "rules", 0, "SPEC",
		 "in process: rules to compare by"),
	ARG_FLAG(struct linear_verb, exec, "exec", 0,
		 "start the program afresh for every run"),
	ARG_FLAG(struct linear_verb, again, "again", 0,
		 "make all executions anew, forget those recorded"),
	ARG_DURATION(struct linear_verb, hang, "hang", 0, "TIME",
		     "without a point, until a run counts as hung (10s)"),
	ARG_NUMBER(struct linear_verb, max_points, "max-points", 0, "N",
		   "where a run is given up (1000000)"),
	ARG_PATH(struct linear_verb, store, "store", 0, "DIR",
		 "keep records and failures in DIR (.heddle)"),
	ARG_FLAG(struct linear_verb, json, "json", 0, "print JSON"),
	ARG_PATH(struct linear_verb, output, "output", 'o', "FILE",
		 "print to FILE instead of standard output"),
	ARG_CHOICE(struct linear_verb, colour, "colour", 0, "auto|always|never",
		   "colours (auto: on a terminal)"),
	ARG_END,
};

/* Everything at hand. */
struct desk {
	struct linear_verb o;
	struct linear_spec spec;
	struct linear_inputs inputs;
	struct linear_options options;
	struct linear_result result;
	char *guest, *records;
	struct plan **plans;
};

/* ---- options ---- */

static void apply_preset(struct linear_verb *o)
{
	if (o->preset) {
		o->schedules = o->schedules ? o->schedules : PIKE_SCHEDULES;
		o->depth = o->depth ? o->depth : PIKE_DEPTH;
		o->steps = o->steps ? o->steps : PIKE_STEPS;
	}
	if (!o->schedules)
		o->schedules = SCHEDULES;
	if (!o->depth)
		o->depth = DEPTH;
}

static int check_numbers(const struct linear_verb *o, struct err *err)
{
	if (o->jobs > 256)
		return err_set(err, "--jobs wants a number up to 256, not %llu",
			       (unsigned long long)o->jobs);
	if (o->depth > 64)
		return err_set(err,
			       "--depth wants a number from 1 to 64, not "
			       "%llu",
			       (unsigned long long)o->depth);
	if (o->tuple < 2 || o->tuple > 8)
		return err_set(err,
			       "--tuple wants a number from 2 to 8, not "
			       "%llu",
			       (unsigned long long)o->tuple);
	if (!o->max_points)
		return err_set(err, "--max-points wants a number above 0");
	return 0;
}

static struct control_ask ask_of(const struct linear_verb *o)
{
	struct control_ask ask = {
		.strategy = strategy_named(o->strategy, STRATEGY_PCT),
		.depth = (uint32_t)o->depth,
		.length = o->steps,
		.points_most = o->max_points,
		.hang_ms = o->hang,
		.memory_most = UINT64_C(4) << 30,
		.processors = CONTROL_PROCESSORS,
	};

	ask.flags |= points_named(o->points);
	return ask;
}

/* ---- records ---- */

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return XXH3_64bits_withSeed(text, strlen(text) + 1, hash);
}

static uint64_t mix_blob(uint64_t hash, struct blob b)
{
	return XXH3_64bits_withSeed(b.at ? b.at : "", b.size, hash + b.size);
}

static uint64_t mix_program(uint64_t hash, const char *name)
{
	struct program program;
	struct stat st = { 0 };
	struct err ignored;
	uint64_t facts[3];

	if (program_find(&program, name, &ignored) == 0 &&
	    stat(program.path, &st) == 0)
		hash = mix_text(hash, program.path);
	program_done(&program);
	facts[0] = (uint64_t)st.st_size;
	facts[1] = (uint64_t)st.st_mtim.tv_sec;
	facts[2] = (uint64_t)st.st_mtim.tv_nsec;
	return XXH3_64bits_withSeed(facts, sizeof(facts), hash);
}

/* What executions depend on besides their input; rules are no part of it. */
static uint64_t campaign_hash(const struct desk *d, char **argv)
{
	const struct linear_spec *s = &d->spec;
	uint64_t hash = XXH3_64bits(&d->options.ask, sizeof(d->options.ask));

	hash ^= d->o.seed * 31;
	for (char **a = argv; a && *a; a++)
		hash = mix_text(hash, *a);
	if (!linear_spec_has_server(s))
		return hash;
	for (size_t i = 0; i < s->start.count; i++)
		hash = mix_text(hash, s->start.at[i]);
	if (s->connect)
		hash = mix_text(hash, s->connect);
	for (size_t i = 0; i < s->probes.count; i++)
		hash = mix_blob(mix_text(hash, s->probes.at[i].name),
				s->probes.at[i].text);
	for (size_t i = 0; i < s->files.count; i++)
		hash = mix_text(mix_text(hash, s->files.at[i].name),
				s->files.at[i].pattern);
	for (size_t i = 0; i < s->inputs.count; i++)
		hash = mix_text(hash, s->inputs.at[i]);
	if (s->reply_end.text)
		hash = mix_text(hash, s->reply_end.text);
	hash = mix_blob(hash + (uint64_t)s->reply, s->ending);
	hash = mix_blob(hash + (uint64_t)s->stop * 100 +
				(uint64_t)s->stop_signal,
			s->stop_request);
	return hash;
}

static char *program_word(const struct desk *d, char **argv)
{
	char *word, *here;

	if (argv)
		return xstrdup(argv[0]);
	here = strstr(d->spec.start.at[0], "{here}");
	if (!here)
		return xstrdup(d->spec.start.at[0]);
	word = xasprintf("%s%s", d->spec.here, here + strlen("{here}"));
	return word;
}

static int records_open(struct desk *d, char **argv, struct err *err)
{
	char *program = program_word(d, argv);
	const char *slash = strrchr(program, '/');
	uint64_t hash = mix_program(campaign_hash(d, argv), program);
	int rc = 0;

	d->records = xasprintf("%s/linear/%s-%016" PRIx64, d->o.store,
			       slash ? slash + 1 : program, hash);
	if (d->o.again && access(d->records, F_OK) == 0)
		rc = file_remove(d->records, err);
	d->options.records = d->records;
	free(program);
	return rc;
}

/* ---- inputs ---- */

/* Every k-th, so that all of the script is in it. */
static void thin_out(struct linear_inputs *inputs, uint64_t most)
{
	struct linear_inputs few = { .repeated = inputs->repeated };
	size_t count = inputs->all.count;

	if (!most || most >= count)
		return;
	for (uint64_t i = 0; i < most; i++) {
		size_t at = (size_t)(i * count / most);

		vec_push(&few.all, inputs->all.at[at]);
		inputs->all.at[at] = (struct linear_input){ 0 };
	}
	linear_inputs_done(inputs);
	*inputs = few;
}

static int inputs_make(struct desk *d, struct err *err)
{
	size_t size;
	char *text;
	int rc;

	if (!d->o.from_tests) {
		linear_inputs_add_spec(&d->inputs, &d->spec);
		if (!d->inputs.all.count)
			return err_set(err,
				       "%s has no requests: say `client 1 ...` "
				       "and `client 2 ...`, or give "
				       "--from-tests a script",
				       d->spec.path);
		return 0;
	}
	text = file_read(d->o.from_tests, &size, err);
	if (!text)
		return -1;
	rc = linear_inputs_add_script(&d->inputs, &d->spec, text,
				      d->o.from_tests, (uint32_t)d->o.tuple,
				      err);
	free(text);
	if (rc == 0 && !d->inputs.all.count)
		rc = err_set(err, "%s has no test with %llu requests",
			     d->o.from_tests, (unsigned long long)d->o.tuple);
	thin_out(&d->inputs, d->o.most);
	return rc;
}

/* ---- telling ---- */

static void tell_progress(void *to, const struct linear_news *n)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr,
		"\r\033[K%.0f s: %" PRIu64 " of %" PRIu64
		" executions, %" PRIu64 " of %" PRIu64 " inputs, %" PRIu64
		" flagged",
		n->seconds, n->made, n->wanted, n->done, n->inputs, n->flagged);
	fflush(stderr);
	(void)to;
}

static int report(struct desk *d, struct err *err)
{
	struct view_options view = { .colour = d->o.colour };
	struct linear_report r = {
		.result = &d->result,
		.options = &d->options,
		.store = strcmp(d->o.store, STORE_DEFAULT) == 0 ? NULL :
								  d->o.store,
		.plans = d->plans,
		.repeated = d->inputs.repeated,
	};
	FILE *out = view_is_stdout(d->o.output) ? stdout :
						  fopen(d->o.output, "we");

	if (!out)
		return err_set(err, "cannot write %s: %s", d->o.output,
			       strerror(errno));
	r.is_colourful = view_is_colourful(&view, out);
	r.width = out == stdout ? terminal_width() : 0;
	if (d->o.json)
		report_linear_json(&r, out);
	else
		report_linear_text(&r, out);
	if (out != stdout && fclose(out) == EOF)
		return err_set(err, "cannot write %s: %s", d->o.output,
			       strerror(errno));
	return report_linear_status(&d->result);
}

/* ---- the verb ---- */

static int work(struct desk *d, struct err *err)
{
	int rc;

	d->options.tell = tell_progress;
	rc = linear_campaign_run(&d->options, &d->result, err);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (rc < 0)
		return -1;
	d->plans = xcalloc(d->result.findings.count + 1, sizeof(*d->plans));
	if (linear_keep(&d->options, &d->result, d->o.store, d->o.strategy,
			d->plans, err) < 0)
		return -1;
	return report(d, err);
}

static bool is_spec(char **argv)
{
	const char *dot = strrchr(argv[0], '.');
	struct stat st;

	/* A spec is a file one cannot execute, or was meant to be one. */
	if (dot && strcmp(dot, ".spec") == 0 && access(argv[0], F_OK) != 0)
		return true;
	return stat(argv[0], &st) == 0 && S_ISREG(st.st_mode) &&
	       !(st.st_mode & 0111);
}

static int open_server(struct desk *d, char **argv, struct err *err)
{
	if (argv[1] && argv[1][0] == '-')
		return err_set(err,
			       "options go before the spec: heddle linear "
			       "%s ... %s",
			       argv[1], argv[0]);
	if (argv[1])
		return err_set(err, "one spec at a time, not %s as well",
			       argv[1]);
	if (d->o.spec)
		return err_set(err, "--rules goes with a program; %s is a spec",
			       argv[0]);
	if (linear_spec_load(&d->spec, argv[0], err) < 0)
		return -1;
	if (!linear_spec_has_server(&d->spec))
		return err_set(err, "%s starts nothing: `start` is missing",
			       argv[0]);
	if (inputs_make(d, err) < 0)
		return -1;
	d->options.inputs = &d->inputs;
	d->options.spec = &d->spec;
	return records_open(d, NULL, err);
}

static int open_program(struct desk *d, char **argv, struct err *err)
{
	struct program program;
	int rc = program_find(&program, argv[0], err);

	program_done(&program);
	if (rc < 0)
		return -1;
	if (d->o.from_tests)
		return err_set(err, "--from-tests goes with the spec of a "
				    "server");
	if (d->o.spec && linear_spec_load(&d->spec, d->o.spec, err) < 0)
		return -1;
	d->options.argv = argv;
	if (d->o.spec)
		d->options.spec = &d->spec;
	return records_open(d, argv, err);
}

static void desk_done(struct desk *d)
{
	for (size_t i = 0; d->plans && i < d->result.findings.count; i++)
		plan_free(d->plans[i]);
	free(d->plans);
	linear_campaign_done(&d->result);
	linear_inputs_done(&d->inputs);
	linear_spec_done(&d->spec);
	free(d->records);
	free(d->guest);
}

static int cmd_linear(const void *values, int argc, char **argv,
		      struct err *err)
{
	struct desk d = { .o = *(const struct linear_verb *)values };
	int rc;

	(void)argc;
	apply_preset(&d.o);
	if (check_numbers(&d.o, err) < 0 ||
	    view_check_output(d.o.output, err) < 0 ||
	    store_check(d.o.store, err) < 0)
		return -1;
	d.guest = install_find("libheddle.so", err);
	if (!d.guest)
		return -1;
	d.options = (struct linear_options){
		.guest = d.guest,
		.ask = ask_of(&d.o),
		.seed = d.o.seed,
		.schedules = d.o.schedules,
		.workers = (uint32_t)d.o.jobs,
		.is_fresh = d.o.exec,
	};
	rc = is_spec(argv) ? open_server(&d, argv, err) :
			     open_program(&d, argv, err);
	if (rc == 0)
		rc = work(&d, err);
	desk_done(&d);
	return rc;
}

const struct verb verb_linear = {
	.name = "linear",
	.summary = "check that concurrent requests are served as if one by one",
	.synopsis = "[OPTION...] SPEC | [OPTION...] -- PROGRAM [ARGUMENT...]",
	.flags = VERB_PROGRAM | VERB_NEEDS_ONE | VERB_LASTS,
	.options = linear_args,
	.defaults = &linear_defaults,
	.options_size = sizeof(struct linear_verb),
	.run = cmd_linear,
};
