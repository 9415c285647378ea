/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
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

static int copy(const char *from, const char *to, struct err *err)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	struct stat st;
	ssize_t n = -1;

	if (in >= 0 && fstat(in, &st) == 0)
		out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			   st.st_mode & 0777);
	if (out >= 0)
		do {
			n = sendfile(out, in, NULL, 1 << 30);
		} while (n > 0);
	if (n < 0)
		err_set(err, "cannot copy %s to %s: %s", from, to,
			strerror(errno));
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return n < 0 ? -1 : 0;
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
		int rc = copy(files[i], to, err);

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
