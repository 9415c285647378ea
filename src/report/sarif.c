/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sarif.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/clean_text.h"

#define SCHEMA                                                                 \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"  \
	"sarif-schema-2.1.0.json"

static const struct {
	const char *id, *text;
} rules[] = {
	{ "exit-status", "The program ends with a status that is not 0." },
	{ "assertion", "An assertion of the program fails." },
	{ "abort", "The program aborts." },
	{ "signal", "The program is ended by a signal." },
	{ "deadlock", "Threads wait for each other for ever." },
	{ "livelock", "Threads run and get nowhere." },
	{ "hang", "The program does not go on." },
	{ "use-after-free", "Memory is used after it was freed." },
	{ "access-beyond-a-block", "Memory beyond a heap block is used." },
	{ "double-free", "A heap block is freed twice." },
	{ "invalid-free", "What is freed is no heap block." },
	{ "wrong-output", "The program prints something else than it should." },
	{ "check-failed", "The user's check refuses what the program did." },
	{ "data-race", "Two threads use the same memory, one of them writes, "
		       "and nothing orders them." },
	{ "lock-order", "Locks are taken in a circle by different threads." },
	{ "atomicity-violation", "Another thread comes between two accesses "
				 "that belong together." },
	{ "order-violation", "Two accesses happen in the wrong order." },
	{ "not-linearizable", "No serial order of the requests gives the same "
			      "replies and the same state." },
};

const char *sarif_rule_text(const char *rule)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (strcmp(rules[i].id, rule) == 0)
			return rules[i].text;
	return NULL;
}

static json_t *message(const char *text)
{
	json_t *j = json_object();

	json_object_set_new(j, "text", clean_json(text));
	return j;
}

/* ---- places ---- */

/* What may stand in a path of a URI as it is; the rest is escaped. */
static bool is_plain(unsigned char c)
{
	return c < 0x80 && (isalnum(c) || strchr("/-._~!$&'()*+,;=:@", c));
}

static json_t *uri(const char *prefix, const char *path)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *j;

	fputs(prefix, out);
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (is_plain(c))
			putc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
	fclose(out);
	j = json_string(text);
	free(text);
	return j;
}

/* The part of the path below the root, or NULL. */
static const char *below(const char *root, const char *path)
{
	size_t n = root ? strlen(root) : 0;

	while (n > 1 && root[n - 1] == '/')
		n--;
	if (!n || strncmp(path, root, n) != 0 || path[n] != '/')
		return NULL;
	return path + n + strspn(path + n, "/");
}

static json_t *artifact(const char *root, const char *path)
{
	const char *rest = below(root, path);
	json_t *j = json_object();

	if (rest) {
		json_object_set_new(j, "uri", uri("", rest));
		json_object_set_new(j, "uriBaseId", json_string("SRCROOT"));
	} else {
		/* A colon in the first segment would be a scheme. */
		json_object_set_new(j, "uri",
				    path[0] == '/' ? uri("file://", path) :
						     uri("./", path));
	}
	return j;
}

static json_t *region(const struct sarif_place *p)
{
	json_t *j = json_object();

	json_object_set_new(j, "startLine", json_integer(p->line));
	if (p->column > 0)
		json_object_set_new(j, "startColumn", json_integer(p->column));
	return j;
}

static json_t *location(const char *root, const struct sarif_place *p)
{
	json_t *j = json_object();

	if (p->file) {
		json_t *physical = json_object();

		json_object_set_new(physical, "artifactLocation",
				    artifact(root, p->file));
		if (p->line > 0)
			json_object_set_new(physical, "region", region(p));
		json_object_set_new(j, "physicalLocation", physical);
	}
	if (p->function)
		json_object_set_new(
			j, "logicalLocations",
			json_pack("[{s:o,s:s}]", "fullyQualifiedName",
				  clean_json(p->function), "kind", "function"));
	if (p->message)
		json_object_set_new(j, "message", message(p->message));
	return j;
}

static bool is_known(const struct sarif_place *p)
{
	return p->file || p->function;
}

/* ---- the interleaving ---- */

static json_t *flow_step(const char *root, const struct sarif_step *s,
			 size_t order)
{
	json_t *j = json_object();

	json_object_set_new(j, "location", location(root, &s->place));
	/* 0 would be: anywhere. */
	json_object_set_new(j, "executionOrder",
			    json_integer((json_int_t)order + 1));
	json_object_set_new(j, "importance",
			    json_string(s->is_essential ? "essential" :
							  "important"));
	return j;
}

