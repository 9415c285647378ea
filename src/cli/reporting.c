/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reporting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/page.h"
#include "store/tested.h"

static int write_file(const struct document *d, const char *path,
		      struct err *err)
{
	FILE *out = fopen(path, "we");
	int failed;

	if (!out)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	page_write(d, out);
	failed = ferror(out);
	if (fclose(out) == EOF || failed)
		return err_set(err, "cannot write %s: %s", path,
			       strerror(errno));
	return 0;
}

int reporting_page(const struct document *d, const char *store, char **path,
		   struct err *err)
{
	char *directory = xasprintf("%s/report", store);
	int rc = file_make_directory(directory, err);

	*path = xasprintf("%s/index.html", directory);
	if (rc == 0)
		rc = write_file(d, *path, err);
	free(directory);
	return rc;
}

static bool is_among(const struct document_bug *bugs, size_t count,
		     const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(bugs[i].repro->name, name) == 0)
			return true;
	return false;
}

int reporting_after_test(const struct document_bug *bugs, size_t count,
			 const char *store, char **path, struct err *err)
{
	VEC(struct document_bug) all = { 0 };
	VEC(struct repro *) others = { 0 };
	struct document d = { 0 };
	struct repro_list list;
	struct err ignored;
	int rc;

	for (size_t i = 0; i < count; i++)
		vec_push(&all, bugs[i]);
	repro_list_init(&list, store);
	for (size_t i = 0; i < list.lines.count; i++) {
		const char *name = list.lines.at[i].name;
		struct repro *r = is_among(bugs, count, name) ?
					  NULL :
					  repro_load(store, name, &ignored);

		if (!r)
			continue;
		vec_push(&others, r);
		vec_push(&all, (struct document_bug){
				       .repro = r,
				       .note = "Not run again for this page; "
					       "heddle report does that." });
	}
	d = (struct document){ all.at, all.count, tested_list(store) };
	rc = reporting_page(&d, store, path, err);
	json_decref(d.tests);
	for (size_t i = 0; i < others.count; i++)
		repro_free(others.at[i]);
	repro_list_done(&list);
	vec_free(&others);
	vec_free(&all);
	return rc;
}
