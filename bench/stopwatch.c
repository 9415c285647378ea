/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times commands against each other. Reads lines
 *
 *	PROGRAM VARIANT KIND COMMAND...
 *
 * (words without quotes; lines that begin with # are left out), runs all of
 * them, then all again, so that what else happens on the machine meets every
 * variant alike, and prints for each run a line of numbers, separated by tabs:
 *
 *	program variant round status
 *	wall cpu rss			of the program, seconds and KiB
 *	tool_during tool_after tool_rss	of the tool, processor seconds and KiB
 *	total				wall time of the command
 *	user			seconds of the program outside the kernel
 *
 * KIND is plain, or tool when the command is a tool that runs the program as
 * its only child. The processor time of the two is told apart by what the
 * kernel keeps of a process that has ended and was not waited for yet: its own
 * time and that of its children, in ticks. Peaks of memory are read while they
 * run, and the smaller of the two may miss the last milliseconds.
 *
 *	stopwatch [-n ROUNDS] [-t SECONDS] [-s] < list
 *
 * -t bounds each command; one that takes longer is killed, and the status is
 * -1. Output of the commands is thrown away, -s keeps what they say on
 * standard error. The status of stopwatch is 1 if a command could not be run
 * or was killed.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 256, WORDS = 64, SEARCH_MS = 1, SAMPLE_MS = 5 };

struct command {
	char *program, *variant;
	bool is_tool;
	char *words[WORDS];
};

struct watched {
	pid_t pid;
	int fd; /* of the process, readable when it has ended; -1: none */
	double began, ended;
	long rss;
};

struct sample {
	int status;
	double wall, cpu, user, tool_during, tool_after, total;
	long rss, tool_rss;
};

static struct command commands[COMMANDS];
static int command_count;
static int rounds = 3;
static double limit = 300;
static bool keeps_stderr;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- /proc ---- */

/* Reads /proc/<pid>/<name>; false when the process is no more. */
static bool proc_read(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buf, size - 1);
		close(fd);
	}
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Parent and processor seconds of a process, its own and how much of that
 * outside the kernel. */
static bool proc_stat(pid_t pid, pid_t *parent, double *own, double *own_user)
{
	unsigned long user, sys;
	double ticks = (double)sysconf(_SC_CLK_TCK);
	char buf[1024], *p;
	int ppid;

	if (!proc_read(pid, "stat", buf, sizeof(buf)))
		return false;
	p = strrchr(buf, ')'); /* the name may hold anything */
	if (!p || sscanf(p + 1,
			 " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u"
			 " %lu %lu",
			 &ppid, &user, &sys) != 3)
		return false;
	*parent = ppid;
	*own = (double)(user + sys) / ticks;
	*own_user = (double)user / ticks;
	return true;
}

static long proc_peak(pid_t pid)
{
	char buf[4096], *p;

	if (!proc_read(pid, "status", buf, sizeof(buf)))
		return 0;
	p = strstr(buf, "VmHWM:");
	return p ? strtol(p + 6, NULL, 10) : 0;
}

/* The child of a process that has one; 0: none yet. Children have higher
 * numbers, until the numbers start again. */
static pid_t proc_child(pid_t of)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		pid_t pid = (pid_t)atoi(entry->d_name), parent;
		double own, own_user;

		if (pid > of && proc_stat(pid, &parent, &own, &own_user) &&
		    parent == of)
			found = pid;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* ---- one run ---- */

_Noreturn static void child_main(const struct command *c)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, 0);
	dup2(null, 1);
	if (!keeps_stderr)
		dup2(null, 2);
	execvp(c->words[0], c->words);
	_exit(127);
}

static bool watch(struct watched *w, pid_t pid)
{
	w->fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (w->fd < 0)
		return false;
	w->pid = pid;
	w->began = now();
	return true;
}

/* Waits until one of the two has ended, some milliseconds at most. */
static void nap(const struct watched *command, const struct watched *program,
		int wait_ms)
{
	struct pollfd p[] = {
		{ .fd = command->fd, .events = POLLIN },
		{ .fd = program->ended > 0 ? -1 : program->fd,
		  .events = POLLIN },
	};

	poll(p, 2, wait_ms);
}

/* Notes the end and the peak of the process. */
static bool has_ended(struct watched *w)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	long peak = proc_peak(w->pid);

	if (peak > w->rss)
		w->rss = peak;
	if (poll(&p, 1, 0) <= 0)
		return false;
	w->ended = now();
	return true;
}

/* Watches the command, and the program below it if it is a tool, until the
 * command has ended or the time is up. *during is the tool's processor time
 * when the program ended. The program is looked at first: on a busy machine
 * both may have ended before we come to look. */
static bool follow(const struct command *c, struct watched *command,
		   struct watched *program, double *during)
{
	bool program_runs = false, killed = false;
	pid_t parent;
	double user;