static json_t *thread_flow(const char *root, const struct sarif_result *r,
			   uint32_t thread)
{
	json_t *steps = json_array(), *j;

	for (size_t i = 0; i < r->step_count; i++)
		if (r->steps[i].thread == thread)
			json_array_append_new(steps,
					      flow_step(root, &r->steps[i], i));
	if (!json_array_size(steps)) {
		json_decref(steps);
		return NULL;
	}
	j = json_object();
	json_object_set_new(j, "id", json_sprintf("thread %u", thread));
	if (thread < r->thread_count && r->threads[thread])
		json_object_set_new(j, "message", message(r->threads[thread]));
	json_object_set_new(j, "locations", steps);
	return j;
}

static json_t *code_flows(const char *root, const struct sarif_result *r)
{
	json_t *threads = json_array();
	uint32_t most = 0;

	for (size_t i = 0; i < r->step_count; i++)
		if (r->steps[i].thread > most)
			most = r->steps[i].thread;
	for (uint32_t t = 0; t <= most; t++) {
		json_t *flow = thread_flow(root, r, t);

		if (flow)
			json_array_append_new(threads, flow);
	}
	return json_pack("[{s:o,s:o}]", "message",
			 message("the interleaving that fails"), "threadFlows",
			 threads);
}

/* ---- results ---- */

static json_t *related(const char *root, const struct sarif_result *r)
{
	json_t *all = json_array();

	for (size_t i = 0; i < r->related_count; i++) {
		json_t *j = location(root, &r->related[i]);

		json_object_set_new(j, "id", json_integer((json_int_t)i));
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *result(const char *root, const struct sarif_result *r,
		      size_t rule)
{
	json_t *j = json_object();

	json_object_set_new(j, "ruleId", clean_json(r->rule));
	json_object_set_new(j, "ruleIndex", json_integer((json_int_t)rule));
	json_object_set_new(j, "level", json_string(r->level));
	json_object_set_new(j, "message", message(r->message));
	if (is_known(&r->place))
		json_object_set_new(j, "locations",
				    json_pack("[o]",
					      location(root, &r->place)));
	if (r->related_count)
		json_object_set_new(j, "relatedLocations", related(root, r));
	if (r->step_count)
		json_object_set_new(j, "codeFlows", code_flows(root, r));
	if (r->fingerprint)
		json_object_set_new(j, "partialFingerprints",
				    json_pack("{s:o}", "heddleIdentity/v1",
					      clean_json(r->fingerprint)));
	if (r->name)
		json_object_set_new(j, "properties",
				    json_pack("{s:o}", "repro",
					      clean_json(r->name)));
	return j;
}

static json_t *driver(json_t *used)
{
	return json_pack("{s:s,s:s,s:o}", "name", "heddle", "semanticVersion",
			 HEDDLE_VERSION, "rules", used);
}

/* The number of the rule among those used, which it joins if need be. */
static size_t rule_number(json_t *used, const char *rule)
{
	const char *text = sarif_rule_text(rule);
	size_t n = json_array_size(used);
	json_t *j;

	for (size_t i = 0; i < n; i++)
		if (strcmp(json_string_value(json_object_get(
				   json_array_get(used, i), "id")),
			   rule) == 0)
			return i;
	j = json_object();
	json_object_set_new(j, "id", clean_json(rule));
	if (text)
		json_object_set_new(j, "shortDescription", message(text));
	json_array_append_new(used, j);
	return n;
}

/* A directory's URI ends with a slash. */
static json_t *bases(const char *root)
{
	char *directory = xstrdup(root);
	size_t n = strlen(directory);
	json_t *at;

	while (n && directory[n - 1] == '/')
		directory[--n] = '\0';
	at = uri("file://", directory);
	free(directory);
	directory = xasprintf("%s/", json_string_value(at));
	json_string_set(at, directory);
	free(directory);
	return json_pack("{s:{s:o}}", "SRCROOT", "uri", at);
}

void sarif_write(const struct sarif_log *log, FILE *out)
{
	json_t *used = json_array(), *results = json_array();
	json_t *run = json_object(), *all;
	char *text;

	for (size_t i = 0; i < log->count; i++) {
		const struct sarif_result *r = &log->results[i];

		json_array_append_new(results,
				      result(log->root, r,
					     rule_number(used, r->rule)));
	}
	json_object_set_new(run, "tool",
			    json_pack("{s:o}", "driver", driver(used)));
	json_object_set_new(run, "columnKind",
			    json_string("unicodeCodePoints"));
	if (log->root && log->root[0] == '/')
		json_object_set_new(run, "originalUriBaseIds",
				    bases(log->root));
	json_object_set_new(run, "results", results);
	all = json_pack("{s:s,s:s,s:[o]}", "$schema", SCHEMA, "version",
			"2.1.0", "runs", run);
	text = json_dumps(all, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	fprintf(out, "%s\n", text);
	free(text);
	json_decref(all);
}
