/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame: which verb, its options, its error, its exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/verb.h"
#include "linear/linear_again.h"
#include "format/verdict.h"
#include "trial/interrupts.h"

/* heddle-cc is heddle cc, for build systems that want one word. */
static const struct verb *alias(const char *program)
{
	const char *name = strrchr(program, '/');

	name = name ? name + 1 : program;
	return strncmp(name, "heddle-", 7) == 0 ? verb_find(name + 7) : NULL;
}

static int check_operands(const struct verb *v, int argc, char **argv,
			  struct err *err)
{
	if (argc > 0 && !(v->flags & (VERB_OPERANDS | VERB_PROGRAM)))
		return err_set(err, "%s takes no arguments, but was given '%s'",
			       v->name, argv[0]);
	if (argc == 0 && v->flags & VERB_NEEDS_ONE)
		return err_set(err, "something is missing: heddle %s %s",
			       v->name, v->synopsis);
	return 0;
}

/* A verb that an interrupt left with nothing to tell says so. */
static int run_lasting(const struct verb *v, void *options, int argc,
		       char **argv, struct err *err)
{
	int rc, signal;

	interrupts_hold();
	rc = v->run(options, argc, argv, err);
	signal = interrupts_came();
	interrupts_release();
	if (rc >= 0 || !signal)
		return rc;
	fprintf(stderr, "heddle: interrupted by SIG%s\n", sigabbrev_np(signal));
	return EXIT_UNKNOWN;
}

static int run_parsed(const struct verb *v, void *options, int argc,
		      char **argv, struct err *err)
{
	struct args_found found;

	if (args_parse(v->options, v->flags & VERB_PROGRAM, argc, argv, options,
		       &found, err) < 0)
		return -1;
	if (found.verbose)
		log_more();
	if (found.help) {
		verb_help(v);
		return EXIT_HELD;
	}
	argc -= found.first;
	argv += found.first;
	if (check_operands(v, argc, argv, err) < 0)
		return -1;
	if (v->flags & VERB_LASTS)
		return run_lasting(v, options, argc, argv, err);
	return v->run(options, argc, argv, err);
}

/* argv[0] is the verb. */
static int run_verb(const struct verb *v, int argc, char **argv,
		    struct err *err)
{
	void *options;
	int rc;

	if (v->flags & VERB_RAW)
		return v->run_raw(argc, argv);
	options = xcalloc(1, v->options_size);
	if (v->defaults)
		memcpy(options, v->defaults, v->options_size);
	rc = run_parsed(v, options, argc, argv, err);
	free(options);
	return rc;
}

static int dispatch(int argc, char **argv, struct err *err)
{
	const struct verb *v = alias(argv[0]);
	const char *name = argc > 1 ? argv[1] : "help";

	if (v)
		return run_verb(v, argc, argv, err);
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("heddle " HEDDLE_VERSION);
		return EXIT_HELD;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	v = verb_find(name);
	if (!v && name[0] == '-')
		return err_set(err,
			       "unknown option %s before the verb; heddle "
			       "help lists the verbs",
			       name);
	if (!v)
		return verb_unknown(name, err);
	return run_verb(v, argc > 1 ? argc - 1 : 1, argc > 1 ? argv + 1 : argv,
			err);
}

/* A file that is opened must not take the place of a stream that we were
 * started without: what is said would go into it. Writing still fails, as it
 * did. */
static void fill_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd < 2);
	if (fd > 2)
		close(fd);
}

/* Output that nobody got is a failure, even if the verb saw none. */
static int check_stdout(struct err *err)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return err_set(err, "cannot write standard output: %s",
		       errno ? strerror(errno) : "an earlier write failed");
}

int main(int argc, char **argv)
{
	struct err err;
	int rc;

	if (argc < 1)
		return EXIT_FAILED;
	fill_streams();
	again_kind = &linear_again_kind;
	rc = log_setup(getenv("HEDDLE_LOG"), &err);
	if (rc == 0)
		rc = dispatch(argc, argv, &err);
	errno = 0;
	if (rc >= 0 && check_stdout(&err) < 0)
		rc = -1;
	if (rc >= 0)
		return rc;
	fprintf(stderr, "heddle: %s\n", err.text);
	return EXIT_FAILED;
}
