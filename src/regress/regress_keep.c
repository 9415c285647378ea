/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What broke becomes a repro. A failure of a free run is hunted for under
 * control first, by the signature and the widths that it came about with: what
 * fails there alike has a schedule, and is kept in its place. Otherwise the
 * rules are kept.
 */
#include "regress/regress_inner.h"

#include <stdlib.h>
#include <string.h>

#include "regress/derive.h"
#include "trial/interrupts.h"

enum {
	CONVERT_HELD = 16,  /* runs in which threads are held as they were */
	CONVERT_RUNS = 128, /* in all: the rest is a random walk */
};

/* ---- converting ---- */

static void take_over(struct regress *r, struct hunt_run *run)
{
	captured_free(r->broken);
	verdict_done(&r->verdict);
	plan_free(r->rules);
	r->broken = run->captured;
	r->verdict = run->verdict;
	r->rules = NULL;
	r->report = run->report;
	run->captured = NULL;
}

/* What broke freely may have nothing to do with the signature. */
static void convert_setting(struct hunt_setting *set, uint32_t n)
{
	enum { PASS = 64, PASS_ALL = 256, NOISE = 4, NOISE_WALK = 64 };

	set->seed++;
	if (n >= CONVERT_HELD) {
		set->pass = PASS_ALL;
		set->noise = NOISE_WALK;
		return;
	}
	set->pass = n % 4 > 1 ? PASS : 0;
	set->noise = n % 4 > 2 ? NOISE : 0;
}

int regress_convert(struct regress *r, struct err *err)
{
	struct regress_result *result = r->result;
	struct hunt_setting set = r->set;
	const struct signature *s;

	if (!result->signatures.all.count)
		return 0;
	s = &result->signatures.all.at[result->signature];
	for (uint32_t i = 0; i < CONVERT_RUNS && r->rules && !interrupts_came();
	     i++) {
		struct hunt_run run;

		convert_setting(&set, i);
		if (hunter_run(&r->hunter, s, &set, &run, err) < 0)
			return -1;
		if (run.captured && regress_is_alike(&run.verdict, &r->verdict))
			take_over(r, &run);
		hunt_run_done(&run);
	}
	return 0;
}

/* ---- keeping ---- */

static void copy_command(struct repro *to, const struct regress *r)
{
	const struct again *a = &r->again;
	const struct repro *from = a->repro;

	for (size_t i = 0; i < from->arguments.count; i++)
		vec_push(&to->arguments, xstrdup(a->argv[i]));
	for (size_t i = 0; i < from->environment.count; i++)
		vec_push(&to->environment, xstrdup(from->environment.at[i]));
	for (size_t i = 0; i < from->inputs.count; i++)
		vec_push(&to->inputs, xstrdup(from->inputs.at[i]));
	for (size_t i = 0; i < from->check.count; i++)
		vec_push(&to->check, xstrdup(from->check.at[i]));
	to->directory = xstrdup(from->directory);
	to->origin = xstrdup(from->name);
	to->strategy = xstrdup(r->rules ? "perturb" : "hunt");
	to->is_exec = from->is_exec;
	to->is_ready_idle = from->is_ready_idle;
	to->points_most = from->points_most;
	to->hang_ms = from->hang_ms;
	if (from->input) {
		to->input = xmalloc(from->input_size + 1);
		memcpy(to->input, from->input, from->input_size + 1);
		to->input_size = from->input_size;
	}
	if (from->expected) {
		to->expected = xmalloc(from->expected_size + 1);
		memcpy(to->expected, from->expected, from->expected_size + 1);
		to->expected_size = from->expected_size;
	}
}

static void compare(struct regress *r, const struct repro *new)
{
	struct signatures s = { 0 };
	struct err ignored;

	if (new->path && signatures_load(&s, new->path, &ignored) == 0)
		regress_compare_signatures(r, &s);
	signatures_done(&s);
	regress_compare_pairs(r, new);
}

int regress_keep(struct regress *r, struct err *err)
{
	struct repro *new = repro_new();
	VEC(char *) files = { 0 };
	bool was_known;
	int rc;

	for (size_t i = 0; i < r->again.inputs.count; i++)
		vec_push(&files, xstrdup(r->again.inputs.at[i]));
	vec_push(&files, NULL);
	copy_command(new, r);
	repro_set_failure(new, r->broken, &r->verdict);
	if (r->rules) {
		plan_free(new->plan);
		new->plan = plan_copy(r->rules);
	}
	rc = repro_save(new, r->o->store, files.at, &was_known, err);
	if (rc == 0)
		r->result->kept = xstrdup(new->name);
	if (rc == 0 && !was_known) {
		if (!r->rules)
			again_make_readable(r->o->store, new->name);
		signatures_keep(r->o->store, new->name);
	}
	if (rc == 0)
		compare(r, new);
	repro_free(new);
	for (size_t i = 0; i < files.count; i++)
		free(files.at[i]);
	vec_free(&files);
	return rc;
}
