/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list and rm: the failures that are kept.
 */
#include <stdio.h>
#include <string.h>

#include "cli/verb.h"
#include "format/verdict.h"
#include "store/repro.h"
#include "store/store.h"

struct list_options {
	const char *store;
};

static const struct list_options list_defaults = { .store = STORE_DEFAULT };

static const struct arg list_options[] = {
	ARG_PATH(struct list_options, store, "store", 0, "DIR",
		 "look in DIR (.heddle)"),
	ARG_END,
};

static int cmd_list(const void *values, int argc, char **argv, struct err *err)
{
	const struct list_options *o = values;
	struct repro_list list;
	int width = 0;

	(void)argc;
	(void)argv;
	(void)err;
	repro_list_init(&list, o->store);
	for (size_t i = 0; i < list.lines.count; i++)
		if ((int)strlen(list.lines.at[i].name) > width)
			width = (int)strlen(list.lines.at[i].name);
	for (size_t i = 0; i < list.lines.count; i++)
		printf("%-*s  %s\n", width, list.lines.at[i].name,
		       list.lines.at[i].verdict);
	if (!list.lines.count)
		fprintf(stderr, "no failure is kept in %s\n", o->store);
	repro_list_done(&list);
	return EXIT_HELD;
}

const struct verb verb_list = {
	.name = "list",
	.summary = "list the failures that are kept, one a line",
	.synopsis = "[OPTION...]",
	.options = list_options,
	.defaults = &list_defaults,
	.options_size = sizeof(struct list_options),
	.run = cmd_list,
};

static int cmd_rm(const void *values, int argc, char **argv, struct err *err)
{
	const struct list_options *o = values;

	for (int i = 0; i < argc; i++)
		if (repro_remove(o->store, argv[i], err) < 0)
			return -1;
	return EXIT_HELD;
}

const struct verb verb_rm = {
	.name = "rm",
	.summary = "forget failures that are kept",
	.synopsis = "[OPTION...] NAME...",
	.flags = VERB_OPERANDS | VERB_NEEDS_ONE | VERB_NAMES,
	.options = list_options,
	.defaults = &list_defaults,
	.options_size = sizeof(struct list_options),
	.run = cmd_rm,
};
