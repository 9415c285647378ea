/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

char *file_read(const char *path, size_t *size, struct err *err)
{
	VEC(char) all = { 0 };
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f) {
		err_set(err, "cannot open %s: %s", path, strerror(errno));
		return NULL;
	}
	do {
		vec_reserve(&all, all.count + 4097);
		n = fread(all.at + all.count, 1, 4096, f);
		all.count += n;
	} while (n > 0);
	if (ferror(f)) {
		err_set(err, "cannot read %s: %s", path, strerror(errno));
		vec_free(&all);
	} else {
		all.at[all.count] = '\0';
		*size = all.count;
	}
	fclose(f);
	return all.at;
}

int file_write(const char *path, const char *text, struct err *err)
{
	FILE *f = fopen(path, "we");
	int failed;

	if (!f)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	failed = fputs(text, f) == EOF;
	failed |= fclose(f) == EOF;
	if (failed)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	return 0;
}

bool file_is_directory(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int make_one(const char *path, struct err *err)
{
	int why;

	if (mkdir(path, 0777) == 0)
		return 0;
	why = errno;
	if (why == EEXIST && file_is_directory(path))
		return 0;
	errno = why;
	return err_set(err, "cannot make directory %s: %s", path,
		       strerror(errno));
}

int file_make_directory(const char *path, struct err *err)
{
	char *part = xstrdup(path);
	int rc = 0;

	for (char *p = part + 1; rc == 0 && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		/* What is above may be closed to us and still be there. */
		if (access(part, F_OK) < 0)
			rc = make_one(part, err);
		*p = '/';
	}
	if (rc == 0)
		rc = make_one(path, err);
	free(part);
	return rc;
}

char *file_make_temporary(struct err *err)
{
	const char *where = getenv("TMPDIR");
	char *path =
		xasprintf("%s/heddle-XXXXXX", where && *where ? where : "/tmp");

	if (mkdtemp(path))
		return path;
	err_set(err, "cannot make a directory %s: %s", path, strerror(errno));
	free(path);
	return NULL;
}

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

int file_remove(const char *path, struct err *err)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0)
		return err_set(err, "cannot remove %s: %s", path,
			       strerror(errno));
	return 0;
}
