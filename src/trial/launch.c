/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "trial/program.h"

/* What the child needs between fork and exec, where it may only call what a
 * signal handler may. */
struct start {
	const struct launch *launch;
	struct program program;
	char **environment;
	char *trial;   /* in `environment`: HEDDLE_TRIAL=, then room for
			     the pid, then the rest */
	char *preload; /* in `environment`, or NULL */
	char *place;   /* ":/proc/<tool>/fd/<n>" */
	int report;    /* pipe: errno when exec fails, closed when not */
};

#define TRIAL "HEDDLE_TRIAL="
#define PRELOAD "LD_PRELOAD="
#define SLASHES "////////////////////////////////" /* as long as a path */

static bool is_variable(const char *entry, const char *name_and_equals)
{
	return strncmp(entry, name_and_equals, strlen(name_and_equals)) == 0;
}

/* The tool's environment, with ours in place of what stood there. */
static void make_environment(struct start *s)
{
	const char *guest = s->launch->guest;
	const char *old = getenv("LD_PRELOAD");
	VEC(char *) env = { 0 };
	char file[sizeof(SLASHES)], place[80];

	/* The stack of the program begins below its environment, and its
	 * addresses are to be the same in every run: the number of a process
	 * may not make this longer. Slashes count as one. */
	snprintf(file, sizeof(file), "/proc/%d/fd/%d", (int)getpid(),
		 s->launch->region);
	snprintf(place, sizeof(place), ":%.*s%s",
		 (int)(sizeof(file) - 1 - strlen(file)), SLASHES, file);
	s->place = xstrdup(place);
	s->trial = xcalloc(1, sizeof(TRIAL) + 24 + sizeof(place));
	vec_push(&env, s->trial);
	if (guest && !s->program.links_guest) {
		s->preload = xasprintf(PRELOAD "%s%s%s", guest,
				       old && *old ? ":" : "", old ? old : "");
		vec_push(&env, s->preload);
	}
	for (char **e = environ; *e; e++)
		if (!is_variable(*e, TRIAL) &&
		    !(s->preload && is_variable(*e, PRELOAD)))
			vec_push(&env, *e);
	vec_push(&env, NULL);
	s->environment = env.at;
}

/* In another directory a relative path would be another program. */
static void make_absolute(struct start *s)
{
	char *path = s->launch->directory ? realpath(s->program.path, NULL) :
					    NULL;

	if (!path)
		return;
	free(s->program.path);
	s->program.path = path;
}

static void start_done(struct start *s)
{
	program_done(&s->program);
	free(s->trial);
	free(s->preload);
	free(s->place);
	free(s->environment);
}

/* snprintf is not for a child of fork; this is. With all digits that a number
 * of 32 bits can have. */
static void put_pid(struct start *s)
{
	char digits[] = "0000000000";
	unsigned int pid = (unsigned int)getpid();

	for (size_t n = sizeof(digits) - 1; pid; pid /= 10)
		digits[--n] = (char)('0' + pid % 10);
	strcpy(s->trial, TRIAL);
	strcat(s->trial, digits);
	strcat(s->trial, s->place);
}

/* All runs on one processor hand the turn over seven times faster than on
 * two. Where the machine forbids a thing, runs are slower or their addresses
 * differ, and heddle doctor says so; no reason to stop. */
static void make_alike(const struct launch *l)
{
	cpu_set_t one;

	if (l->is_fixed)
		personality(ADDR_NO_RANDOMIZE);
	if (l->cpu >= 0) {
		CPU_ZERO(&one);
		CPU_SET((size_t)l->cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
}

static bool set_streams(const struct launch *l)
{
	for (int i = 0; i < 3; i++)
		if (l->streams[i] >= 0 && dup2(l->streams[i], i) < 0)
			return false;
	return !l->directory || chdir(l->directory) == 0;
}

_Noreturn static void child_main(struct start *s, pid_t tool)
{
	const struct launch *l = s->launch;
	int why;

	/* A tool that is killed leaves nobody to empty the region. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != tool)
		_exit(127);
	put_pid(s);
	if (l->is_apart)
		setpgid(0, 0);
	make_alike(l);
	sigprocmask(SIG_SETMASK, &l->mask, NULL);
	if (set_streams(l))
		execve(s->program.path, l->argv, s->environment);
	why = errno;
	while (write(s->report, &why, sizeof(why)) < 0 && errno == EINTR)
		;
	_exit(127);
}

static pid_t start_child(struct start *s, struct err *err)
{
	int report[2], why = 0;
	pid_t tool = getpid(), child;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	s->report = report[1];
	fflush(NULL);
	child = fork();
	if (child == 0)
		child_main(s, tool);
	close(report[1]);
	if (child < 0) {
		close(report[0]);
		return err_set(err, "cannot start a process: %s",
			       strerror(errno));
	}
	do {
		n = read(report[0], &why, sizeof(why));
	} while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != sizeof(why))
		return child;
	waitpid(child, NULL, 0);
	return program_explain(&s->program, why, err);
}

pid_t launch_start(const struct launch *launch, struct err *err)
{
	struct start s = { .launch = launch };
	pid_t child = -1;

	if (program_find(&s.program,
			 launch->program ? launch->program : launch->argv[0],
			 err) == 0) {
		make_absolute(&s);
		make_environment(&s);
		child = start_child(&s, err);
	}
	start_done(&s);
	return child;
}