	for (;;) {
		nap(command, program,
		    program_runs || !c->is_tool ? SAMPLE_MS : SEARCH_MS);
		if (program_runs && !(program->ended > 0) && has_ended(program))
			proc_stat(command->pid, &parent, during, &user);
		if (has_ended(command))
			return !killed;
		if (c->is_tool && !program_runs)
			program_runs = watch(program, proc_child(command->pid));
		if (!killed && now() - command->began > limit) {
			kill(command->pid, SIGKILL);
			killed = true;
		}
	}
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The command is a zombie: its times can still be read. */
static void settle(const struct command *c, const struct watched *command,
		   const struct watched *program, double during,
		   struct sample *s)
{
	double own = 0, own_user = 0, all;
	struct rusage usage;
	pid_t parent;
	int status;

	proc_stat(command->pid, &parent, &own, &own_user);
	wait4(command->pid, &status, 0, &usage);
	all = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	s->total = command->ended - command->began;
	s->status = WIFEXITED(status) ? WEXITSTATUS(status) :
					128 + WTERMSIG(status);
	if (!c->is_tool) {
		s->wall = s->total;
		s->cpu = all;
		s->user = seconds(usage.ru_utime);
		s->rss = usage.ru_maxrss;
		return;
	}
	s->wall = program->ended - program->began;
	s->cpu = all - own;
	s->user = seconds(usage.ru_utime) - own_user;
	/* The kernel tells the larger peak of the two: if the tool's is clearly
	 * less, this one is the program's, and not missed. */
	s->rss = program->rss;
	if (usage.ru_maxrss > command->rss + command->rss / 8)
		s->rss = usage.ru_maxrss;
	s->tool_during = during;
	s->tool_after = own - during;
	s->tool_rss = command->rss;
}

/* False when it could not be run, or not to its end. */
static bool run(const struct command *c, struct sample *s)
{
	struct watched command = { .fd = -1 }, program = { .fd = -1 };
	double during = 0;
	bool ended;
	pid_t pid = fork();

	if (pid == 0)
		child_main(c);
	if (pid < 0 || !watch(&command, pid))
		return false;
	ended = follow(c, &command, &program, &during);
	settle(c, &command, &program, during, s);
	close(command.fd);
	if (program.fd >= 0)
		close(program.fd);
	if (!ended)
		s->status = -1;
	return ended && s->status != 127 && (!c->is_tool || program.ended > 0);
}

/* A program that was over before anybody looked is run again. */
static bool run_again(const struct command *c, struct sample *s)
{
	for (int tries = 0; tries < 3; tries++) {
		*s = (struct sample){ 0 };
		if (run(c, s))
			return true;
		if (s->status != 0)
			return false;
	}
	return false;
}

/* ---- the list ---- */

static bool add(char *line)
{
	struct command *c = &commands[command_count];
	char *kind, *word;
	int n = 0;

	c->program = strtok(line, " \t\n");
	if (!c->program || *c->program == '#')
		return true;
	c->variant = strtok(NULL, " \t\n");
	kind = strtok(NULL, " \t\n");
	while (n < WORDS - 1 && (word = strtok(NULL, " \t\n")))
		c->words[n++] = word;
	if (n == 0 || n == WORDS - 1 || command_count == COMMANDS - 1)
		return false;
	c->is_tool = strcmp(kind, "tool") == 0;
	command_count++;
	return true;
}

static bool read_list(void)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) >= 0) {
		if (!add(line))
			return false;
		line = NULL; /* its words are kept */
		room = 0;
	}
	free(line);
	return true;
}

static void print(const struct command *c, int round, const struct sample *s)
{
	printf("%s\t%s\t%d\t%d\t%.4f\t%.4f\t%ld\t%.3f\t%.3f\t%ld\t%.4f\t%.4f\n",
	       c->program, c->variant, round, s->status, s->wall, s->cpu,
	       s->rss, s->tool_during, s->tool_after, s->tool_rss, s->total,
	       s->user);
	fflush(stdout);
}

/* All variants of a program stand together in time, too. */
static bool run_all(void)
{
	bool all_ran = true;

	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < command_count; i++) {
			struct sample s = { 0 };
			bool ran = run_again(&commands[i], &s);

			if (!ran)
				fprintf(stderr,
					"stopwatch: %s of %s did not run to its end (status %d)\n",
					commands[i].variant,
					commands[i].program, s.status);
			all_ran = all_ran && ran;
			print(&commands[i], round, &s);
		}
	return all_ran;
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:t:s")) != -1) {
		if (option == 'n')
			rounds = atoi(optarg);
		else if (option == 't')
			limit = atof(optarg);
		else if (option == 's')
			keeps_stderr = true;
		else
			return 2;
	}
	if (!read_list()) {
		fprintf(stderr, "stopwatch: line %d is not to be understood\n",
			command_count + 1);
		return 2;
	}
	return run_all() ? 0 : 1;
}
