/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/located_keep.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "regress/derive.h"
#include "report/report_locate.h"

static void write_by(void (*print)(const struct located *, FILE *),
		     const struct located *l, const char *name)
{
	char *text = NULL, *path = xasprintf("%s/%s", l->directory, name);
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	if (!out)
		abort();
	print(l, out);
	fclose(out);
	if (file_write(path, text, &err) < 0)
		log_warn("%s", err.text);
	free(text);
	free(path);
}

static void print_text(const struct located *l, FILE *out)
{
	report_locate_text(l, 0, out);
}

void located_keep(const struct located *l, const char *store)
{
	write_by(print_text, l, LOCATE_FILE);
	write_by(report_locate_json, l, LOCATE_FILE ".json");
	if (l->is_confirmed)
		signatures_learn(store, l);
}
