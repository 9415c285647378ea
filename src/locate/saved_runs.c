/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/saved_runs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define SUFFIX ".pairs"

/* ---- writing ---- */

static int write_run(const struct pair_run *run, const struct pair_names *n,
		     const char *dir, size_t number, struct err *err)
{
	char *path = xasprintf("%s/%03zu" SUFFIX, dir, number);
	FILE *out = fopen(path, "we");
	int rc = 0;

	if (out) {
		pair_run_write(run, n, out);
		rc = ferror(out) ? -1 : 0;
		if (fclose(out) != 0)
			rc = -1;
	}
	if (!out || rc < 0)
		rc = err_set(err, "cannot write %s: %s", path, strerror(errno));
	free(path);
	return rc;
}

int saved_runs_write(const struct gathered *g, const char *dir, struct err *err)
{
	char *pass = xasprintf("%s/pass", dir),
	     *fail = xasprintf("%s/fail", dir);
	int rc = file_make_directory(pass, err);

	if (rc == 0)
		rc = file_make_directory(fail, err);
	if (rc == 0)
		rc = write_run(g->failing, g->names, fail, 0, err);
	for (size_t i = 0; rc == 0 && i < g->passing.count; i++)
		rc = write_run(g->passing.at[i], g->names, pass, i, err);
	free(pass);
	free(fail);
	return rc;
}

/* ---- reading ---- */

static int is_of_pairs(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && strcmp(dot, SUFFIX) == 0;
}

static struct pair_run *read_run(struct pair_names *n, const char *dir,
				 const char *name, struct err *err)
{
	char *path = xasprintf("%s/%s", dir, name);
	size_t size;
	char *text = file_read(path, &size, err);
	struct pair_run *run = text ? pair_run_read(n, text, size, path, err) :
				      NULL;

	free(text);
	free(path);
	return run;
}

static const char *text_or(const char *s)
{
	return s ? s : "";
}

/* Is it of the same program with the same input as the failing run? */
static int check_run(const struct gathered *g, const struct pair_run *run,
		     struct err *err)
{
	const struct pair_run *f = g->failing;

	if (strcmp(text_or(run->build), text_or(f->build)) != 0)
		return err_set(err,
			       "%s and %s are runs of different programs; "
			       "locate compares runs of one",
			       f->name, run->name);
	if (strcmp(text_or(run->command), text_or(f->command)) != 0)
		return err_set(err,
			       "%s and %s are runs with different arguments "
			       "or input (%s; %s)",
			       f->name, run->name, text_or(f->command),
			       text_or(run->command));
	return 0;
}

static int add_failing(struct gathered *g, struct pair_run *run,
		       struct err *err)
{
	if (!run->failure)
		return err_set(err,
			       "%s did not fail; give passing runs with "
			       "--pass",
			       run->name);
	if (!g->failing) {
		g->failing = run;
		return 1;
	}
	if (strcmp(g->failing->failure, run->failure) != 0)
		return err_set(err,
			       "%s and %s failed in different ways (%s; %s); "
			       "locate explains one failure at a time",
			       g->failing->name, run->name, g->failing->failure,
			       run->failure);
	return check_run(g, run, err);
}

static int add_passing(struct gathered *g, struct pair_run *run,
		       struct err *err)
{
	if (run->failure)
		return err_set(err, "%s failed; give failing runs with --fail",
			       run->name);
	if (check_run(g, run, err) < 0)
		return -1;
	vec_push(&g->passing, run);
	vec_push(&g->plans, NULL);
	return 1;
}

typedef int add_run(struct gathered *g, struct pair_run *run, struct err *err);

static int read_runs(struct gathered *g, const char *dir, add_run *add,
		     struct err *err)
{
	struct dirent **names = NULL;
	int count = scandir(dir, &names, is_of_pairs, alphasort), rc = 0;

	if (count < 0)
		return err_set(err, "cannot read the directory %s: %s", dir,
			       strerror(errno));
	for (int i = 0; i < count; i++) {
		struct pair_run *run = NULL;

		if (rc >= 0) {
			run = read_run(g->names, dir, names[i]->d_name, err);
			rc = run ? add(g, run, err) : -1;
		}
		if (rc != 1)
			pair_run_free(run);
		free(names[i]);
	}
	free(names);
	return rc < 0 ? -1 : 0;
}

int saved_runs_read(struct gathered *g, const char *pass, const char *fail,
		    struct err *err)
{
	if (read_runs(g, fail, add_failing, err) < 0)
		return -1;
	if (!g->failing)
		return err_set(err,
			       "there is no failing run (*" SUFFIX ") in %s",
			       fail);
	if (read_runs(g, pass, add_passing, err) < 0)
		return -1;
	if (!g->passing.count)
		return err_set(err,
			       "there is no passing run (*" SUFFIX ") in %s",
			       pass);
	return 0;
}
