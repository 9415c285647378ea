/* SPDX-License-Identifier: Apache-2.0 */
#include "base/install.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

char *install_directory(struct err *err)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n < 0) {
		err_set(err,
			"cannot tell where heddle itself lies: %s; is "
			"/proc mounted?",
			strerror(errno));
		return NULL;
	}
	path[n] = '\0';
	slash = strrchr(path, '/');
	CHECK(slash);
	*slash = '\0';
	return xstrdup(*path ? path : "/");
}

char *install_find(const char *part, struct err *err)
{
	static const char *const places[] = { "", "../lib/heddle/" };
	char *directory = install_directory(err);

	if (!directory)
		return NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char *path = xasprintf("%s/%s%s", directory, places[i], part);

		if (access(path, R_OK) == 0) {
			free(directory);
			return path;
		}
		free(path);
	}
	err_set(err,
		"%s is missing beside heddle in %s and in "
		"../lib/heddle; install heddle again",
		part, directory);
	free(directory);
	return NULL;
}
