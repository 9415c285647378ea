/* SPDX-License-Identifier: Apache-2.0 */
#include "store/repro.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/quote.h"
#include "store/store.h"
#include "store/stranger.h"

struct repro *repro_new(void)
{
	return xcalloc(1, sizeof(struct repro));
}

#define FREE_ALL(v)                                                            \
	do {                                                                   \
		for (size_t i_ = 0; i_ < (v)->count; i_++)                     \
			free((v)->at[i_]);                                     \
		vec_free(v);                                                   \
	} while (0)

void repro_free(struct repro *r)
{
	if (!r)
		return;
	FREE_ALL(&r->arguments);
	FREE_ALL(&r->environment);
	FREE_ALL(&r->inputs);
	FREE_ALL(&r->check);
	free(r->name);
	free(r->path);
	free(r->directory);
	free(r->origin);
	free(r->strategy);
	free(r->verdict);
	free(r->identity);
	free(r->details);
	free(r->output);
	free(r->input);
	free(r->expected);
	plan_free(r->plan);
	free(r);
}

bool repro_is_harmless(const char *variable)
{
	static const char *const names[] = { "LANG=", "LANGUAGE=", "TZ=",
					     "OMP_NUM_THREADS=" };

	if (strncmp(variable, "LC_", 3) == 0)
		return strchr(variable, '=') != NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* ---- the list ---- */

static char *repros_directory(const char *store)
{
	return xasprintf("%s/repros", store);
}

static char *first_line(const char *directory)
{
	char *path = xasprintf("%s/verdict", directory), *text = NULL;
	struct err ignored;
	size_t size;

	if (stranger_is_plain(directory, &ignored) == 0)
		text = file_read(path, &size, &ignored);
	free(path);
	if (!text)
		return xstrdup("(it has no verdict)");
	text[strcspn(text, "\n")] = '\0';
	quote_clean(text);
	return text;
}

/* bank-2 before bank-10. */
static int by_name(const void *a, const void *b)
{
	const struct repro_line *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

void repro_list_init(struct repro_list *list, const char *store)
{
	char *repros = repros_directory(store);
	DIR *dir = opendir(repros);
	const struct dirent *e;

	*list = (struct repro_list){ 0 };
	while (dir && (e = readdir(dir))) {
		char *path;

		/* We give no such names. */
		if (e->d_name[0] == '.' || !quote_is_clean(e->d_name))
			continue;
		path = xasprintf("%s/%s", repros, e->d_name);
		vec_push(&list->lines,
			 (struct repro_line){ .name = xstrdup(e->d_name),
					      .verdict = first_line(path) });
		free(path);
	}
	if (dir)
		closedir(dir);
	if (list->lines.count)
		qsort(list->lines.at, list->lines.count,
		      sizeof(*list->lines.at), by_name);
	free(repros);
}

void repro_list_done(struct repro_list *list)
{
	for (size_t i = 0; i < list->lines.count; i++) {
		free(list->lines.at[i].name);
		free(list->lines.at[i].verdict);
	}
	vec_free(&list->lines);
}

/* ---- loading ---- */

/* Where it is, or NULL. A name with a slash is a path, and whoever gives one
 * knows where it leads; what is in the store may be a stranger's. */
static char *find_path(const char *store, const char *name)
{
	struct stat st;
	char *path;

	if (strchr(name, '/'))
		return stat(name, &st) == 0 && S_ISDIR(st.st_mode) ?
			       xstrdup(name) :
			       NULL;
	if (name[0] == '.')
		return NULL;
	path = xasprintf("%s/repros/%s", store, name);
	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return path;
	free(path);
	return NULL;
}

static char *read_part(const struct repro *r, const char *part, size_t *size,
		       struct err *err)
{
	char *path = xasprintf("%s/%s", r->path, part);
	char *text = file_read(path, size, err);

	free(path);
	return text;
}

static int read_parts(struct repro *r, struct err *err)
{
	char *text, *name;
	size_t size;
	int rc;

	text = read_part(r, "repro", &size, err);
	if (!text)
		return -1;
	name = xasprintf("%s/repro", r->path);
	rc = repro_read(r, text, size, name, err);
	free(name);
	free(text);
	if (rc < 0)
		return -1;
	text = read_part(r, "plan", &size, err);
	if (!text)
		return -1;
	name = xasprintf("%s/plan", r->path);
	r->plan = plan_read(text, size, name, err);
	free(name);
	free(text);
	if (!r->plan)
		return -1;
	r->verdict = read_part(r, "verdict", &size, err);
	return r->verdict ? 0 : -1;
}

/* The first line is the verdict, the rest are details. */
static void split_verdict(struct repro *r)
{
	char *end = strchr(r->verdict, '\n');

	if (!end)
		return;
	*end = '\0';
	r->details = xstrdup(end + 1);
}

/* -1: it is there and cannot be read. */
static int read_one(const struct repro *r, const char *part, char **text,
		    size_t *size, struct err *err)
{
	char *path = xasprintf("%s/%s", r->path, part);
	bool is_there = access(path, F_OK) == 0;

	free(path);
	*size = 0;
	*text = is_there ? read_part(r, part, size, err) : NULL;
	return is_there && !*text ? -1 : 0;
}

static int read_optional(struct repro *r, struct err *err)
{
	if (read_one(r, "output", &r->output, &r->output_size, err) < 0 ||
	    read_one(r, "stdin", &r->input, &r->input_size, err) < 0)
		return -1;
	return read_one(r, "expect", &r->expected, &r->expected_size, err);
}

static char *name_of(const char *path)
{
	char *own = xstrdup(path), *slash;
	size_t n = strlen(own);

	while (n > 1 && own[n - 1] == '/')
		own[--n] = '\0';
	slash = strrchr(own, '/');
	if (slash)
		memmove(own, slash + 1, strlen(slash));
	return own;
}

struct repro *repro_load(const char *store, const char *name, struct err *err)
{
	struct repro *r = repro_new();

	r->path = find_path(store, name);
	if (!r->path) {
		err_set(err,
			"there is no repro %s in %s; heddle list shows what "
			"there is",
			name, store);
		repro_free(r);
		return NULL;
	}
	r->name = name_of(r->path);
	if (stranger_is_plain(r->path, err) < 0 || read_parts(r, err) < 0 ||
	    read_optional(r, err) < 0) {
		err_add(err, "the repro %s is damaged", name);
		repro_free(r);
		return NULL;
	}
	quote_clean(r->verdict);
	quote_clean(r->strategy);
	quote_clean(r->origin);
	split_verdict(r);
	return r;
}

/* ---- saving ---- */

static int write_bytes(const struct repro *r, const char *part,
		       const char *bytes, size_t size, struct err *err)
{
	char *path = xasprintf("%s/%s", r->path, part);
	FILE *f = fopen(path, "we");
	bool failed = !f;

	if (f) {
		failed |= size && fwrite(bytes, size, 1, f) != 1;
		failed |= fclose(f) == EOF;
	}
	if (failed)
		err_set(err, "cannot write %s: %s", path, strerror(errno));
	free(path);
	return failed ? -1 : 0;
}

static int write_repro(const struct repro *r, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc;

	repro_write(r, out);
	fclose(out);
	rc = write_bytes(r, "repro", text, size, err);
	free(text);
	return rc;
}

int repro_update(const struct repro *r, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc;

	plan_write(r->plan, out);
	fclose(out);
	rc = write_bytes(r, "plan", text, size, err);
	free(text);
	if (rc < 0 || write_repro(r, err) < 0)
		return -1;
	text = xasprintf("%s\n%s", r->verdict, r->details ? r->details : "");
	rc = write_bytes(r, "verdict", text, strlen(text), err);
	free(text);
	if (rc < 0)
		return -1;
	return write_bytes(r, "output", r->output, r->output_size, err);
}

static int copy_inputs(const struct repro *r, char *const *files,
		       struct err *err)
{
	char *inputs = xasprintf("%s/input", r->path);
	int rc = r->inputs.count ? file_make_directory(inputs, err) : 0;

	for (size_t i = 0; rc == 0 && i < r->inputs.count; i++) {
		char *to = xasprintf("%s/%s", inputs, r->inputs.at[i]);

		rc = file_copy(files[i], to, err);
		free(to);
	}
	free(inputs);
	return rc;
}

static int write_all(const struct repro *r, char *const *files, struct err *err)
{
	if (repro_update(r, err) < 0)
		return -1;
	if (r->input &&
	    write_bytes(r, "stdin", r->input, r->input_size, err) < 0)
		return -1;
	if (r->expected &&
	    write_bytes(r, "expect", r->expected, r->expected_size, err) < 0)
		return -1;
	return copy_inputs(r, files, err);
}

/* Of the program itself, the first of the modules. */
static bool is_same_build(const struct plan *a, const struct plan *b)
{
	const struct plan_module *x = a->modules.at, *y = b->modules.at;

	if (!a->modules.count || !b->modules.count)
		return a->modules.count == b->modules.count;
	return x->build_id_size == y->build_id_size &&
	       memcmp(x->build_id, y->build_id, x->build_id_size) == 0;
}

static bool is_same_command(const struct repro *a, const struct repro *b)
{
	if (a->arguments.count != b->arguments.count)
		return false;
	for (size_t i = 0; i < a->arguments.count; i++)
		if (strcmp(a->arguments.at[i], b->arguments.at[i]) != 0)
			return false;
	return true;
}

/* Was this failure of this program kept before? Its name then. One of another
 * build, or of other arguments, has a schedule that may not fit any more. */
static char *find_same(const struct repro *r, const char *store)
{
	struct repro_list list;
	char *found = NULL;

	repro_list_init(&list, store);
	for (size_t i = 0; i < list.lines.count && !found; i++) {
		struct err ignored;
		struct repro *old =
			repro_load(store, list.lines.at[i].name, &ignored);

		if (old && strcmp(old->identity, r->identity) == 0 &&
		    is_same_command(old, r) &&
		    is_same_build(old->plan, r->plan))
			found = xstrdup(old->name);
		repro_free(old);
	}
	repro_list_done(&list);
	return found;
}

int repro_save(struct repro *r, const char *store, char *const *input_files,
	       bool *was_known, struct err *err)
{
	char *repros = repros_directory(store);
	int rc = file_make_directory(repros, err);

	free(repros);
	*was_known = false;
	if (rc < 0)
		return err_add(err,
			       "cannot keep the failure in %s (--store "
			       "names another place)",
			       store);
	r->name = find_same(r, store);
	if (r->name) {
		r->path = xasprintf("%s/repros/%s", store, r->name);
		*was_known = true;
		return 0;
	}
	r->name = store_name_new(store, "repros", r->arguments.at[0], err);
	if (!r->name)
		return -1;
	r->path = xasprintf("%s/repros/%s", store, r->name);
	return write_all(r, input_files, err);
}

/* ---- forgetting ---- */

int repro_remove(const char *store, const char *name, struct err *err)
{
	char *path = strchr(name, '/') ? NULL : find_path(store, name);
	int rc;

	if (!path)
		return err_set(err,
			       "there is no repro %s in %s; heddle list shows "
			       "what there is",
			       name, store);
	rc = file_remove(path, err);
	free(path);
	return rc;
}

struct aged {
	char *name;
	struct timespec made;
};

static int by_age(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;

	if (x->made.tv_sec != y->made.tv_sec)
		return x->made.tv_sec < y->made.tv_sec ? -1 : 1;
	if (x->made.tv_nsec != y->made.tv_nsec)
		return x->made.tv_nsec < y->made.tv_nsec ? -1 : 1;
	return strverscmp(x->name, y->name);
}

int repro_tidy(const char *store, uint64_t keep, struct err *err)
{
	struct repro_list list;
	VEC(struct aged) all = { 0 };
	int rc = 0;

	repro_list_init(&list, store);
	for (size_t i = 0; i < list.lines.count; i++) {
		char *path = xasprintf("%s/repros/%s/repro", store,
				       list.lines.at[i].name);
		struct stat st = { 0 };

		stat(path, &st);
		vec_push(&all, (struct aged){ .name = list.lines.at[i].name,
					      .made = st.st_mtim });
		free(path);
	}
	if (all.count)
		qsort(all.at, all.count, sizeof(*all.at), by_age);
	for (size_t i = 0; i + keep < all.count && rc == 0; i++)
		rc = repro_remove(store, all.at[i].name, err);
	vec_free(&all);
	repro_list_done(&list);
	return rc;
}
