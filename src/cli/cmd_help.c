/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cli/verb.h"
#include "format/verdict.h"

struct help_options {
	char unused;
};

static const struct arg help_options[] = { ARG_END };

static void print_overview(void)
{
	puts("usage: heddle VERB [OPTION...] ...\n"
	     "heddle finds, reproduces and explains concurrency bugs in C and "
	     "C++ programs.\n");
	for (const struct verb *const *v = verbs; *v; v++)
		printf("  %-12s %s\n", (*v)->name, (*v)->summary);
	puts("\nOptions of a verb: heddle help VERB, or heddle VERB --help; "
	     "version: heddle --version.\n\n"
	     "Begin with:\n"
	     "  heddle cc -o program program.c -pthread\n"
	     "  heddle test -- ./program            (finds what breaks it, and "
	     "explains it)\n"
	     "  heddle run --observe -- ./program   (what one free run "
	     "tells)\n\n"
	     "Exit status:");
#define EXIT(name, status, text, meaning)                                      \
	printf("  %d  %-8s %s\n", status, text, meaning);
#include "format/verdict.def"
#undef EXIT
}

static int cmd_help(const void *options, int argc, char **argv, struct err *err)
{
	const struct verb *v;

	(void)options;
	if (argc == 0) {
		print_overview();
		return EXIT_HELD;
	}
	v = verb_find(argv[0]);
	if (!v)
		return verb_unknown(argv[0], err);
	verb_help(v);
	return EXIT_HELD;
}

const struct verb verb_help_verb = {
	.name = "help",
	.summary = "say what a verb does and its options",
	.synopsis = "[VERB]",
	.flags = VERB_OPERANDS,
	.options = help_options,
	.options_size = sizeof(struct help_options),
	.run = cmd_help,
};
