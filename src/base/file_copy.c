/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

/* Directories in directories: more is a circle that a mount made. */
enum { DEEP = 64 };

static int copy(const char *from, const char *to, int deep, struct err *err);

static int failed(const char *from, const char *to, int in, struct err *err)
{
	err_set(err, "cannot copy %s to %s: %s", from, to, strerror(errno));
	if (in >= 0)
		close(in);
	return -1;
}

static int copy_bytes(const char *from, const char *to, int in, mode_t mode,
		      struct err *err)
{
	int out =
		open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
	ssize_t n;

	if (out < 0)
		return failed(from, to, in, err);
	do {
		n = sendfile(out, in, NULL, 1 << 30);
	} while (n > 0);
	if (n < 0) {
		failed(from, to, in, err);
		close(out);
		return -1;
	}
	close(in);
	if (close(out) < 0)
		return failed(from, to, -1, err);
	return 0;
}

static int copy_entries(const char *from, const char *to, int in, int deep,
			struct err *err)
{
	DIR *d = deep ? fdopendir(in) : NULL;
	const struct dirent *e;
	int rc = 0;

	if (!d)
		return failed(from, to, in, err);
	if (mkdir(to, 0777) < 0) {
		closedir(d);
		return failed(from, to, -1, err);
	}
	while (rc == 0 && (e = readdir(d))) {
		char *a, *b;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		a = xasprintf("%s/%s", from, e->d_name);
		b = xasprintf("%s/%s", to, e->d_name);
		rc = copy(a, b, deep - 1, err);
		free(a);
		free(b);
	}
	closedir(d);
	return rc;
}

static int copy(const char *from, const char *to, int deep, struct err *err)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (in < 0 || fstat(in, &st) < 0)
		return failed(from, to, in, err);
	if (S_ISDIR(st.st_mode))
		return copy_entries(from, to, in, deep, err);
	return copy_bytes(from, to, in, st.st_mode, err);
}

int file_copy(const char *from, const char *to, struct err *err)
{
	errno = ELOOP;
	return copy(from, to, DEEP, err);
}
