/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle cc and heddle c++: the compiler the user has, called with what makes
 * it place hooks and link the guest. Whatever is not about that is passed on,
 * and so is the compiler's exit status.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/compiler.h"
#include "cli/compiler_extra.h"
#include "cli/compiler_line.h"
#include "cli/hooked.h"
#include "cli/verb.h"
#include "format/verdict.h"

struct build {
	struct compiler compiler;
	struct compiler_line line;
	struct compiler_parts parts;
	struct compiler_extra extra;
	struct stat before; /* what lay where the result will */
};

/* ---- The command ---- */

static void push_words(struct compiler_words *all,
		       const struct compiler_words *words)
{
	for (size_t i = 0; i < words->list.count; i++)
		vec_push(&all->list, words->list.at[i]);
}

/* The words are borrowed, the array is the caller's. Behind a word "--" there
 * are only files. */
static char **make_command(const struct build *b, int argc, char **argv)
{
	struct compiler_words all = { 0 };
	int i = 0;

	vec_push(&all.list, b->compiler.program);
	push_words(&all, &b->extra.before);
	while (i < argc && strcmp(argv[i], "--") != 0)
		vec_push(&all.list, argv[i++]);
	push_words(&all, &b->extra.after);
	while (i < argc)
		vec_push(&all.list, argv[i++]);
	vec_push(&all.list, NULL);
	return all.list.at;
}

/* The compiler's exit status, or -1. */
static int run_command(char **command, struct err *err)
{
	pid_t pid;
	int rc, status;

	rc = posix_spawnp(&pid, command[0], NULL, NULL, command, environ);
	if (rc)
		return err_set(err,
			       "cannot run %s: %s; install it, or name "
			       "another compiler in HEDDLE_CC",
			       command[0], strerror(rc));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, "lost sight of %s: %s", command[0],
				       strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- The result ---- */

static const char *result_of(const struct build *b)
{
	return b->line.output ? b->line.output : "a.out";
}

static void remember_result(struct build *b)
{
	if (stat(result_of(b), &b->before) < 0)
		b->before = (struct stat){ 0 };
}

/* The linker may only have been asked something: then what lies there is not
 * its work. */
static bool has_new_result(const struct build *b)
{
	struct stat now;

	if (b->line.stage != STAGE_LINK || b->line.relocatable || b->line.dry)
		return false;
	if (stat(result_of(b), &now) < 0 || !S_ISREG(now.st_mode))
		return false;
	return now.st_ino != b->before.st_ino ||
	       now.st_size != b->before.st_size ||
	       now.st_ctim.tv_sec != b->before.st_ctim.tv_sec ||
	       now.st_ctim.tv_nsec != b->before.st_ctim.tv_nsec;
}

/* Whether a part of the program was compiled with hooks. No part that we can
 * look into is no reason to object. */
static bool has_hooked_part(const struct compiler_line *line)
{
	bool seen = false;

	if (compiler_line_has(line, INPUT_SOURCE))
		return true;
	for (size_t i = 0; i < line->inputs.count; i++) {
		const struct compiler_input *input = &line->inputs.at[i];

		if (input->kind != INPUT_LINKED)
			continue;
		if (hooked_input(input->path))
			return true;
		seen = true;
	}
	return !seen && !compiler_line_has(line, INPUT_ASSEMBLER);
}

static bool is_hooked(const struct build *b)
{
	switch (hooked_program(result_of(b))) {
	case HOOKED_NO:
		return false;
	case HOOKED_START:
		return b->compiler.family == COMPILER_CLANG || b->line.shared ||
		       has_hooked_part(&b->line);
	case HOOKED_YES:
	case HOOKED_UNKNOWN:
		break;
	}
	return true;
}

/* What is not fit to be used does not stay: make would take it as done. */
static int check_result(const struct build *b, struct err *err)
{
	if (is_hooked(b))
		return 0;
	unlink(result_of(b));
	return err_set(err,
		       "%s has no hooks, so nothing in it could be observed, "
		       "and was removed; compile its sources with heddle too",
		       result_of(b));
}

/* ---- The verbs ---- */

static int build_run(struct build *b, int argc, char **argv, struct err *err)
{
	char **command;
	int rc;

	if (compiler_refuse(&b->compiler, &b->line, err) < 0)
		return -1;
	if (b->line.no_hooks && b->line.stage != STAGE_NONE)
		fprintf(stderr,
			"heddle: %s is overruled, because it would take the "
			"hooks away\n",
			b->line.no_hooks);
	compiler_extra_init(&b->extra, &b->compiler, &b->line, &b->parts);
	command = make_command(b, argc, argv);
	remember_result(b);
	rc = run_command(command, err);
	free(command);
	compiler_extra_done(&b->extra);
	if (rc == 0 && has_new_result(b) && check_result(b, err) < 0)
		rc = -1;
	return rc;
}

/* Takes out the words that are for us, in front of any "--": --blocks, and
 * --loops, which needs the same hooks. */
static bool take_blocks(int *argc, char **argv)
{
	bool found = false, is_over = false;
	int kept = 0;

	for (int i = 0; i < *argc; i++) {
		is_over |= strcmp(argv[i], "--") == 0;
		if (!is_over && (strcmp(argv[i], "--blocks") == 0 ||
				 strcmp(argv[i], "--loops") == 0))
			found = true;
		else
			argv[kept++] = argv[i];
	}
	*argc = kept;
	return found;
}

static int build_with(struct build *b, int argc, char **argv, struct err *err)
{
	bool has_blocks = take_blocks(&argc, argv);
	int rc = 0;

	if (compiler_line_init(&b->line, argc, argv, err) < 0)
		return -1;
	b->line.blocks = has_blocks;
	if (b->line.stage != STAGE_NONE)
		rc = compiler_parts_init(&b->parts, err);
	if (rc == 0)
		rc = build_run(b, argc, argv, err);
	compiler_parts_done(&b->parts);
	compiler_line_done(&b->line);
	return rc;
}

static int build(bool is_cxx, int argc, char **argv)
{
	struct build b = { 0 };
	struct err err;
	int rc = compiler_init(&b.compiler, getenv("HEDDLE_CC"), is_cxx, &err);

	if (rc == 0) {
		rc = build_with(&b, argc - 1, argv + 1, &err);
		compiler_done(&b.compiler);
	}
	if (rc >= 0)
		return rc;
	fprintf(stderr, "heddle: %s\n", err.text);
	return EXIT_FAILED;
}

int cmd_cc(int argc, char **argv)
{
	return build(false, argc, argv);
}

int cmd_cxx(int argc, char **argv)
{
	return build(true, argc, argv);
}
