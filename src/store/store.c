/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"

/* PATH, or the nearest above it that is there: what is not is made in that. */
static char *nearest_there(const char *path)
{
	char *near = xstrdup(path);

	while (access(near, F_OK) < 0) {
		char *slash = strrchr(near, '/');

		if (!slash) {
			free(near);
			return xstrdup(".");
		}
		slash[slash == near] = '\0';
	}
	return near;
}

int store_check(const char *store, struct err *err)
{
	char *path = nearest_there(store);
	int rc = 0;

	if (file_is_directory(path) && access(path, W_OK | X_OK) < 0)
		rc = err_set(err,
			     "cannot keep anything in %s: %s; --store names "
			     "another place",
			     store, strerror(errno));
	else if (!file_is_directory(path))
		rc = err_set(err,
			     "cannot keep anything in %s: %s is not a "
			     "directory; --store names another place",
			     store, path);
	free(path);
	return rc;
}

/* ---- the runs there are ---- */

struct entry {
	char *name;
	struct timespec made;
};

struct entries {
	VEC(struct entry) list; /* oldest first */
};

static int by_age(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->made.tv_sec != y->made.tv_sec)
		return x->made.tv_sec < y->made.tv_sec ? -1 : 1;
	if (x->made.tv_nsec != y->made.tv_nsec)
		return x->made.tv_nsec < y->made.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static char *runs_directory(const char *store)
{
	return xasprintf("%s/runs", store);
}

/* The age of a run is that of its command, which is written once; of its
 * directory, when the command is not there yet. */
static void add_entry(struct entries *all, const char *runs, const char *name)
{
	char *path = xasprintf("%s/%s/command", runs, name);
	struct entry e = { .name = xstrdup(name) };
	struct stat st;

	if (stat(path, &st) < 0)
		*strrchr(path, '/') = '\0';
	if (stat(path, &st) == 0)
		e.made = st.st_mtim;
	vec_push(&all->list, e);
	free(path);
}

/* A store that is not there has no runs. */
static void entries_init(struct entries *all, const char *store)
{
	char *runs = runs_directory(store);
	DIR *dir = opendir(runs);
	const struct dirent *e;

	*all = (struct entries){ 0 };
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			add_entry(all, runs, e->d_name);
	if (dir)
		closedir(dir);
	if (all->list.count)
		qsort(all->list.at, all->list.count, sizeof(*all->list.at),
		      by_age);
	free(runs);
}

static void entries_done(struct entries *all)
{
	for (size_t i = 0; i < all->list.count; i++)
		free(all->list.at[i].name);
	vec_free(&all->list);
}

/* ---- making one ---- */

static void set_paths(struct store_run *run, const char *store, char *name)
{
	*run = (struct store_run){
		.name = name,
		.directory = xasprintf("%s/runs/%s", store, name),
		.trace = xasprintf("%s/runs/%s/trace", store, name),
		.lock = -1,
	};
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The number behind the last dash of "<program>-<n>", or 0. */
static unsigned long number_of(const char *name, const char *program)
{
	size_t n = strlen(program);

	if (strncmp(name, program, n) != 0 || name[n] != '-')
		return 0;
	return strtoul(name + n + 1, NULL, 10);
}

static unsigned long highest_number(const char *store, const char *kind,
				    const char *program)
{
	char *path = xasprintf("%s/%s", store, kind);
	DIR *dir = opendir(path);
	unsigned long highest = 0;
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		unsigned long n = number_of(e->d_name, program);

		if (n > highest)
			highest = n;
	}
	if (dir)
		closedir(dir);
	free(path);
	return highest;
}

/* Runs and repros share their numbers. */
static unsigned long next_number(const char *store, const char *program)
{
	unsigned long runs = highest_number(store, "runs", program);
	unsigned long repros = highest_number(store, "repros", program);

	return (runs > repros ? runs : repros) + 1;
}

/* The name when the directory is ours now, NULL when the number is taken or,
 * with err set, when it cannot be made. */
static char *take_number(const char *store, const char *kind,
			 const char *program, unsigned long n, bool *is_taken,
			 struct err *err)
{
	char *name = xasprintf("%s-%lu", program, n);
	char *path = xasprintf("%s/%s/%s", store, kind, name);
	bool failed = mkdir(path, 0777) < 0;

	*is_taken = failed && errno == EEXIST;
	if (failed && !*is_taken)
		err_set(err,
			"cannot make %s: %s; is the store writable? --store names another",
			path, strerror(errno));
	if (failed) {
		free(name);
		name = NULL;
	}
	free(path);
	return name;
}

