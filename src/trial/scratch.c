/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"

int scratch_init(struct scratch *s, struct err *err)
{
	*s = (struct scratch){ 0 };
	s->base = file_make_temporary(err);
	if (!s->base)
		return -1;
	s->path = xasprintf("%s/run", s->base);
	return 0;
}

int scratch_fill(struct scratch *s, const char *const *files, size_t count,
		 struct err *err)
{
	if (access(s->path, F_OK) == 0 && file_remove(s->path, err) < 0)
		return -1;
	if (file_make_directory(s->path, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const char *slash = strrchr(files[i], '/');
		char *to = xasprintf("%s/%s", s->path,
				     slash ? slash + 1 : files[i]);
		int rc = file_copy(files[i], to, err);

		free(to);
		if (rc < 0)
			return -1;
	}
	return 0;
}

void scratch_done(struct scratch *s)
{
	struct err ignored;

	if (s->base && file_remove(s->base, &ignored) < 0) {
		/* Somebody made a thing there that we may not remove. */
	}
	free(s->base);
	free(s->path);
	*s = (struct scratch){ 0 };
}

int scratch_check(const char *const *files, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (access(files[i], R_OK) < 0)
			return err_set(err, "--input: cannot read %s: %s",
				       files[i], strerror(errno));
	return 0;
}
