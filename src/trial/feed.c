/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/feed.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"

enum { PATIENCE_MS = 1000 };

static bool has_something(int fd)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISCHR(st.st_mode) || S_ISDIR(st.st_mode))
		return false;
	if (S_ISREG(st.st_mode) || poll(&wanted, 1, PATIENCE_MS) > 0)
		return true;
	log_warn("nothing came on standard input, so the program gets none; "
		 "</dev/null says that this is meant");
	return false;
}

static int read_all(struct feed *f, int from, struct err *err)
{
	VEC(char) all = { 0 };
	ssize_t n;

	do {
		vec_reserve(&all, all.count + 65536);
		n = read(from, all.at + all.count, 65535);
		if (n > 0)
			all.count += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0) {
		err_set(err, "cannot read standard input: %s", strerror(errno));
		vec_free(&all);
		return -1;
	}
	all.at[all.count] = '\0';
	f->text = all.at;
	f->size = all.count;
	return 0;
}

static int write_all(struct feed *f, struct err *err)
{
	size_t done = 0;

	f->fd = memfd_create("heddle-input", MFD_CLOEXEC);
	while (f->fd >= 0 && done < f->size) {
		ssize_t n = write(f->fd, f->text + done, f->size - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (f->fd < 0 || done < f->size)
		return err_set(err, "cannot make a memory file: %s",
			       strerror(errno));
	return 0;
}

int feed_init(struct feed *f, int from, struct err *err)
{
	*f = (struct feed){ .fd = -1 };
	if (!has_something(from))
		return 0;
	if (read_all(f, from, err) == 0 &&
	    (f->size == 0 || write_all(f, err) == 0))
		return 0;
	feed_done(f);
	return -1;
}

void feed_done(struct feed *f)
{
	free(f->text);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct feed){ .fd = -1 };
}
