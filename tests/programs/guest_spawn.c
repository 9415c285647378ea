/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other programs, started in the ways of libc: the handlers of the program come
 * back afterwards, and the others are not observed.
 */
#include "guest_check.h"

#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile sig_atomic_t handled;

static void handle(int unused)
{
	(void)unused;
	handled++;
}

int main(void)
{
	char *const arguments[] = { "sh", "-c", "exit 6", NULL };
	char line[16] = "";
	int status;
	pid_t pid;
	FILE *pipe;

	signal(SIGINT, handle);
	CHECK(WEXITSTATUS(system("exit 3")) == 3);
	raise(SIGINT);
	CHECK(handled == 1);

	pipe = popen("echo word", "r");
	CHECK(pipe && fgets(line, sizeof(line), pipe));
	CHECK(pclose(pipe) == 0 && strcmp(line, "word\n") == 0);

	CHECK(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ) ==
	      0);
	CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 6);
	CHECK(signal(SIGINT, SIG_DFL) == handle);
	return passed();
}
