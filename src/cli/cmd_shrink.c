/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/again.h"
#include "cli/verb.h"
#include "store/store.h"
#include "trial/interrupts.h"

struct shrink_options {
	const char *store;
	uint64_t runs;
	uint64_t time;
	bool allow_check;
};

static const struct shrink_options shrink_defaults = {
	.store = STORE_DEFAULT,
	.runs = 10000,
	.time = 60 * 1000,
};

static const struct arg shrink_options[] = {
	ARG_NUMBER(struct shrink_options, runs, "runs", 'n', "N",
		   "at most N runs (10000)"),
	ARG_DURATION(struct shrink_options, time, "for", 0, "TIME",
		     "at most this long (1m)"),
	ARG_FLAG(struct shrink_options, allow_check, "allow-check", 0,
		 "run the check command that the repro brings"),
	ARG_PATH(struct shrink_options, store, "store", 0, "DIR",
		 "look in DIR (.heddle)"),
	ARG_END,
};

static void print_result(const struct repro *r, const struct shrink_result *s)
{
	printf("%s: %u %s", r->name, s->after,
	       s->after == 1 ? "switch" : "switches");
	if (s->after < s->before)
		printf(" instead of %u", s->before);
	printf(", after %u %s; ", s->runs, s->runs == 1 ? "run" : "runs");
	if (s->is_least)
		puts("none can be left out");
	else if (interrupts_came())
		printf("there may be fewer: interrupted by SIG%s\n",
		       sigabbrev_np(interrupts_came()));
	else
		puts("there may be fewer (--runs, --for)");
}

static int shrink_it(struct again *a, const struct shrink_options *o,
		     struct err *err)
{
	uint32_t runs = o->runs < UINT32_MAX ? (uint32_t)o->runs : UINT32_MAX;
	struct shrink_result result;

	if (rules_are_there(&a->repro->plan->rules))
		return err_set(err,
			       "%s is kept by rules and not by a schedule; "
			       "there are no switches to leave out",
			       a->repro->name);
	if (again_shrink(a, runs, o->time, &result, err) < 0)
		return -1;
	print_result(a->repro, &result);
	return !result.is_least && interrupts_came() ? EXIT_UNKNOWN : EXIT_HELD;
}

static int cmd_shrink(const void *values, int argc, char **argv,
		      struct err *err)
{
	const struct shrink_options *o = values;
	struct again a;
	int rc = -1;

	if (argc > 1)
		return err_set(err, "one failure at a time: %s is one too many",
			       argv[1]);
	if (again_open(&a, o->store, argv[0], o->allow_check, err) == 0)
		rc = shrink_it(&a, o, err);
	again_close(&a);
	return rc;
}

const struct verb verb_shrink = {
	.name = "shrink",
	.summary = "cut a kept failure down to the fewest switches",
	.synopsis = "[OPTION...] NAME",
	.flags = VERB_OPERANDS | VERB_NEEDS_ONE | VERB_NAMES | VERB_LASTS,
	.options = shrink_options,
	.defaults = &shrink_defaults,
	.options_size = sizeof(struct shrink_options),
	.run = cmd_shrink,
};
