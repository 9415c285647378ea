/* SPDX-License-Identifier: Apache-2.0 */
#include "store/again.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/install.h"
#include "base/log.h"
#include "base/quote.h"
#include "trial/describe.h"
#include "trial/interrupts.h"
#include "trial/moved.h"

enum {
	/* What shrinking a new failure may cost. */
	SHRINK_RUNS = 500,
	SHRINK_MS = 2000,
};

const struct again_kind *again_kind;

static int open_input(struct again *a, struct err *err)
{
	const struct repro *r = a->repro;
	size_t done = 0;

	if (!r->input)
		return 0;
	a->input = memfd_create("heddle-stdin", MFD_CLOEXEC);
	while (a->input >= 0 && done < r->input_size) {
		ssize_t n =
			write(a->input, r->input + done, r->input_size - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (a->input < 0 || done < r->input_size)
		return err_set(err, "cannot make a memory file: %s",
			       strerror(errno));
	return 0;
}

static void warn_of_check(const struct repro *r)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < r->check.count; i++) {
		putc(' ', out);
		quote_word(r->check.at[i], out);
	}
	fclose(out);
	log_warn("the repro brings a check command, which is not run without "
		 "--allow-check:%s",
		 text);
	free(text);
}

static void set_outputs(struct again *a, bool allows_check)
{
	const struct repro *r = a->repro;

	if (r->expected) {
		a->outputs.expected = xmalloc(r->expected_size + 1);
		memcpy(a->outputs.expected, r->expected, r->expected_size + 1);
		a->outputs.expected_size = r->expected_size;
	}
	if (!r->check.count)
		return;
	if (!allows_check) {
		warn_of_check(r);
		return;
	}
	for (size_t i = 0; i < r->check.count; i++) {
		vec_push(&a->outputs.check, xstrdup(r->check.at[i]));
		if (strstr(r->check.at[i], "{status}"))
			a->outputs.judges_status = true;
	}
	vec_push(&a->outputs.check, NULL);
}

int again_open(struct again *a, const char *store, const char *name,
	       bool allows_check, struct err *err)
{
	*a = (struct again){ .input = -1 };
	a->repro = repro_load(store, name, err);
	if (!a->repro)
		return -1;
	a->guest = install_find("libheddle.so", err);
	if (!a->guest || open_input(a, err) < 0)
		return -1;
	a->argv = xcalloc(a->repro->arguments.count + 1, sizeof(*a->argv));
	for (size_t i = 0; i < a->repro->arguments.count; i++)
		a->argv[i] = a->repro->arguments.at[i];
	for (size_t i = 0; i < a->repro->inputs.count; i++)
		vec_push(&a->inputs, xasprintf("%s/input/%s", a->repro->path,
					       a->repro->inputs.at[i]));
	set_outputs(a, allows_check);
	if (!again_kind || !again_kind->is(a->repro))
		return 0;
	a->kind = again_kind;
	return a->kind->open(a, err);
}

/* Copied, since the environment outlives the repro. */
static void set_variable(const char *variable)
{
	char *name = xstrdup(variable);
	char *equals = strchr(name, '=');

	if (equals) {
		*equals = '\0';
		setenv(name, equals + 1, 1);
	}
	free(name);
}

/* "./prog" is the one in the directory where it ran, if it is there. */
static const char *program_there(struct again *a)
{
	const struct repro *r = a->repro;

	if (a->argv[0][0] == '/' || !strchr(a->argv[0], '/'))
		return NULL;
	free(a->program);
	a->program = xasprintf("%s/%s", r->directory, a->argv[0]);
	return access(a->program, X_OK) == 0 ? a->program : NULL;
}

static bool is_free(const struct again *a)
{
	return a->mode == AGAIN_AS_KEPT ? a->repro->plan->rules.is_free :
					  a->mode == AGAIN_PERTURBED;
}

