/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that fails to replace itself goes on; one that succeeds is another
 * program. Here it becomes itself again, once in each way there is.
 */
#include "guest_check.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static char *const variables[] = { "STAGE=here", NULL };

/* Failing leaves everything as it was. */
static void fail(void)
{
	char *const arguments[] = { "none", NULL };

	errno = 0;
	CHECK(execv("/does/not/exist", arguments) == -1 && errno == ENOENT);
	CHECK(execl("/does/not/exist", "a", "b", (char *)NULL) == -1);
	CHECK(execlp("does-not-exist", "a", (char *)NULL) == -1);
	CHECK(execve("/", arguments, environ) == -1 && errno == EACCES);
}

static void next(char *self, char stage)
{
	char digit[] = { (char)(stage + 1), '\0' };
	char *arguments[] = { self, digit, "b", "c", NULL };

	switch (stage) {
	case '0':
		execl(self, self, digit, "b", "c", (char *)NULL);
		break;
	case '1':
		execle(self, self, digit, "b", "c", (char *)NULL, variables);
		break;
	case '2':
		CHECK(strcmp(getenv("STAGE"), "here") == 0);
		execlp(self, self, digit, "b", "c", (char *)NULL);
		break;
	case '3':
		execv(self, arguments);
		break;
	case '4':
		execvp(self, arguments);
		break;
	case '5':
		execve(self, arguments, variables);
		break;
	case '6':
		execvpe(self, arguments, environ);
		break;
	case '7':
		fexecve(open(self, O_RDONLY | O_CLOEXEC), arguments, environ);
		break;
	default:
		execveat(AT_FDCWD, self, arguments, environ, 0);
	}
	CHECK(!"replaced");
}

int main(int argc, char **argv)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CHECK(n > 0);
	self[n] = '\0';
	fail();
	if (argc == 1)
		next(self, '0');
	CHECK(argc == 4 && !strcmp(argv[2], "b") && !strcmp(argv[3], "c"));
	if (argv[1][0] <= '8')
		next(self, argv[1][0]);
	return passed();
}
