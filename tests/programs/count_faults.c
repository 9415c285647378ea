/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count_faults COMMAND...: the page faults of a command and of all processes it
 * waited for, as a number. What the command says is not heard.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage u;
	int status;
	pid_t pid = fork();

	if (pid == 0 && argc > 1) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid <= 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return 2;
	getrusage(RUSAGE_CHILDREN, &u);
	printf("%ld\n", u.ru_minflt);
	return 0;
}
