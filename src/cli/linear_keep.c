/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/linear_keep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "linear/linear_record.h"
#include "linear/linear_verdict.h"
#include "report/report_linear.h"
#include "store/repro.h"
#include "trial/describe.h"

static void fill_command(struct repro *r, const struct linear_options *o)
{
	if (o->argv)
		for (char *const *a = o->argv; *a; a++)
			vec_push(&r->arguments, xstrdup(*a));
	else
		for (size_t i = 0; i < o->spec->start.count; i++)
			vec_push(&r->arguments, xstrdup(o->spec->start.at[i]));
	for (char **e = environ; *e; e++)
		if (repro_is_harmless(*e))
			vec_push(&r->environment, xstrdup(*e));
	r->directory = getcwd(NULL, 0);
	r->points_most = o->ask.points_most;
	r->hang_ms = o->ask.hang_ms;
}

static void fill_failure(struct repro *r, const struct linear_case *c,
			 const struct execution *e)
{
	struct verdict v;

	r->seed = e->seen->seed;
	r->outcome = OUTCOME_LINEAR;
	linear_verdict(c, e, &v);
	r->verdict = xstrdup(v.text);
	r->identity = xstrdup(v.identity);
	r->details = xstrdup(v.details);
	verdict_done(&v);
	r->schedule = e->captured->run.schedule;
	r->points = e->captured->run.points;
	r->wait_status = e->captured->run.wait_status;
	r->plan = captured_plan(e->captured);
	plan_describe(r->plan, e->captured);
	r->output = xstrdup("");
}

/* Requests one by one, as in a spec. */
static char *requests_text(const struct linear_input *input)
{
	struct blob text = blob_make("", 0);

	for (size_t i = 0; i < input->setup.count; i++) {
		char *request = blob_escape(input->setup.at[i], 0);

		blob_append(&text, "setup ", 6);
		blob_append(&text, request, strlen(request));
		blob_append(&text, "\n", 1);
		free(request);
	}
	for (size_t i = 0; i < input->requests.count; i++) {
		const struct spec_request *q = &input->requests.at[i];
		char *request = blob_escape(q->text, 0);
		char *line = xasprintf("client %u %s\n", q->client, request);

		blob_append(&text, line, strlen(line));
		free(request);
		free(line);
	}
	return text.at;
}

static int write_beside(const struct repro *r, const char *name,
			const char *text, struct err *err)
{
	char *path = xasprintf("%s/%s", r->path, name);
	int rc = file_write(path, text, err);

	free(path);
	return rc;
}

static int write_spec(const struct repro *r, const struct linear_options *o,
		      const struct linear_case *c, struct err *err)
{
	char *requests, *text;
	size_t size;
	int rc;

	if (!o->spec)
		return write_beside(r, "spec", "# no rules\n", err);
	text = file_read(o->spec->path, &size, err);
	if (!text)
		return -1;
	rc = write_beside(r, "spec", text, err);
	free(text);
	if (rc < 0 || !c->input)
		return rc;
	requests = requests_text(c->input);
	rc = write_beside(r, "requests", requests, err);
	free(requests);
	return rc;
}

static int keep(const struct linear_options *o, const struct linear_case *c,
		struct execution *e, const char *store, const char *strategy,
		struct err *err)
{
	struct repro *r = repro_new();
	char *none[] = { NULL };
	bool was_known;
	int rc;

	fill_command(r, o);
	fill_failure(r, c, e);
	r->strategy = xstrdup(strategy);
	rc = repro_save(r, store, none, &was_known, err);
	if (rc == 0 && !was_known)
		rc = write_spec(r, o, c, err);
	if (rc == 0) {
		free(e->repro);
		e->repro = xstrdup(r->name);
	}
	repro_free(r);
	return rc;
}

/* Requests, replies and serial orders, for a report. */
static int write_finding(const struct linear_options *o,
			 const struct linear_result *result,
			 const struct linear_finding *f, const char *store,
			 const char *name, struct err *err)
{
	json_t *finding = report_linear_finding(o, result, f);
	char *text = json_dumps(finding, JSON_INDENT(2));
	struct repro *r = repro_load(store, name, err);
	int rc = r && text ? write_beside(r, LINEAR_FILE, text, err) : -1;

	repro_free(r);
	free(text);
	json_decref(finding);
	return rc;
}

/* The plan of a repro that was kept before. */
static struct plan *plan_kept(const char *store, const char *name)
{
	struct err ignored;
	struct repro *r = repro_load(store, name, &ignored);
	struct plan *plan = r ? plan_copy(r->plan) : NULL;

	repro_free(r);
	return plan;
}

int linear_keep(const struct linear_options *o, struct linear_result *result,
		const char *store, const char *strategy, struct plan **plans,
		struct err *err)
{
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct linear_finding *f = &result->findings.at[i];
		struct linear_case *c = &result->cases.at[f->of_case];
		struct execution *e = &c->executions.at[f->execution];
		char *path;
		int rc = 0;

		if (e->captured) {
			if (keep(o, c, e, store, strategy, err) < 0 ||
			    write_finding(o, result, f, store, e->repro, err) <
				    0)
				return -1;
			path = linear_record_path(o, f->of_case);
			rc = path ? linear_record_save(c, path, err) : 0;
			free(path);
		}
		if (rc < 0)
			return -1;
		if (e->repro)
			plans[i] = plan_kept(store, e->repro);
	}
	return 0;
}
