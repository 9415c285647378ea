/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often does a program fail when nobody controls it?
 *
 *	bench_native RUNS SECONDS PROGRAM [ARGUMENT...]
 *
 * runs it that often, one run after the other, without its output, and kills a
 * run that takes longer than SECONDS, which counts as a failure. After twenty
 * seconds it is satisfied with the runs it has got. Prints
 *
 *	RUNS FAILURES RATE LOWER UPPER SECONDS
 *
 * with the exact limits of the rate (each holds with 97.5 %, both with 95 %)
 * and the time that all runs took.
 *
 *	bench_native first LIMIT SECONDS PROGRAM [ARGUMENT...]
 *
 * runs it until it fails, but begins no run after LIMIT seconds. Prints
 *
 *	RUNS FAILURES SECONDS
 *
 * Status 2 of the program, which its subjects use for a machine that lacks
 * something, ends the bench.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "binomial.h"

enum { ENOUGH_S = 20 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static _Noreturn void program_start(char **command)
{
	int nothing = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2; fd++)
		dup2(nothing, fd);
	execvp(command[0], command);
	_exit(2);
}

/* As waitpid tells it; -1: it had to be killed. */
static int program_await(pid_t pid, int limit_ms)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), status;
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	int in_time = poll(&ended, 1, limit_ms) != 0;

	if (!in_time)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(fd);
	return in_time ? status : -1;
}

static int program_fails(char **command, int limit_ms)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		program_start(command);
	status = pid < 0 ? 2 << 8 : program_await(pid, limit_ms);
	if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 2) {
		fprintf(stderr, "cannot run %s\n", command[0]);
		exit(2);
	}
	return status != 0;
}

static int measure_first(double limit, int limit_ms, char **command)
{
	int runs = 0, failures = 0;
	double began = now();

	for (; !failures && now() - began < limit; runs++)
		failures = program_fails(command, limit_ms);
	printf("%d %d %.4f\n", runs, failures, now() - began);
	return 0;
}

int main(int argc, char **argv)
{
	int wanted = argc > 3 ? atoi(argv[1]) : 0, runs = 0;
	int limit_ms = argc > 3 ? (int)(1000 * atof(argv[2])) : 0;
	uint64_t failures = 0;
	double began = now();

	if (limit_ms > 0 && argc > 4 && !strcmp(argv[1], "first"))
		return measure_first(atof(argv[2]), (int)(1000 * atof(argv[3])),
				     &argv[4]);
	if (wanted < 1 || limit_ms < 1) {
		fprintf(stderr, "usage: bench_native RUNS SECONDS PROGRAM\n");
		return 2;
	}
	for (; runs < wanted && now() - began < ENOUGH_S; runs++)
		failures += (uint64_t)program_fails(&argv[3], limit_ms);
	printf("%d %llu %.5f %.5f %.5f %.4f\n", runs,
	       (unsigned long long)failures, (double)failures / runs,
	       binomial_lower(failures, (uint64_t)runs, 0.025),
	       binomial_upper(failures, (uint64_t)runs, 0.025), now() - began);
	return 0;
}
