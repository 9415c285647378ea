/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/story.h"

#include <stdlib.h>

#include "report/clean_text.h"

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* -1: unknown. */
static json_t *count(int n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static json_t *ways(const struct tested *t)
{
	json_t *all = json_array();

	for (size_t i = 0; i < t->ways.count; i++) {
		const struct tester_way *w = &t->ways.at[i];

		json_array_append_new(
			all,
			json_pack("{s:s,s:o,s:o,s:f}", "name", w->name, "runs",
				  number(w->runs), "distinct",
				  number(w->distinct), "seconds", w->seconds));
	}
	return all;
}

static json_t *curve(const struct tested *t)
{
	json_t *all = json_array();

	json_array_append_new(all, json_pack("[i,i]", 0, 0));
	for (size_t i = 0; i < t->curve.count; i++)
		json_array_append_new(
			all, json_pack("[o,o]", number(t->curve.at[i].runs),
				       number(t->curve.at[i].distinct)));
	return all;
}

static json_t *coverage(const struct tested *t)
{
	json_t *all = json_array();

	for (size_t i = 0; i < t->coverage.count; i++)
		json_array_append_new(
			all, json_pack("[f,i]", t->coverage.at[i].seconds,
				       t->coverage.at[i].exercised));
	return all;
}

static json_t *bugs(const struct tested *t)
{
	json_t *all = json_array();

	for (size_t i = 0; i < t->bugs.count; i++)
		json_array_append_new(all, clean_json(t->bugs.at[i].name));
	return all;
}

static json_t *words(char *const *argv)
{
	json_t *all = json_array();

	for (; *argv; argv++)
		json_array_append_new(all, clean_json(*argv));
	return all;
}

json_t *tested_json(const struct tested *t, char *const *argv)
{
	json_t *j = json_object();
	char *line = story_line(t);

	json_object_set_new(j, "command", words(argv));
	json_object_set_new(j, "verdict", json_string(verdict_text(t->status)));
	json_object_set_new(j, "text", clean_json(line));
	json_object_set_new(j, "seconds", json_real(t->seconds));
	json_object_set_new(j, "schedules", number(t->schedules));
	json_object_set_new(j, "distinct", number(t->distinct));
	json_object_set_new(j, "first",
			    t->bugs.count ? number(t->bugs.at[0].schedules) :
					    json_null());
	json_object_set_new(j, "first_seconds",
			    t->bugs.count ? json_real(t->bugs.at[0].seconds) :
					    json_null());
	json_object_set_new(j, "complete", json_boolean(t->is_complete));
	json_object_set_new(j, "classes", number(t->classes));
	json_object_set_new(j, "interrupted", json_boolean(t->stopped_by));
	json_object_set_new(j, "races", count(t->races));
	json_object_set_new(j, "lock_cycles", count(t->cycles));
	json_object_set_new(j, "feasible", count(t->feasible));
	json_object_set_new(j, "exercised", count(t->exercised));
	json_object_set_new(j, "ways", ways(t));
	json_object_set_new(j, "curve", curve(t));
	json_object_set_new(j, "coverage", coverage(t));
	json_object_set_new(j, "bugs", bugs(t));
	free(line);
	return j;
}
