/* SPDX-License-Identifier: Apache-2.0 */
#include "store/stranger.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"

/* nftw has no argument for its function. */
static _Thread_local char *odd;

static int look(const char *path, const struct stat *st, int flag,
		struct FTW *ftw)
{
	(void)flag;
	(void)ftw;
	if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode))
		return 0;
	odd = xstrdup(path);
	return 1;
}

int stranger_is_plain(const char *directory, struct err *err)
{
	enum { OPEN_AT_ONCE = 16 };
	/* What the user named may be a link. */
	char *real = realpath(directory, NULL);
	int rc = -1;

	odd = NULL;
	if (real)
		rc = nftw(real, look, OPEN_AT_ONCE, FTW_PHYS);
	if (odd)
		err_set(err, "%s is neither a file nor a directory", odd);
	else if (rc)
		err_set(err, "cannot look into %s: %s", directory,
			strerror(errno));
	free(odd);
	free(real);
	return rc ? -1 : 0;
}
