/* SPDX-License-Identifier: Apache-2.0 */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"

static uint64_t milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The environment with `extra` in place of an entry of that name. */
static char **add_variable(char *extra)
{
	size_t name = strcspn(extra, "=") + 1;
	VEC(char *) env = { 0 };

	for (char **e = environ; *e; e++)
		if (strncmp(*e, extra, name) != 0)
			vec_push(&env, *e);
	vec_push(&env, extra);
	vec_push(&env, NULL);
	return env.at;
}

static int spawn(char *const *argv, const char *extra, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	char *variable = extra ? xstrdup(extra) : NULL;
	char **env = variable ? add_variable(variable) : environ;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);
	rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	if (env != environ)
		free(env);
	free(variable);
	return rc;
}

/* Everything until the other side closes; NULL when the time is up. */
static char *collect(int fd, uint64_t limit)
{
	uint64_t deadline = milliseconds() + limit;
	VEC(char) all = { 0 };

	for (;;) {
		struct pollfd wanted = { .fd = fd, .events = POLLIN };
		uint64_t t = milliseconds();
		ssize_t n;

		if (t >= deadline || poll(&wanted, 1, (int)(deadline - t)) == 0)
			break;
		vec_reserve(&all, all.count + 4097);
		n = read(fd, all.at + all.count, 4096);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			all.at[all.count] = '\0';
			return all.at;
		}
		all.count += (size_t)n;
	}
	vec_free(&all);
	return NULL;
}

int proc_capture(char *const *argv, const char *extra, uint64_t limit,
		 struct proc_output *out, struct err *err)
{
	int ends[2], rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	rc = spawn(argv, extra, ends[1], &pid);
	close(ends[1]);
	if (rc) {
		close(ends[0]);
		return err_set(err, "cannot run %s: %s", argv[0], strerror(rc));
	}
	out->text = collect(ends[0], limit);
	close(ends[0]);
	if (!out->text)
		kill(pid, SIGKILL);
	while (waitpid(pid, &out->wait_status, 0) < 0 && errno == EINTR)
		;
	if (!out->text)
		return err_set(err, "%s did not end in time", argv[0]);
	return 0;
}