void again_launch(struct again *a, struct launch *launch)
{
	const struct repro *r = a->repro;

	/* Reading the repro left only harmless ones. */
	for (size_t i = 0; i < r->environment.count; i++)
		set_variable(r->environment.at[i]);
	*launch = (struct launch){
		.argv = a->argv,
		.guest = a->guest,
		.is_fixed = true,
		.cpu = -1,
		.streams = { a->input, -1, -1 },
		.is_fresh = r->is_exec || a->is_debugged,
		.is_free = is_free(a),
		.is_ready_idle = r->is_ready_idle,
		.has_scratch = r->is_exec,
		.has_pairs = a->has_pairs,
		.inputs = a->inputs.at,
		.input_count = a->inputs.count,
	};
	if (file_is_directory(r->directory)) {
		launch->directory = r->directory;
		launch->program = program_there(a);
	}
	if (a->instead) {
		a->argv[0] = (char *)(uintptr_t)a->instead;
		launch->program = a->instead;
	}
	interrupts_program_mask(&launch->mask);
}

int again_start(struct again *a, struct err *err)
{
	struct control_ask ask = { .points_most = a->repro->points_most,
				   .hang_ms = a->repro->hang_ms };
	struct launch launch;

	if (a->kind)
		return a->kind->start(a, err);
	if (a->repro->outcome == OUTCOME_RACE || a->trace)
		ask.flags = CONTROL_RECORD;
	if (a->has_pairs)
		ask.flags |= CONTROL_PAIRS;
	again_launch(a, &launch);
	if (follower_start(&a->follower, &launch, &ask, 0, err) < 0)
		return -1;
	a->follower.worker.races.path = a->trace;
	a->is_started = true;
	return 0;
}

int again_is_same_build(struct again *a, bool *is_same, struct err *err)
{
	if (follower_know_modules(&a->follower, err) < 0)
		return -1;
	*is_same = plan_is_of(a->repro->plan, a->follower.worker.region);
	a->is_rebuilt = !*is_same;
	return 0;
}

int again_fit(struct again *a, struct err *err)
{
	struct plan *moved;
	bool is_same;

	if (a->kind || rules_are_there(&a->repro->plan->rules))
		return 0;
	if (again_is_same_build(a, &is_same, err) < 0)
		return -1;
	if (is_same)
		return 0;
	moved = plan_moved(a->repro->plan, a->follower.worker.region, &a->lost);
	plan_free(a->repro->plan);
	a->repro->plan = moved;
	return 0;
}

void again_close(struct again *a)
{
	if (a->is_started)
		follower_stop(&a->follower);
	if (a->kind)
		a->kind->close(a);
	outputs_done(&a->outputs);
	if (a->input >= 0)
		close(a->input);
	repro_free(a->repro);
	for (size_t i = 0; i < a->inputs.count; i++)
		free((void *)(uintptr_t)a->inputs.at[i]);
	vec_free(&a->inputs);
	free(a->argv);
	free(a->program);
	free(a->guest);
}

int again_judge(struct again *a, const struct captured *run, struct verdict *v,
		struct err *err)
{
	if (a->kind && run->run.outcome.kind != OUTCOME_DIVERGED)
		return a->kind->judge(a, run, v, err);
	if (oracle_judge(run, &a->outputs, v, err) < 0)
		return -1;
	/* Of several races the one that was kept, if it is there. */
	for (size_t i = 1;
	     v->kind == OUTCOME_RACE && i < run->races.all.count &&
	     strcmp(v->identity, a->repro->identity) != 0;
	     i++) {
		verdict_done(v);
		oracle_tell(run, OUTCOME_RACE, &run->races.all.at[i], v);
	}
	return 0;
}

/* Behind "file.c:" there may be another number. */
static bool is_equal_but_for_lines(const char *a, const char *b)
{
	while (*a && *a == *b) {
		if (*a == ':' && isdigit((unsigned char)a[1]) &&
		    isdigit((unsigned char)b[1])) {
			a += strspn(a + 1, "0123456789");
			b += strspn(b + 1, "0123456789");
		}
		a++;
		b++;
	}
	return !*a && !*b;
}

bool again_is_kept_one(const struct again *a, const struct verdict *v)
{
	const char *kept = a->repro->identity;

	if (v->status != EXIT_BROKEN || !v->identity)
		return false;
	return a->is_rebuilt ? is_equal_but_for_lines(v->identity, kept) :
			       strcmp(v->identity, kept) == 0;
}