/* Another heddle may take the number first: then the next one. */
char *store_name_new(const char *store, const char *kind, const char *program,
		     struct err *err)
{
	unsigned long n = next_number(store, base_name(program));
	bool is_taken;
	char *name;

	do {
		name = take_number(store, kind, base_name(program), n++,
				   &is_taken, err);
	} while (is_taken);
	return name;
}

static int make_run_directory(struct store_run *run, const char *store,
			      const char *program, struct err *err)
{
	char *name = store_name_new(store, "runs", program, err);

	if (!name)
		return -1;
	set_paths(run, store, name);
	return 0;
}

/* One argument, quoted for a shell when it has to be. */
static void print_quoted(FILE *out, const char *arg)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "-_./=:,+@%";

	if (*arg && !arg[strspn(arg, safe)]) {
		fputs(arg, out);
		return;
	}
	putc('\'', out);
	for (; *arg; arg++)
		if (*arg == '\'')
			fputs("'\\''", out);
		else
			putc(*arg, out);
	putc('\'', out);
}

static int write_command(struct store_run *run, char *const *argv,
			 struct err *err)
{
	char *path = xasprintf("%s/command", run->directory);
	FILE *f;

	run->lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
	f = run->lock < 0 ? NULL : fdopen(dup(run->lock), "w");
	if (!f) {
		err_set(err, "cannot write %s: %s", path, strerror(errno));
		free(path);
		return -1;
	}
	flock(run->lock, LOCK_EX);
	for (; *argv; argv++) {
		print_quoted(f, *argv);
		putc(argv[1] ? ' ' : '\n', f);
	}
	if (fclose(f) == EOF) {
		err_set(err, "cannot write %s: %s", path, strerror(errno));
		free(path);
		return -1;
	}
	free(path);
	return 0;
}

int store_run_new(struct store_run *run, const char *store, char *const *argv,
		  struct err *err)
{
	char *runs = runs_directory(store);
	int rc = file_make_directory(runs, err);

	free(runs);
	if (rc < 0)
		return err_add(err,
			       "cannot keep a run in the store %s "
			       "(--store names another)",
			       store);
	if (make_run_directory(run, store, argv[0], err) < 0)
		return -1;
	if (write_command(run, argv, err) == 0)
		return 0;
	store_run_discard(run);
	return -1;
}

int store_run_finish(struct store_run *run, const char *verdict,
		     struct err *err)
{
	char *path = xasprintf("%s/verdict", run->directory);
	char *line = xasprintf("%s\n", verdict);
	int rc = file_write(path, line, err);

	free(line);
	free(path);
	close(run->lock);
	run->lock = -1;
	return rc;
}

void store_run_discard(struct store_run *run)
{
	struct err ignored;

	if (file_remove(run->directory, &ignored) < 0)
		(void)ignored;
	store_run_done(run);
}

void store_run_done(struct store_run *run)
{
	if (run->lock >= 0)
		close(run->lock);
	free(run->name);
	free(run->directory);
	free(run->trace);
	*run = (struct store_run){ .lock = -1 };
}

/* ---- finding and forgetting ---- */

int store_run_find(struct store_run *run, const char *store, const char *name,
		   struct err *err)
{
	struct entries all;
	int rc = -1;

	entries_init(&all, store);
	for (size_t i = all.list.count; i-- > 0 && rc < 0;)
		if (!name || strcmp(all.list.at[i].name, name) == 0) {
			set_paths(run, store, xstrdup(all.list.at[i].name));
			rc = 0;
		}
	entries_done(&all);
	if (rc < 0 && name)
		err_set(err,
			"there is no file %s, and neither a failure nor a run "
			"of that name in %s",
			name, store);
	else if (rc < 0)
		err_set(err,
			"there is no run in %s/runs yet; heddle run "
			"--observe makes one",
			store);
	return rc;
}

/* Whether nobody is making it. */
static int is_idle(const char *directory)
{
	char *path = xasprintf("%s/command", directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int idle = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (fd >= 0)
		close(fd);
	free(path);
	return idle;
}

int store_tidy(const char *store, uint64_t keep, struct err *err)
{
	struct entries all;
	int rc = 0;

	entries_init(&all, store);
	for (size_t i = 0; i + keep < all.list.count && rc == 0; i++) {
		char *path =
			xasprintf("%s/runs/%s", store, all.list.at[i].name);

		if (is_idle(path))
			rc = file_remove(path, err);
		free(path);
	}
	entries_done(&all);
	return rc;
}
