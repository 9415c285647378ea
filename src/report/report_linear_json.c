/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_linear.h"

#include <stdlib.h>

#include "linear/linear_verdict.h"
#include "report/clean_text.h"

enum {
	ELEMENTS_SHOWN = 50, /* of a component */
	TEXT_SHOWN = 400,    /* bytes of an element */
};

static json_t *text_json(struct blob b, size_t most)
{
	char *text = blob_escape(b, most);
	json_t *j = clean_json(text);

	free(text);
	return j;
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* ---- what was seen ---- */

static json_t *requests_json(const struct observed *o)
{
	json_t *all = json_array();

	for (size_t i = 0; i < o->requests.count; i++) {
		const struct observed_request *q = &o->requests.at[i];
		json_t *j = json_object();

		json_object_set_new(j, "client", json_integer(q->client));
		json_object_set_new(j, "request", text_json(q->input, 0));
		json_object_set_new(j, "reply",
				    q->end ? text_json(q->output, 0) :
					     json_null());
		json_object_set_new(j, "begin", json_integer(q->begin));
		json_object_set_new(
			j, "end", q->end ? json_integer(q->end) : json_null());
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *element_json(const struct element *e)
{
	char *key = blob_escape(e->key, TEXT_SHOWN);
	char *value = blob_escape(e->value, TEXT_SHOWN);
	char *both = e->key.size ? xasprintf("%s = %s", key, value) : NULL;
	json_t *j = clean_json(both ? both : value);

	free(key);
	free(value);
	free(both);
	return j;
}

static json_t *state_json(const struct components *c)
{
	json_t *all = json_array();

	for (size_t i = 0; i < c->all.count; i++) {
		const struct component *x = &c->all.at[i];
		json_t *elements = json_array();

		for (size_t k = 0; k < x->elements.count && k < ELEMENTS_SHOWN;
		     k++)
			json_array_append_new(elements,
					      element_json(&x->elements.at[k]));
		json_array_append_new(
			all, json_pack("{s:o,s:s,s:o,s:o}", "name",
				       clean_json(x->name), "kind",
				       component_kind_text(x->kind), "count",
				       number(x->elements.count), "elements",
				       elements));
	}
	return all;
}

/* ---- what serial orders give ---- */

static bool is_same_reply(const struct linear_spec *s,
			  const struct observed_request *a,
			  const struct observed_request *b)
{
	struct blob x = fitting_reply(s, a->input, a->output);
	struct blob y = fitting_reply(s, b->input, b->output);
	bool is_same = blob_is_equal(x, y);

	blob_done(&x);
	blob_done(&y);
	return is_same && !a->end == !b->end;
}

/* Requests are in one order in all executions of a case: by client. */
static json_t *replies_json(const struct linear_spec *s,
			    const struct observed *seen,
			    const struct observed *serial)
{
	json_t *all = json_array();
	size_t count = seen->requests.count;

	if (serial->requests.count != count)
		return all;
	for (size_t i = 0; i < count; i++) {
		const struct observed_request *q = &serial->requests.at[i];

		json_array_append_new(
			all,
			json_pack("{s:o,s:b}", "reply", text_json(q->output, 0),
				  "same",
				  is_same_reply(s, &seen->requests.at[i], q)));
	}
	return all;
}

static json_t *orders_json(const struct linear_spec *s,
			   const struct linear_case *c,
			   const struct execution *e)
{
	const struct judged *j = &e->judged;
	json_t *all = json_array();

	for (uint32_t i = 0; i < j->orders; i++) {
		const struct observed *serial =
			j->serials[i] < 0 ? NULL :
					    c->serials.at[j->serials[i]].seen;

		json_array_append_new(
			all,
			json_pack("{s:s,s:b,s:b,s:o,s:o}", "order", j->names[i],
				  "output", j->outputs[i], "state",
				  j->states[i], "replies",
				  serial ? replies_json(s, e->seen, serial) :
					   json_null(),
				  "left",
				  serial ? state_json(&serial->state) :
					   json_null()));
	}
	return all;
}

static json_t *setup_json(const struct linear_input *input)
{
	json_t *all = json_array();

	for (size_t i = 0; input && i < input->setup.count; i++)
		json_array_append_new(all, text_json(input->setup.at[i], 0));
	return all;
}

/* ---- a finding ---- */

json_t *report_linear_finding(const struct linear_options *o,
			      const struct linear_result *result,
			      const struct linear_finding *f)
{
	const struct linear_case *c = &result->cases.at[f->of_case];
	const struct execution *e = &c->executions.at[f->execution];
	json_t *j = json_object();

	json_object_set_new(j, "input",
			    clean_json(c->input ? c->input->name : o->argv[0]));
	json_object_set_new(j, "kind", json_string(judged_text(&e->judged)));
	json_object_set_new(j, "failure", clean_json(e->seen->words));
	json_object_set_new(j, "setup", setup_json(c->input));
	json_object_set_new(j, "requests", requests_json(e->seen));
	json_object_set_new(j, "left", state_json(&e->seen->state));
	json_object_set_new(j, "orders", orders_json(o->spec, c, e));
	json_object_set_new(j, "component", clean_json(e->judged.component));
	json_object_set_new(j, "difference", clean_json(e->judged.difference));
	json_object_set_new(j, "reply", clean_json(e->judged.reply));
	json_object_set_new(j, "schedules", number(f->count));
	json_object_set_new(j, "executions", number(c->made));
	json_object_set_new(j, "seed", number(e->seen->seed));
	json_object_set_new(j, "repro", clean_json(e->repro));
	return j;
}

void report_linear_json(const struct linear_report *r, FILE *out)
{
	const struct linear_result *result = r->result;
	json_t *j = json_object(), *findings = json_array();
	uint64_t distinct = 0;

	for (size_t i = 0; i < result->findings.count; i++)
		json_array_append_new(
			findings,
			report_linear_finding(r->options, result,
					      &result->findings.at[i]));
	for (size_t i = 0; i < result->cases.count; i++)
		distinct += result->cases.at[i].schedules.count;
	json_object_set_new(
		j, "verdict",
		json_string(verdict_text(report_linear_status(result))));
	json_object_set_new(j, "inputs", number(result->cases.count));
	json_object_set_new(j, "flagged",
			    number(linear_flagged_inputs(result)));
	json_object_set_new(j, "repeated", number(r->repeated));
	json_object_set_new(j, "executions", number(linear_executions(result)));
	json_object_set_new(j, "distinct_schedules", number(distinct));
	json_object_set_new(j, "recorded", number(result->recorded));
	json_object_set_new(j, "unknown", number(result->unknown));
	json_object_set_new(j, "varied", number(linear_varied_inputs(result)));
	json_object_set_new(j, "runs", number(result->runs));
	json_object_set_new(j, "seconds", json_real(result->seconds));
	json_object_set_new(j, "started_afresh",
			    json_boolean(result->is_fresh));
	json_object_set_new(j, "not_forked_ready",
			    clean_json(result->why_early));
	json_object_set_new(j, "findings", findings);
	json_dumpf(j, out, JSON_INDENT(2));
	putc('\n', out);
	json_decref(j);
}
