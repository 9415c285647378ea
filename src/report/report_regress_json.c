/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_regress.h"

#include <jansson.h>

#include "report/clean_text.h"

static json_t *text(const char *s)
{
	return s ? json_string(s) : json_null();
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *event(const struct signature_event *e,
		     const struct regress_match *m)
{
	json_t *j = json_object();

	json_object_set_new(j, "operation", text(operation_text(e)));
	json_object_set_new(j, "thread", number(e->thread));
	json_object_set_new(j, "object", number(e->object));
	json_object_set_new(j, "variable", text(e->variable));
	json_object_set_new(j, "function", text(e->function));
	json_object_set_new(j, "file", text(e->file));
	json_object_set_new(j, "line", number(e->line));
	json_object_set_new(j, "source", text(e->source));
	json_object_set_new(j, "found", json_boolean(m->is_found));
	if (!m->is_found)
		return j;
	json_object_set_new(j, "where", text(m->where));
	json_object_set_new(j, "text", text(m->source));
	json_object_set_new(j, "stack-distance", number(m->distance));
	if (m->similarity.offset != UINT64_MAX)
		json_object_set_new(j, "offset-distance",
				    number(m->similarity.offset));
	if (m->similarity.function_offset != UINT64_MAX)
		json_object_set_new(j, "function-offset-distance",
				    number(m->similarity.function_offset));
	json_object_set_new(j, "same-text",
			    json_boolean(m->similarity.by &
					 (SIMILAR_TEXT | SIMILAR_MOVED)));
	return j;
}

static json_t *events(const struct regress_result *r)
{
	json_t *j = json_array();

	if (!r->signatures.all.count)
		return j;
	for (uint32_t k = 0; k < r->signatures.all.at[r->signature].count; k++)
		json_array_append_new(
			j, event(&r->signatures.all.at[r->signature].events[k],
				 &r->matches[k]));
	return j;
}

static json_t *pairs(const struct blamed *b)
{
	json_t *all = json_array();

	for (size_t i = 0; i < b->all.count; i++) {
		const struct blamed_pair *p = &b->all.at[i];
		const struct blamed_access *ends[] = { &p->head, &p->tail };
		json_t *j = json_object();

		json_object_set_new(j, "variable", clean_json(p->variable));
		for (size_t k = 0; k < 2; k++) {
			json_t *end = json_object();

			json_object_set_new(end, "kind",
					    clean_json(ends[k]->kind));
			json_object_set_new(end, "where",
					    clean_json(ends[k]->where));
			json_object_set_new(end, "source",
					    clean_json(ends[k]->source));
			json_object_set_new(j, k ? "tail" : "head", end);
		}
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *sameness(const struct sameness *s)
{
	static const char *const failures[] = {
		[FAILURE_OTHER] = "other",
		[FAILURE_KIND] = "same-kind",
		[FAILURE_PLACE] = "same-place",
		[FAILURE_SAME] = "same",
	};
	static const char *const likeness[] = {
		[PAIRS_NONE] = "none",	 [PAIRS_UNKNOWN] = "unknown",
		[PAIRS_OTHER] = "other", [PAIRS_NEAR] = "near",
		[PAIRS_SAME] = "same",	 [PAIRS_SIGNED] = "signature",
	};
	json_t *j = json_object();

	json_object_set_new(j, "failure", text(failures[s->failure]));
	json_object_set_new(j, "events-in-order", json_boolean(s->is_ordered));
	json_object_set_new(j, "signature-alike", json_boolean(s->is_signed));
	json_object_set_new(j, "pairs", text(likeness[s->pairs]));
	json_object_set_new(j, "old-pairs", pairs(&s->was));
	json_object_set_new(j, "new-pairs", pairs(&s->now));
	json_object_set_new(j, "seconds", json_real(s->seconds));
	return j;
}

static json_t *iteration(const struct regress_iteration *it)
{
	static const char *const kinds[] = {
		[ITERATION_REPLAY] = "replay",
		[ITERATION_PERTURB] = "perturb",
		[ITERATION_HUNT] = "hunt",
		[ITERATION_PROFILE] = "profile",
	};
	json_t *j = json_object(), *w = json_array(), *d = json_array();

	for (uint32_t k = 0; k < it->count; k++) {
		json_array_append_new(w, number(it->set.widths[k].w));
		json_array_append_new(d, number(it->set.widths[k].d));
	}
	json_object_set_new(j, "kind", text(kinds[it->kind]));
	json_object_set_new(j, "signature", number(it->signature));
	json_object_set_new(j, "w", w);
	json_object_set_new(j, "d", d);
	json_object_set_new(j, "reached", number(it->reached));
	json_object_set_new(j, "events", number(it->count));
	json_object_set_new(j, "seconds", json_real(it->seconds));
	json_object_set_new(j, "broke", json_boolean(it->broke));
	return j;
}

static json_t *result(const struct regress_result *r)
{
	json_t *j = json_object(), *all = json_array();

	for (size_t i = 0; i < r->iterations.count; i++)
		json_array_append_new(all, iteration(&r->iterations.at[i]));
	json_object_set_new(j, "repro", text(r->name));
	json_object_set_new(j, "was", text(r->was));
	json_object_set_new(j, "program", text(r->program));
	json_object_set_new(j, "method",
			    text(r->method == REGRESS_MAPLE ? "maple" :
							      "similar"));
	json_object_set_new(j, "same-build", json_boolean(r->is_same_build));
	json_object_set_new(j, "verdict",
			    text(regress_verdict_text(r->verdict)));
	json_object_set_new(j, "sure",
			    regress_status(r) == EXIT_BROKEN ?
				    text(regress_sure_text(r->sure)) :
				    json_null());
	json_object_set_new(j, "why", text(r->why));
	json_object_set_new(j, "compared",
			    regress_status(r) == EXIT_BROKEN ?
				    sameness(&r->same) :
				    json_null());
	json_object_set_new(j, "text", text(r->text));
	json_object_set_new(j, "kept", text(r->kept));
	json_object_set_new(j, "runs", number(r->iterations.count));
	json_object_set_new(j, "seconds", json_real(r->seconds));
	json_object_set_new(j, "hunting-seconds", json_real(r->hunting));
	json_object_set_new(j, "events", events(r));
	json_object_set_new(j, "iterations", all);
	return j;
}

void report_regress_json(const struct regress_report *r, FILE *out)
{
	json_t *j = json_object(), *all = json_array();

	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(all, result(&r->results[i]));
	json_object_set_new(j, "format", text("heddle-regress"));
	json_object_set_new(j, "version", number(1));
	json_object_set_new(j, "status", number(report_regress_status(r)));
	json_object_set_new(j, "results", all);
	json_dumpf(j, out, JSON_INDENT(1));
	putc('\n', out);
	json_decref(j);
}