bool again_is_same(const struct captured *run, void *arg)
{
	struct again *a = arg;
	struct verdict v;
	struct err ignored;
	bool is_same;

	if (again_judge(a, run, &v, &ignored) < 0)
		return false;
	is_same = again_is_kept_one(a, &v);
	verdict_done(&v);
	return is_same;
}

/* ---- shrinking ---- */

static char *copy(const char *text, size_t size)
{
	char *to = xmalloc(size + 1);

	memcpy(to, text, size);
	to[size] = '\0';
	return to;
}

/* Other threads than before may have come to the same failure: what is told
 * goes with the plan. */
static void retell(struct repro *r, const struct captured *run,
		   const struct verdict *v)
{
	r->schedule = run->run.schedule;
	r->points = run->run.points;
	free(r->verdict);
	free(r->details);
	free(r->identity);
	r->identity = xstrdup(v->identity);
	r->verdict = xstrdup(v->text);
	r->details = xstrdup(v->details ? v->details : "");
	free(r->output);
	r->output = copy(run->output, run->output_size);
	r->output_size = run->output_size;
}

/* Follows the plan strictly: 1 when that gives the kept failure, and then the
 * plan is described. */
static int confirm(struct again *a, struct plan *plan, struct err *err)
{
	struct captured *run = follower_run(&a->follower, plan, false, err);
	struct verdict v;
	struct err ignored;
	int is_same = 0;

	if (!run)
		return -1;
	if (again_judge(a, run, &v, &ignored) == 0) {
		is_same = again_is_kept_one(a, &v);
		if (is_same) {
			plan_describe(plan, run);
			retell(a->repro, run, &v);
		}
		verdict_done(&v);
	}
	captured_free(run);
	return is_same;
}

/* Without some of its switches a run may hang that did not before. Waiting for
 * that as long as for the program itself would cost more than all the rest. */
static void limit_patience(struct again *a, uint64_t ms)
{
	uint64_t *hang = &a->follower.ask.hang_ms;

	if (a->repro->outcome != OUTCOME_HANG && (!*hang || *hang > ms / 4))
		*hang = ms / 4 + 1;
}

int again_shrink(struct again *a, uint32_t runs, uint64_t ms,
		 struct shrink_result *result, struct err *err)
{
	struct repro *r = a->repro;
	struct plan *shrunk = NULL;
	int rc;

	if (!a->is_started && !a->has_lent &&
	    (again_start(a, err) < 0 || again_fit(a, err) < 0))
		return -1;
	limit_patience(a, ms);
	rc = shrink(&a->follower, r->plan, again_is_same, a, runs, ms, result,
		    err);
	a->follower.ask.hang_ms = r->hang_ms;
	shrunk = result->plan;
	result->plan = NULL;
	if (rc == 0)
		rc = confirm(a, shrunk, err);
	if (rc == 1) {
		plan_free(r->plan);
		r->plan = shrunk;
		return repro_update(r, err);
	}
	plan_free(shrunk);
	result->after = result->before;
	if (rc == 0 && confirm(a, r->plan, err) == 1)
		rc = repro_update(r, err);
	return rc;
}

void again_make_readable_within(const char *store, const char *name,
				uint64_t ms)
{
	struct shrink_result result;
	struct again a;
	struct err err;

	if (interrupts_came())
		return;
	if (again_open(&a, store, name, true, &err) < 0 ||
	    again_shrink(&a, SHRINK_RUNS, ms < SHRINK_MS ? ms : SHRINK_MS,
			 &result, &err) < 0)
		log_warn("%s is kept as it was found: %s", name, err.text);
	again_close(&a);
}

void again_make_readable(const char *store, const char *name)
{
	again_make_readable_within(store, name, SHRINK_MS);
}

/* ---- keeping ---- */

void repro_set_failure(struct repro *r, const struct captured *run,
		       const struct verdict *v)
{
	r->seed = run->run.seed;
	r->outcome = v->kind;
	r->verdict = xstrdup(v->text);
	r->identity = xstrdup(v->identity);
	r->details = xstrdup(v->details);
	r->schedule = run->run.schedule;
	r->points = run->run.points;
	r->wait_status = run->run.wait_status;
	r->plan = captured_plan(run);
	r->output = copy(run->output, run->output_size);
	r->output_size = run->output_size;
}
