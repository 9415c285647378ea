/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/debugger.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/install.h"
#include "format/verdict.h"
#include "trial/interrupts.h"
#include "trial/program.h"

/* One word for a shell. */
static void put_word(FILE *out, const char *word)
{
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	putc('\'', out);
}

/* gdb looks for it in the directory of the run, which may be an empty one. */
static char *program_path(const struct again *a)
{
	const struct launch *l = &a->follower.worker.launch;
	const char *given = l->program ? l->program : a->argv[0];
	char *path = strchr(given, '/') ? realpath(given, NULL) : NULL;

	return path ? path : xstrdup(given);
}

/* What gdb puts before the program: the guest must be in the program and not
 * in gdb's shell, and standard input is the program's. */
static char *wrapper_command(const struct again *a, const char *path,
			     const char *trial)
{
	struct err ignored;
	struct program program;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool links = program_find(&program, path, &ignored) == 0 &&
		     program.links_guest;

	program_done(&program);
	fputs("set exec-wrapper env HEDDLE_TRIAL=", out);
	put_word(out, trial);
	if (!links) {
		fputs(" LD_PRELOAD=", out);
		put_word(out, a->guest);
	}
	if (a->repro->input)
		fprintf(out, " sh -c 'exec \"$0\" \"$@\" < /proc/%d/fd/%d'",
			(int)getpid(), a->input);
	fclose(out);
	return text;
}

/* Where heddle-gdb.py finds its numbers. */
static char *places_command(const struct again *a)
{
	enum { AT = offsetof(struct region, control) };

	return xasprintf(
		"python heddle_places = dict(path='/proc/%d/fd/%d', size=%zu, "
		"stop=%zu, steps=%zu, planned=%u, threads=%zu, "
		"thread_size=%zu, tids=%zu)",
		(int)getpid(), a->follower.worker.drain.fd,
		AT + offsetof(struct control, results),
		AT + offsetof(struct control, ask.stop_step),
		AT + offsetof(struct control, run.step_count),
		(unsigned int)a->repro->plan->steps.count,
		offsetof(struct region, thread_count),
		sizeof(struct region_thread),
		offsetof(struct region, threads[0].kernel_tid));
}

static void add_command(char ***words_at, size_t *count, char *command)
{
	*words_at = xrealloc(*words_at, (*count + 3) * sizeof(**words_at));
	(*words_at)[(*count)++] = xstrdup("-ex");
	(*words_at)[(*count)++] = command;
	(*words_at)[*count] = NULL;
}

static char **gdb_words(const struct again *a, const char *trial,
			const char *script)
{
	char **argv = xcalloc(5, sizeof(*argv));
	char *path = program_path(a);
	size_t count = 0;

	argv[count++] = xstrdup("gdb");
	argv[count++] = xstrdup("-q");
	/* The directory may be a stranger's, with commands in it. */
	argv[count++] = xstrdup("-iex");
	argv[count++] = xstrdup("set auto-load local-gdbinit off");
	add_command(&argv, &count, xstrdup("set pagination off"));
	add_command(&argv, &count, xstrdup("set confirm off"));
	add_command(&argv, &count, xstrdup("set disable-randomization on"));
	add_command(&argv, &count, wrapper_command(a, path, trial));
	add_command(&argv, &count, places_command(a));
	add_command(&argv, &count, xasprintf("source %s", script));
	add_command(&argv, &count, xstrdup("heddle start"));
	argv = xrealloc(argv, (count + a->repro->arguments.count + 2) *
				      sizeof(*argv));
	argv[count++] = xstrdup("--args");
	argv[count++] = path;
	for (size_t i = 1; i < a->repro->arguments.count; i++)
		argv[count++] = xstrdup(a->repro->arguments.at[i]);
	argv[count] = NULL;
	return argv;
}

static int gdb_wait(char **argv, const char *directory, struct err *err)
{
	void (*before)(int);
	pid_t pid;
	int status = 0;

	/* The keyboard's interrupts are gdb's while it is there. */
	interrupts_release();
	before = signal(SIGINT, SIG_IGN);
	pid = fork();
	if (pid == 0) {
		signal(SIGINT, before);
		/* Without us there is no plan to follow. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (!directory || chdir(directory) == 0)
			execvp("gdb", argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGINT, before);
	interrupts_hold();
	if (pid < 0)
		return err_set(err, "cannot start gdb: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) >= 126)
		return err_set(err, "cannot start gdb; is it installed (apt "
				    "install gdb)?");
	return 0;
}

static void free_words(char **argv)
{
	for (char **a = argv; *a; a++)
		free(*a);
	free(argv);
}

static int check_kind(const struct again *a, struct err *err)
{
	if (a->kind)
		return err_set(err,
			       "%s has clients that heddle plays, and they do "
			       "not wait for a debugger; replay it without "
			       "--gdb",
			       a->repro->name);
	if (rules_are_there(&a->repro->plan->rules))
		return err_set(err,
			       "%s is kept by rules and has no schedule that a "
			       "debugger could hold; replay it without --gdb",
			       a->repro->name);
	return 0;
}

int debugger_run(struct again *a, struct err *err)
{
	char *script = install_find("heddle-gdb.py", err);
	char *trial = NULL, **argv;
	int rc = -1;

	a->is_debugged = true;
	if (script && check_kind(a, err) == 0 && again_start(a, err) == 0 &&
	    again_fit(a, err) == 0 &&
	    follower_lend(&a->follower, a->repro->plan, &trial, err) == 0) {
		argv = gdb_words(a, trial, script);
		rc = gdb_wait(argv, a->follower.worker.launch.directory, err);
		free_words(argv);
	}
	free(trial);
	free(script);
	return rc < 0 ? -1 : EXIT_BROKEN;
}
