/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_expose.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/err.h"

static json_t *event_json(const struct expose_event *e)
{
	return json_pack("{s:s, s:s, s:i}", "place", e->place, "what", e->what,
			 "thread", (int)e->side);
}

static json_t *events_json(const struct expose_candidate *c)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < c->event_count; i++)
		json_array_append_new(all, event_json(&c->events[i]));
	return all;
}

static const char *kind_text(enum expose_kind k)
{
	static const char *const texts[] = {
		[EXPOSE_INTERLEAVING] = "interleaving",
		[EXPOSE_ORDER] = "order",
		[EXPOSE_CYCLE] = "lock cycle",
		[EXPOSE_WAKEUP] = "wakeup",
	};

	return texts[k];
}

static json_t *candidate_json(const struct expose_result *r,
			      const struct expose_candidate *c)
{
	json_t *o = json_pack("{s:s, s:s, s:I, s:s, s:o, s:I, s:I, s:I, s:I, "
			      "s:I, s:I, s:f}",
			      "kind", kind_text(c->kind), "state",
			      expose_state_text(c->state), "rank",
			      (json_int_t)c->rank, "where", c->where, "events",
			      events_json(c), "runs", (json_int_t)c->tally.runs,
			      "forced", (json_int_t)c->tally.forced, "broken",
			      (json_int_t)c->tally.broken, "held",
			      (json_int_t)c->tally.held, "expired",
			      (json_int_t)c->tally.expired, "late_us",
			      (json_int_t)c->tally.late_us, "seconds",
			      c->seconds);

	if (c->kind == EXPOSE_INTERLEAVING) {
		json_object_set_new(
			o, "pattern",
			json_string(unserial_pattern_text(
				r->unserial->at[c->unserial].pattern)));
		/* its place among all, which --explain lists */
		json_object_set_new(o, "interleaving",
				    json_integer((json_int_t)c->unserial + 1));
	}
	return o;
}

static json_t *bug_json(const struct expose_bug *b)
{
	return json_pack("{s:s, s:s*, s:b, s:b, s:b, s:I, s:I, s:f, s:o}",
			 "verdict", b->verdict.text, "name", b->name, "exact",
			 b->is_exact, "forced", b->is_forced, "free",
			 b->was_free, "replays", (json_int_t)b->times,
			 "reproduced", (json_int_t)b->again, "seconds",
			 b->seconds, "candidate",
			 b->candidate == SIZE_MAX ?
				 json_null() :
				 json_integer((json_int_t)b->candidate + 1));
}

static json_t *space_json(const struct expose_result *r)
{
	const struct unserial_result *u = r->unserial;

	if (!u)
		return json_null();
	return json_pack(
		"{s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
		"log10_all", u->sizes.all, "log10_tpair", u->sizes.tpair,
		"log10_pi", u->sizes.pi, "log10_ui", u->sizes.ui, "sites",
		(json_int_t)u->sites, "sites_feasible",
		(json_int_t)u->sites_feasible, "interleavings",
		(json_int_t)u->count, "open",
		(json_int_t)u->by_status[UNSERIAL_OPEN], "likely",
		(json_int_t)u->by_status[UNSERIAL_LIKELY], "exercised",
		(json_int_t)u->by_status[UNSERIAL_EXERCISED], "pruned",
		(json_int_t)u->by_status[UNSERIAL_PRUNED]);
}

static const char *status_text(enum unserial_status status)
{
	static const char *const texts[] = {
		[UNSERIAL_OPEN] = "open",
		[UNSERIAL_LIKELY] = "likely ordered",
		[UNSERIAL_EXERCISED] = "exercised",
		[UNSERIAL_PRUNED] = "pruned",
	};

	return texts[status];
}

static void site_set(json_t *o, const char *key, struct sites *s, uint32_t site)
{
	char *text = site_name(s, site);

	json_object_set_new(o, key, json_string(text));
	free(text);
}

/* All, with what was pruned: sites, and not stacks. */
static json_t *interleavings_json(const struct expose_report *r)
{
	const struct unserial_result *u = r->result->unserial;
	json_t *all = json_array();

	for (size_t i = 0; u && !r->options->is_by_stack && i < u->count; i++) {
		const struct unserial_candidate *f = &u->at[i];
		json_t *o = json_pack("{s:s, s:s}", "pattern",
				      unserial_pattern_text(f->pattern),
				      "status", status_text(f->status));

		site_set(o, "p", r->result->sites, f->p.site);
		site_set(o, "r", r->result->sites, f->r.site);
		site_set(o, "c", r->result->sites, f->c.site);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *moments_json(const struct expose_result *r)
{
	json_t *all = json_array();

	for (size_t i = 0; i < r->moments.count; i++)
		json_array_append_new(
			all, json_pack("{s:f, s:I}", "seconds",
				       r->moments.at[i].seconds, "covered",
				       (json_int_t)r->moments.at[i].covered));
	return all;
}

void report_expose_json(const struct expose_report *r, FILE *out)
{
	const struct expose_result *e = r->result;
	json_t *candidates = json_array(), *bugs = json_array(), *o;

	for (size_t i = 0; i < e->candidates.count; i++)
		json_array_append_new(candidates,
				      candidate_json(e, &e->candidates.at[i]));
	for (size_t i = 0; i < e->bugs.count; i++)
		json_array_append_new(bugs, bug_json(&e->bugs.at[i]));
	o = json_pack("{s:s, s:s, s:b, s:b, s:f, s:f, s:f, s:I, s:I, s:I, s:I, "
		      "s:o, s:o, s:o, s:o}",
		      "method", expose_method_text(r->options->method),
		      "verdict", verdict_text(expose_status(e)),
		      "observed_broken", e->observed_broken, "settled",
		      e->is_settled, "seconds", e->seconds, "observe_seconds",
		      e->observe_seconds, "analyse_seconds", e->analyse_seconds,
		      "runs", (json_int_t)e->runs, "free_runs",
		      (json_int_t)e->free_runs, "profiles",
		      (json_int_t)e->profiles, "feasible",
		      (json_int_t)e->feasible, "space", space_json(e),
		      "candidates", candidates, "bugs", bugs, "coverage",
		      moments_json(e));
	CHECK(o);
	if (r->explains)
		json_object_set_new(o, "interleavings", interleavings_json(r));
	json_dumpf(o, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(o);
}
