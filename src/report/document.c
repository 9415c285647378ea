/* SPDX-License-Identifier: Apache-2.0 */
#include "report/document.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/cause.h"
#include "report/clean_text.h"
#include "report/excerpt.h"
#include "report/last_signal.h"
#include "report/told_steps.h"
#include "trial/oracle.h"

const char *document_kind(const struct repro *r)
{
	return oracle_kind_text((enum outcome_kind)r->outcome);
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* A number of a table, or null. */
static json_t *index_of(uint32_t n)
{
	return n == WITNESS_NONE ? json_null() : number(n);
}

static json_t *location_of(const struct told_steps *told, uint32_t n)
{
	return index_of(told_steps_location(told, n));
}

static json_t *address(uint64_t a)
{
	char hex[20];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, a);
	return json_string(hex);
}

#define SET(object, key, value) json_object_set_new((object), (key), (value))

/* ---- the tables of a witness ---- */

static json_t *places(const struct witness *w)
{
	json_t *all = json_array();

	for (size_t i = 0; i < w->places.count; i++) {
		const struct witness_place *p = &w->places.at[i];
		json_t *j = json_object();

		SET(j, "function", clean_json(p->function));
		SET(j, "file", clean_json(p->file));
		SET(j, "line", json_integer(p->line));
		SET(j, "column", json_integer(p->column));
		SET(j, "outer", index_of(p->outer));
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *locations(const struct witness *w, const struct told_steps *told)
{
	static const char *const kinds[] = {
		[LOCATION_UNKNOWN] = "unknown", [LOCATION_GLOBAL] = "global",
		[LOCATION_HEAP] = "heap",	[LOCATION_STACK] = "stack",
		[LOCATION_MAPPED] = "mapped",
	};
	json_t *all = json_array();

	for (size_t i = 0; i < w->locations.count; i++) {
		const struct witness_location *l = &w->locations.at[i];
		json_t *j;

		if (told->locations[i] == WITNESS_NONE)
			continue;
		j = json_object();
		SET(j, "name", clean_json(l->name));
		SET(j, "kind", json_string(kinds[l->kind]));
		SET(j, "address", address(l->address));
		SET(j, "size", number(l->size));
		SET(j, "shared", json_boolean(l->is_shared));
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *held(const struct witness *w, const struct told_steps *told)
{
	json_t *all = json_array();

	for (size_t i = 0; i < w->held.count; i++) {
		const struct witness_held *h = &w->held.at[i];

		if (i == 0) {
			json_array_append_new(all, json_null());
			continue;
		}
		json_array_append_new(
			all, json_pack("{s:o,s:o,s:o,s:s}", "outer",
				       number(h->outer), "location",
				       location_of(told, h->location), "place",
				       index_of(h->place), "kind", h->word));
	}
	return all;
}

static json_t *switches(const struct witness *w, const struct told_steps *told)
{
	json_t *all = json_array();

	for (size_t i = 0; i < w->switches.count; i++) {
		const struct witness_switch *s = &w->switches.at[i];
		uint32_t step = told_steps_number(told, s->step);

		if (step == WITNESS_NONE)
			continue;
		json_array_append_new(
			all, json_pack("{s:o,s:o,s:o,s:o}", "step",
				       number(step), "from", number(s->from),
				       "to", number(s->to), "why",
				       s->what < STEP_WHATS ?
					       json_string(step_text(s->what)) :
					       json_null()));
	}
	return all;
}

static json_t *waits(const struct witness *w, const struct told_steps *told)
{
	json_t *all = json_array();

	for (size_t i = 0; i < w->waits.count; i++) {
		const struct witness_wait *x = &w->waits.at[i];
		json_t *holds = json_array();
		uint32_t signal = told_steps_number(told, last_signal(w, x));

		for (size_t k = 0; k < x->holds.count; k++)
			json_array_append_new(
				holds,
				json_pack("{s:o,s:o}", "location",
					  location_of(told,
						      x->holds.at[k].location),
					  "place",
					  index_of(x->holds.at[k].place)));
		json_array_append_new(
			all, json_pack("{s:o,s:s,s:o,s:o,s:o,s:o,s:o}",
				       "thread", number(x->thread), "kind",
				       event_text(x->kind), "location",
				       location_of(told, x->location), "place",
				       index_of(x->place), "joins",
				       index_of(x->joins), "holds", holds,
				       "signal", index_of(signal)));
	}
	return all;
}

static json_t *suspect(const struct document_bug *b,
		       const struct told_steps *told)
{
	const struct culprit *c = &b->culprit;
	json_t *j, *steps;
	struct cause cause = cause_find(b->witness, c, b->located);

	/* What was confirmed and is not in these steps stands in `located`, and
	 * of a deadlock `waits` is the cause. */
	if (!cause.has_steps || b->repro->outcome == OUTCOME_DEADLOCK) {
		cause_done(&cause);
		return json_null();
	}
	steps = json_array();
	if (c->first != WITNESS_NONE)
		json_array_append_new(
			steps, number(told_steps_number(told, c->first)));
	json_array_append_new(steps,
			      number(told_steps_number(told, c->between)));
	json_array_append_new(steps, number(told_steps_number(told, c->last)));
	j = json_object();
	SET(j, "kind",
	    json_string(c->kind == CULPRIT_ATOMICITY ? "atomicity" : "order"));
	SET(j, "title", clean_json(cause.title));
	SET(j, "advice", clean_json(cause.advice));
	SET(j, "location",
	    location_of(told, b->witness->steps.at[c->last].location));
	SET(j, "steps", steps);
	cause_done(&cause);
	return j;
}

static void witness_set(json_t *j, const struct document_bug *b,
			const struct told_steps *told)
{
	const struct witness *w = b->witness;

	SET(j, "suspect", suspect(b, told));
	SET(j, "places", places(w));
	SET(j, "locations", locations(w, told));
	SET(j, "held", held(w, told));
	SET(j, "switches", switches(w, told));
	SET(j, "waits", waits(w, told));
	SET(j, "sources", excerpt_json(w, b->repro->directory));
	SET(j, "left_out", number(w->left_out + w->steps.count - told->count));
}

/* ---- the failure ---- */

static json_t *words(char *const *at, size_t count)
{
	json_t *j = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(j, clean_json(at[i]));
	return j;
}

static json_t *schedule(const struct plan *p)
{
	json_t *all = json_array();

	for (size_t i = 0; i < p->steps.count; i++) {
		const struct plan_step *s = &p->steps.at[i];
		json_t *j = json_object();

		SET(j, "thread", number(s->thread));
		SET(j, "what", json_string(step_text(s->what)));
		SET(j, "to", number(s->to));
		SET(j, "before", json_string(event_text(s->kind)));
		SET(j, "where", clean_json(s->where));
		SET(j, "source", clean_json(s->source));
		json_array_append_new(all, j);
	}
	return all;
}

static void repro_set(json_t *j, const struct repro *r)
{
	SET(j, "name", clean_json(r->name));
	SET(j, "verdict",
	    json_string(verdict_text(
		    oracle_status((enum outcome_kind)r->outcome))));
	SET(j, "kind", json_string(document_kind(r)));
	SET(j, "text", clean_json(r->verdict));
	SET(j, "identity", clean_json(r->identity));
	SET(j, "details", clean_json(r->details));
	SET(j, "command", words(r->arguments.at, r->arguments.count));
	SET(j, "directory", clean_json(r->directory));
	SET(j, "strategy", clean_json(r->strategy));
	SET(j, "seed", number(r->seed));
	SET(j, "points", number(r->points));
	SET(j, "output",
	    clean_json_sized(r->output ? r->output : "", r->output_size));
	SET(j, "schedule", schedule(r->plan));
}

static json_t *threads(const struct document_bug *b)
{
	return b->witness ? words(b->witness->threads.at,
				  b->witness->threads.count) :
			    words(b->repro->plan->threads.at,
				  b->repro->plan->threads.count);
}

static json_t *bug(const struct document_bug *b, const struct told_steps *told)
{
	json_t *j = json_object();

	repro_set(j, b->repro);
	SET(j, "note", clean_json(b->note));
	SET(j, "replayed",
	    b->times ? json_pack("{s:i,s:i}", "same", (int)b->same, "times",
				 (int)b->times) :
		       json_null());
	SET(j, "threads", threads(b));
	SET(j, "located", b->located ? json_incref(b->located) : json_null());
	SET(j, "linear", b->linear ? json_incref(b->linear) : json_null());
	if (b->witness)
		witness_set(j, b, told);
	return j;
}

/* ---- writing ---- */

/* In a page "<" would be the beginning of something; as an escape it is the
 * same character of the same string, and JSON has it nowhere else. */
static void put(const char *text, bool is_in_page, FILE *out)
{
	for (; *text; text++) {
		if (is_in_page && strchr("<>&", *text))
			fprintf(out, "\\u%04x", *text);
		else
			putc(*text, out);
	}
}

/* The object without its closing brace. */
static void put_open(json_t *j, bool is_in_page, FILE *out)
{
	char *text = json_dumps(j, JSON_COMPACT);
	size_t n = strlen(text);

	text[n - 1] = '\0';
	put(text, is_in_page, out);
	free(text);
	json_decref(j);
}

/* As text: JSON's numbers end where doubles do. */
static void put_value(const char *key, uint64_t value, uint64_t size, FILE *out)
{
	char *text = witness_value(value, size);

	fprintf(out, ",\"%s\":\"%s\"", key, text);
	free(text);
}

static void put_step(const struct witness_step *s, uint32_t location,
		     uint64_t skipped, FILE *out)
{
	fprintf(out, "{\"thread\":%" PRIu32 ",\"kind\":\"%s\"", s->thread,
		event_text(s->kind));
	if (skipped)
		fprintf(out, ",\"skipped\":%" PRIu64, skipped);
	if (s->place != WITNESS_NONE)
		fprintf(out, ",\"place\":%" PRIu32, s->place);
	if (location != WITNESS_NONE)
		fprintf(out, ",\"location\":%" PRIu32, location);
	if (s->size)
		fprintf(out, ",\"size\":%" PRIu64, s->size);
	if (s->held)
		fprintf(out, ",\"held\":%" PRIu32, s->held);
	if (s->has_before)
		put_value("before", s->before, s->size, out);
	if (s->has_after)
		put_value("after", s->after, s->size, out);
	if (s->kind >= EVENT_THREAD_CREATE && s->kind <= EVENT_THREAD_CANCEL &&
	    s->kind != EVENT_THREAD_END && s->argument != NO_THREAD)
		fprintf(out, ",\"other\":%" PRIu64, s->argument);
	putc('}', out);
}

static void put_steps(const struct witness *w, const struct told_steps *told,
		      FILE *out)
{
	fputs(",\"steps\":[\n", out);
	for (uint32_t i = 0; i < told->count; i++) {
		const struct witness_step *s = &w->steps.at[told->at[i]];

		if (i)
			fputs(",\n", out);
		put_step(s, told_steps_location(told, s->location),
			 told_steps_skipped(told, w, i), out);
	}
	putc(']', out);
}

static void put_bug(const struct document_bug *b, bool is_in_page, FILE *out)
{
	struct told_steps told = { 0 };

	if (b->witness)
		told = told_steps_choose(b->witness, &b->culprit);
	put_open(bug(b, &told), is_in_page, out);
	if (b->witness)
		put_steps(b->witness, &told, out);
	putc('}', out);
	told_steps_done(&told);
}

static json_t *head(const struct document *d)
{
	char when[40] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_pack("{s:s,s:i,s:s,s:s,s:o}", "format", "heddle-report",
			 "version", DOCUMENT_VERSION, "heddle", HEDDLE_VERSION,
			 "made", when, "tests",
			 d->tests ? json_incref(d->tests) : json_array());
}

void document_write(const struct document *d, bool is_in_page, FILE *out)
{
	put_open(head(d), is_in_page, out);
	fputs(",\"bugs\":[", out);
	for (size_t i = 0; i < d->count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_bug(&d->bugs[i], is_in_page, out);
	}
	fputs("]}\n", out);
}
