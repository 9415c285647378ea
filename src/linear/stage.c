/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"

static char *below(const struct stage *s, const char *path)
{
	return xasprintf("%s/%s", s->directory, path);
}

static int fill(const char *path, struct blob content, unsigned int mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	size_t done = 0;

	while (fd >= 0 && done < content.size) {
		ssize_t n = write(fd, content.at + done, content.size - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (fd < 0 || close(fd) < 0 || done < content.size)
		return -1;
	return 0;
}

/* ---- making ---- */

static int add_input(const struct stage *s, const struct linear_spec *spec,
		     const char *name, struct err *err)
{
	char *from = *name == '/' ? xstrdup(name) :
				    xasprintf("%s/%s", spec->here, name);
	const char *slash = strrchr(name, '/');
	char *to = below(s, slash ? slash + 1 : name);
	struct blob content = { 0 };
	int rc = -1;

	content.at = file_read(from, &content.size, err);
	if (content.at && fill(to, content, 0644) < 0)
		err_set(err, "cannot write %s: %s", to, strerror(errno));
	else if (content.at)
		rc = 0;
	blob_done(&content);
	free(from);
	free(to);
	return rc;
}

int stage_init(struct stage *s, const struct linear_spec *spec, struct err *err)
{
	*s = (struct stage){ 0 };
	s->base = file_make_temporary(err);
	if (!s->base)
		return -1;
	s->directory = xasprintf("%s/run", s->base);
	if (file_make_directory(s->directory, err) < 0)
		return -1;
	for (size_t i = 0; i < spec->inputs.count; i++)
		if (add_input(s, spec, spec->inputs.at[i], err) < 0)
			return -1;
	return 0;
}

static void files_done(struct stage *s)
{
	for (size_t i = 0; i < s->files.count; i++) {
		free(s->files.at[i].path);
		blob_done(&s->files.at[i].content);
	}
	vec_free(&s->files);
}

void stage_done(struct stage *s)
{
	struct err ignored;

	if (s->base && file_remove(s->base, &ignored) < 0)
		errno = 0;
	files_done(s);
	free(s->base);
	free(s->directory);
	*s = (struct stage){ 0 };
}

/* ---- keeping and restoring ---- */

/* nftw has no argument for its function. */
static pthread_mutex_t walk_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stage *walked;

static const char *path_in(const struct stage *s, const char *path)
{
	return path + strlen(s->directory) + 1;
}

static int keep_one(const char *path, const struct stat *st, int kind,
		    struct FTW *level)
{
	struct stage_file f = { .mode = st->st_mode & 0777 };
	struct err ignored;

	if (kind != FTW_F || !S_ISREG(st->st_mode) || !level->level)
		return 0;
	f.content.at = file_read(path, &f.content.size, &ignored);
	if (!f.content.at)
		return 0;
	f.path = xstrdup(path_in(walked, path));
	vec_push(&walked->files, f);
	return 0;
}

static bool is_kept(const struct stage *s, const char *path)
{
	for (size_t i = 0; i < s->files.count; i++)
		if (strcmp(s->files.at[i].path, path) == 0)
			return true;
	return false;
}

static int drop_one(const char *path, const struct stat *st, int kind,
		    struct FTW *level)
{
	if (!level->level)
		return 0;
	if (kind == FTW_F && S_ISREG(st->st_mode)) {
		if (!is_kept(walked, path_in(walked, path)))
			unlink(path);
	} else if (kind == FTW_DP) {
		/* One with something kept in it stays. */
		rmdir(path);
	} else if (!S_ISSOCK(st->st_mode)) {
		unlink(path);
	}
	return 0;
}

static void restore_one(const struct stage *s, const struct stage_file *f)
{
	char *path = below(s, f->path);
	struct err ignored;
	struct blob now;

	now.at = file_read(path, &now.size, &ignored);
	if (!now.at || !blob_is_equal(now, f->content))
		fill(path, f->content, f->mode);
	free(now.at);
	free(path);
}

void stage_reset(struct stage *s)
{
	enum { DESCRIPTORS = 16 };

	pthread_mutex_lock(&walk_lock);
	walked = s;
	if (!s->is_kept)
		nftw(s->directory, keep_one, DESCRIPTORS, FTW_PHYS);
	else
		nftw(s->directory, drop_one, DESCRIPTORS, FTW_PHYS | FTW_DEPTH);
	walked = NULL;
	pthread_mutex_unlock(&walk_lock);
	for (size_t i = 0; s->is_kept && i < s->files.count; i++)
		restore_one(s, &s->files.at[i]);
	s->is_kept = true;
}

/* ---- looking ---- */

static void look_at(const struct stage *s, const char *path,
		    struct component *to)
{
	char *before = xasprintf("%s: ", path_in(s, path));
	struct err ignored;
	struct blob content;

	content.at = file_read(path, &content.size, &ignored);
	if (content.at)
		component_add_lines(to, before, content);
	free(content.at);
	free(before);
}

void stage_look(const struct stage *s, const struct linear_spec *spec,
		struct components *state)
{
	for (size_t i = 0; i < spec->files.count; i++) {
		char *pattern = below(s, spec->files.at[i].pattern);
		struct component *to = components_get(
			state, spec->files.at[i].name, LINEAR_SEQUENCE);
		glob_t found = { 0 };

		if (glob(pattern, 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				look_at(s, found.gl_pathv[k], to);
		globfree(&found);
		free(pattern);
	}
}
