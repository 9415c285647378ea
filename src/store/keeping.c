/* SPDX-License-Identifier: Apache-2.0 */
#include "store/keeping.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/again.h"

static char *copy(const char *text, size_t size)
{
	char *to = xmalloc(size + 1);

	memcpy(to, text, size);
	to[size] = '\0';
	return to;
}

static void fill_words(struct repro *r, const struct keeping *k)
{
	for (char *const *a = k->argv; *a; a++)
		vec_push(&r->arguments, xstrdup(*a));
	for (char **e = environ; *e; e++)
		if (repro_is_harmless(*e))
			vec_push(&r->environment, xstrdup(*e));
	for (size_t i = 0; i < k->input_count; i++) {
		const char *slash = strrchr(k->inputs[i], '/');

		vec_push(&r->inputs, xstrdup(slash ? slash + 1 : k->inputs[i]));
	}
	for (size_t i = 0; i + 1 < k->outputs->check.count; i++)
		vec_push(&r->check, xstrdup(k->outputs->check.at[i]));
}

static void fill(struct repro *r, const struct keeping *k)
{
	fill_words(r, k);
	r->directory = getcwd(NULL, 0);
	r->strategy = xstrdup(k->strategy);
	r->is_exec = k->is_exec;
	r->is_ready_idle = k->is_ready_idle;
	r->points_most = k->points_most;
	r->hang_ms = k->hang_ms;
	if (k->feed->text) {
		r->input = copy(k->feed->text, k->feed->size);
		r->input_size = k->feed->size;
	}
	if (k->outputs->expected) {
		r->expected =
			copy(k->outputs->expected, k->outputs->expected_size);
		r->expected_size = k->outputs->expected_size;
	}
}

int keeping_save(const struct keeping *k, const struct captured *run,
		 const struct verdict *v, const struct plan *plan, char **name,
		 bool *was_known, struct err *err)
{
	struct repro *r = repro_new();
	VEC(char *) files = { 0 };
	int rc;

	for (size_t i = 0; i < k->input_count; i++)
		vec_push(&files, xstrdup(k->inputs[i]));
	vec_push(&files, NULL);
	fill(r, k);
	repro_set_failure(r, run, v);
	if (plan) {
		plan_free(r->plan);
		r->plan = plan_copy(plan);
	}
	rc = repro_save(r, k->store, files.at, was_known, err);
	*name = rc == 0 ? xstrdup(r->name) : NULL;
	repro_free(r);
	for (size_t i = 0; i < files.count; i++)
		free(files.at[i]);
	vec_free(&files);
	return rc;
}
