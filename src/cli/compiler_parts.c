/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler_extra.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "base/install.h"

/* Without links and dots, because it will stand in programs. The caller
 * frees. */
static char *directory_of(char *path, struct err *err)
{
	char *real = realpath(dirname(path), NULL);

	if (!real)
		err_set(err, "cannot find %s: %s", path, strerror(errno));
	return real;
}

static char *find_guest(struct err *err)
{
	char *path = install_find("libheddle.so", err);
	char *directory;

	if (!path)
		return NULL;
	directory = directory_of(path, err);
	free(path);
	return directory;
}

/* Compilers search /usr/include at a place of their choice, and a word that
 * names it could change that. */
static bool is_searched_anyway(const char *directory)
{
	return strcmp(directory, "/usr/include") == 0 ||
	       strcmp(directory, "/usr/local/include") == 0;
}

/* Like install_find, for the one part that lies elsewhere. A program need not
 * include heddle.h, so none is no error. */
static char *find_headers(const char *tool)
{
	static const char *const places[] = { "include", "../include" };
	char *found = NULL;

	for (size_t i = 0; i < 2 && !found; i++) {
		char *path = xasprintf("%s/%s/heddle.h", tool, places[i]);
		struct err unused;

		if (access(path, R_OK) == 0)
			found = directory_of(path, &unused);
		free(path);
	}
	if (found && is_searched_anyway(found)) {
		free(found);
		found = NULL;
	}
	return found;
}

int compiler_parts_init(struct compiler_parts *parts, struct err *err)
{
	char *tool = install_directory(err);

	*parts = (struct compiler_parts){ 0 };
	if (!tool)
		return -1;
	parts->guest = find_guest(err);
	if (parts->guest)
		parts->headers = find_headers(tool);
	free(tool);
	return parts->guest ? 0 : -1;
}

void compiler_parts_done(struct compiler_parts *parts)
{
	free(parts->guest);
	free(parts->headers);
}
