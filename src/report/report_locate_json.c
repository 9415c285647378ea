/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>

#include "report/clean_text.h"
#include "report/report_locate.h"

static json_t *json_access(const struct located_access *a)
{
	json_t *j = json_object();

	json_object_set_new(j, "kind", clean_json(a->kind));
	json_object_set_new(j, "thread", clean_json(a->thread));
	json_object_set_new(j, "function", clean_json(a->function));
	json_object_set_new(j, "file", clean_json(a->file));
	json_object_set_new(j, "line", json_integer(a->line));
	json_object_set_new(j, "source", clean_json(a->source));
	json_object_set_new(j, "visit", json_integer(a->visit));
	return j;
}

static json_t *json_pair(const struct located_pair *p)
{
	json_t *j = json_object();

	json_object_set_new(j, "variable", clean_json(p->variable));
	json_object_set_new(j, "address", json_integer((json_int_t)p->addr));
	json_object_set_new(j, "times", json_integer(p->times));
	json_object_set_new(j, "head", json_access(&p->head));
	json_object_set_new(j, "tail", json_access(&p->tail));
	return j;
}

static json_t *json_experiment(const struct confirmation *c)
{
	json_t *j = json_object();

	if (!c->was_tried) {
		json_decref(j);
		return json_null();
	}
	json_object_set_new(j, "reversible",
			    json_boolean(c->reversal_possible));
	json_object_set_new(j, "held_reversed",
			    json_boolean(c->reversal_holds));
	json_object_set_new(j, "enforced", json_integer(c->enforced));
	json_object_set_new(j, "failed_enforced", json_integer(c->failed));
	return j;
}

static json_t *json_suspect(const struct located *l,
			    const struct located_suspect *s)
{
	static const char *const kinds[] = {
		[BUG_ORDER] = "order",
		[BUG_SINGLE] = "atomicity-single",
		[BUG_MULTI] = "atomicity-multi",
	};
	json_t *j = json_object(), *pairs = json_array();

	for (uint32_t i = 0; i < s->count; i++)
		json_array_append_new(pairs, json_pair(&s->pairs[i]));
	json_object_set_new(j, "confirmed", json_boolean(s->is_confirmed));
	json_object_set_new(j, "kind", clean_json(kinds[s->kind]));
	json_object_set_new(j, "row", json_integer(s->row));
	json_object_set_new(j, "sentence", clean_json(s->sentence));
	json_object_set_new(j, "missing", json_boolean(s->is_missing));
	json_object_set_new(j, "agrees", json_boolean(s->agrees));
	if (l->procedure == PROCEDURE_FALCON)
		json_object_set_new(j, "suspiciousness", json_real(s->score));
	json_object_set_new(j, "pairs", pairs);
	json_object_set_new(j, "back",
			    s->has_other ? json_pair(&s->other) : json_null());
	json_object_set_new(j, "back_missing",
			    json_boolean(s->is_other_missing));
	json_object_set_new(j, "trials", json_integer(s->trials));
	json_object_set_new(j, "experiment", json_experiment(&s->confirmation));
	return j;
}

static json_t *json_attempts(const struct located *l)
{
	json_t *all = json_array();

	for (size_t i = 0; i < l->attempts.count; i++) {
		const struct located_attempt *a = &l->attempts.at[i];
		json_t *j = json_object();

		json_object_set_new(j, "procedure",
				    clean_json(procedure_text(a->procedure)));
		json_object_set_new(j, "level",
				    clean_json(level_text(a->level)));
		json_object_set_new(j, "calm", json_boolean(a->calm));
		json_object_set_new(j, "suspects",
				    json_integer((json_int_t)a->suspects));
		json_object_set_new(j, "tried",
				    json_integer((json_int_t)a->tried));
		json_object_set_new(j, "confirmed",
				    json_integer((json_int_t)a->confirmed));
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *json_switches(const struct located *l)
{
	json_t *all = json_array();

	for (size_t i = 0; i < l->switches.count; i++) {
		const struct located_switch *s = &l->switches.at[i];
		json_t *j = json_object();

		json_object_set_new(j, "thread", clean_json(s->thread));
		json_object_set_new(j, "before", clean_json(s->where));
		json_object_set_new(j, "source", clean_json(s->source));
		json_object_set_new(j, "to", clean_json(s->to));
		json_object_set_new(j, "choice", json_boolean(s->is_choice));
		json_object_set_new(j, "agrees", json_boolean(s->agrees));
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *json_runs(const struct located *l)
{
	json_t *j = json_object(), *fresh = json_array();

	for (size_t i = 0; i < l->new_pairs.count; i++)
		json_array_append_new(
			fresh, json_integer((json_int_t)l->new_pairs.at[i]));
	json_object_set_new(j, "passing", json_integer((json_int_t)l->passing));
	json_object_set_new(j, "native", json_integer((json_int_t)l->native));
	json_object_set_new(j, "delayed", json_integer((json_int_t)l->delayed));
	json_object_set_new(j, "made", json_integer((json_int_t)l->tried));
	json_object_set_new(j, "saturated", json_boolean(l->is_saturated));
	json_object_set_new(j, "new_pairs", fresh);
	return j;
}

void report_locate_json(const struct located *l, FILE *out)
{
	json_t *j = json_object(), *suspects = json_array();

	for (size_t i = 0; i < l->suspects.count; i++)
		json_array_append_new(suspects,
				      json_suspect(l, &l->suspects.at[i]));
	json_object_set_new(j, "version", json_integer(1));
	json_object_set_new(j, "name", clean_json(l->name));
	json_object_set_new(j, "failure", clean_json(l->failure));
	json_object_set_new(j, "confirmed", json_boolean(l->is_confirmed));
	json_object_set_new(j, "procedure",
			    clean_json(l->suspects.count ?
					       procedure_text(l->procedure) :
					       NULL));
	json_object_set_new(
		j, "level",
		clean_json(l->suspects.count ? level_text(l->level) : NULL));
	json_object_set_new(j, "folded", json_integer((json_int_t)l->folded));
	json_object_set_new(j, "weaker", json_integer((json_int_t)l->weaker));
	json_object_set_new(j, "suspect_count",
			    json_integer((json_int_t)l->suspect_count));
	json_object_set_new(j, "failing_pairs",
			    json_integer((json_int_t)l->failing_pairs));
	json_object_set_new(j, "all_pairs",
			    json_integer((json_int_t)l->all_pairs));
	json_object_set_new(j, "suspects", suspects);
	json_object_set_new(j, "switches", json_switches(l));
	json_object_set_new(j, "procedures", json_attempts(l));
	json_object_set_new(j, "runs", json_runs(l));
	json_dumpf(j, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	fputc('\n', out);
	json_decref(j);
}
