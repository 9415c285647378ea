/* SPDX-License-Identifier: Apache-2.0 */
#include "store/tested.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/xalloc.h"

static char *name_of(char *const *argv)
{
	const char *slash = strrchr(argv[0], '/');
	uint64_t hash = 0;
	char *name;

	for (char *const *a = argv; *a; a++)
		hash = XXH3_64bits_withSeed(*a, strlen(*a) + 1, hash);
	name = xasprintf("%s-%08x", slash ? slash + 1 : argv[0],
			 (unsigned int)hash);
	return name;
}

int tested_save(const char *store, char *const *argv, const json_t *test,
		struct err *err)
{
	char *name = name_of(argv);
	char *directory = xasprintf("%s/tests", store);
	char *path = xasprintf("%s/%s.json", directory, name);
	char *new = xasprintf("%s.new", path);
	int rc = file_make_directory(directory, err);

	if (rc == 0 && json_dump_file(test, new, JSON_INDENT(2)) < 0)
		rc = err_set(err, "cannot write %s: %s", new, strerror(errno));
	if (rc == 0 && rename(new, path) < 0)
		rc = err_set(err, "cannot write %s: %s", path, strerror(errno));
	free(new);
	free(path);
	free(directory);
	free(name);
	return rc;
}

static int is_record(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".json") == 0;
}

json_t *tested_list(const char *store)
{
	char *directory = xasprintf("%s/tests", store);
	json_t *all = json_array();
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, is_record, alphasort);

	for (int i = 0; i < count; i++) {
		char *path = xasprintf("%s/%s", directory, entries[i]->d_name);
		json_t *test = json_load_file(path, 0, NULL);

		if (json_is_object(test))
			json_array_append(all, test);
		json_decref(test);
		free(path);
		free(entries[i]);
	}
	free(entries);
	free(directory);
	return all;
}
