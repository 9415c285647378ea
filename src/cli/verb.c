/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verb.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

static const struct arg no_options[] = { ARG_END };

static const struct verb verb_cc = {
	.name = "cc",
	.summary = "compile and link C so that heddle can watch it",
	.synopsis = "[COMPILER OPTION...] FILE...",
	.flags = VERB_RAW,
	.options = no_options,
	.run_raw = cmd_cc,
};

static const struct verb verb_cxx = {
	.name = "c++",
	.summary = "the same for C++",
	.synopsis = "[COMPILER OPTION...] FILE...",
	.flags = VERB_RAW,
	.options = no_options,
	.run_raw = cmd_cxx,
};

/* One on each line, in the order in which help has them. */
/* clang-format off */
const struct verb *const verbs[] = {
	&verb_cc,
	&verb_cxx,
	&verb_test,
	&verb_run,
	&verb_expose,
	&verb_explore,
	&verb_replay,
	&verb_report,
	&verb_shrink,
	&verb_locate,
	&verb_regress,
	&verb_list,
	&verb_rm,
	&verb_show,
	&verb_linear,
	&verb_doctor,
	&verb_help_verb,
	&verb_completion,
	NULL,
};
/* clang-format on */

const struct verb *verb_find(const char *name)
{
	for (const struct verb *const *v = verbs; *v; v++)
		if (strcmp((*v)->name, name) == 0)
			return *v;
	return NULL;
}

void verb_help(const struct verb *v)
{
	printf("usage: heddle %s %s\n%s\n\n", v->name, v->synopsis, v->summary);
	if (v->flags & VERB_RAW)
		puts("Options are those of the compiler.");
	else
		args_print(v->options, stdout);
	if (v->next)
		printf("\n%s\n", v->next);
	printf("\nMore in heddle-%s(1).\n",
	       strcmp(v->name, "c++") == 0 ? "cc" : v->name);
}

int verb_unknown(const char *name, struct err *err)
{
	struct suggest s = { .word = name };

	for (const struct verb *const *v = verbs; *v; v++)
		suggest_offer(&s, (*v)->name);
	if (s.nearest)
		return err_set(err, "unknown verb %s; did you mean %s?", name,
			       s.nearest);
	return err_set(err, "unknown verb %s; heddle help lists them", name);
}
