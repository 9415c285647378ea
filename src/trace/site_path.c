/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_path.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

/* Compilers record the directory as the shell calls it, which is another name
 * than the kernel's when a symbolic link led there. get_current_dir_name gives
 * the former, if it is true. */
void site_paths_init(struct site_paths *p)
{
	p->here[0] = get_current_dir_name();
	p->here[1] = getcwd(NULL, 0);
}

void site_paths_done(struct site_paths *p)
{
	free(p->here[0]);
	free(p->here[1]);
}

/* What of `path` is below the directory, or NULL. */
static const char *below(const char *path, const char *dir)
{
	size_t length = dir ? strlen(dir) : 0;

	if (length < 2 || strncmp(path, dir, length) != 0 ||
	    path[length] != '/')
		return NULL;
	return path + length + 1;
}

/* Where the part before the last slash of out[0..end) ends. */
static size_t parent_end(const char *out, size_t end)
{
	while (end > 0 && out[end - 1] != '/')
		end--;
	return end ? end - 1 : 0;
}

static bool is_name(const char *part, size_t size, const char *name)
{
	return strlen(name) == size && memcmp(part, name, size) == 0;
}

/* Takes "." and ".." out, by the letter: symbolic links are not followed. */
static char *path_clean(const char *path)
{
	char *out = xmalloc(strlen(path) + 2);
	bool is_absolute = *path == '/';
	size_t end = 0, depth = 0;

	while (*path) {
		size_t size = strcspn(path, "/");

		if (is_name(path, size, "..") && depth) {
			end = parent_end(out, end);
			depth--;
		} else if (size && !is_name(path, size, ".") &&
			   !(is_name(path, size, "..") && is_absolute)) {
			if (end || is_absolute)
				out[end++] = '/';
			memcpy(out + end, path, size);
			end += size;
			depth += !is_name(path, size, "..");
		}
		path += size + (path[size] == '/');
	}
	out[end] = '\0';
	return out;
}

char *site_path(const struct site_paths *p, const char *recorded)
{
	char *clean = path_clean(recorded);

	for (int i = 0; i < 2; i++) {
		const char *rest = below(clean, p->here[i]);

		if (rest) {
			memmove(clean, rest, strlen(rest) + 1);
			break;
		}
	}
	return clean;
}
