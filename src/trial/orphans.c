/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void orphans_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static bool kill_children_of(const char *task)
{
	char path[300];
	bool any = false;
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%s/children", task);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1) {
		kill(pid, SIGKILL);
		any = true;
	}
	if (f)
		fclose(f);
	return any;
}

static bool kill_children(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *e;
	bool any = false;

	while (tasks && (e = readdir(tasks)))
		if (e->d_name[0] != '.')
			any |= kill_children_of(e->d_name);
	if (tasks)
		closedir(tasks);
	return any;
}

/* Children of the killed become ours, hence again until nobody is left. */
void orphans_end(void)
{
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno != EINTR)
			return;
		if (pid != 0)
			continue;
		if (!kill_children())
			return;
		waitpid(-1, NULL, 0);
	}
}
