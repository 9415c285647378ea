/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/describe.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial/moved.h"
#include "trial/standing.h"

char *describe_line(const char *path, int number)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, *found = NULL;
	size_t room = 0;
	ssize_t n = 0;

	if (!f)
		return NULL;
	for (int i = 0; i < number && n >= 0; i++)
		n = getline(&line, &room, f);
	if (n > 0) {
		char *start = line;

		while (n > 0 && isspace((unsigned char)line[n - 1]))
			line[--n] = '\0';
		while (isspace((unsigned char)*start))
			start++;
		found = xstrdup(start);
	}
	free(line);
	fclose(f);
	return found;
}

static char *place_text(const struct frame *f)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL;
	const char *file = slash ? slash + 1 : f->file;

	if (!f->function)
		return NULL;
	if (!file || !f->line)
		return xstrdup(f->function);
	return xasprintf("%s %s:%d", f->function, file, f->line);
}

static void step_describe(struct plan_step *to, const struct step *from,
			  struct sites *sites)
{
	struct site_chain chain = site_resolve(sites, from->site, true);
	const struct frame *f;

	free(to->where);
	free(to->source);
	to->where = to->source = NULL;
	if (!chain.count)
		return;
	f = site_chain_told(&chain);
	to->where = place_text(f);
	if (f->file && f->line)
		to->source = describe_line(f->file, f->line);
}

static void threads_describe(struct plan *plan, const struct captured *run,
			     struct sites *sites)
{
	for (size_t i = 0; i < plan->threads.count; i++)
		free(plan->threads.at[i]);
	plan->threads.count = 0;
	for (uint32_t i = 0; i < run->run.thread_count; i++) {
		char *name = NULL;
		size_t size;
		FILE *out = open_memstream(&name, &size);

		standing_name(run, sites, i, out);
		fclose(out);
		vec_push(&plan->threads, name);
	}
}

void plan_describe(struct plan *plan, const struct captured *run)
{
	struct sites *sites = captured_sites(run);

	threads_describe(plan, run, sites);
	for (size_t i = 0; i < plan->steps.count && i < run->step_count; i++)
		step_describe(&plan->steps.at[i], &run->steps[i], sites);
	sites_free(sites);
	plan_name_places(plan, run);
}
