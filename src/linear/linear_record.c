/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/linear_record.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"

enum { RECORD_VERSION = 1 };

/* ---- bytes ---- */

static json_t *bytes_put(struct blob b)
{
	char *text = xmalloc(2 * b.size + 1);
	size_t n = 0;
	json_t *j;

	for (size_t i = 0; i < b.size; i++) {
		unsigned char c = (unsigned char)b.at[i];

		if (c < 0x80) {
			text[n++] = (char)c;
		} else {
			text[n++] = (char)(0xc0 | c >> 6);
			text[n++] = (char)(0x80 | (c & 0x3f));
		}
	}
	j = json_stringn(text, n);
	free(text);
	return j;
}

static int bytes_get(const json_t *j, struct blob *b)
{
	const unsigned char *text = (const unsigned char *)json_string_value(j);
	size_t size = json_string_length(j);

	if (!text)
		return -1;
	*b = (struct blob){ .at = xmalloc(size + 1) };
	for (size_t i = 0; i < size; i++) {
		unsigned int c = text[i];

		if (c >= 0x80 && c < 0xc4 && i + 1 < size)
			c = (c & 3) << 6 | (text[++i] & 0x3f);
		b->at[b->size++] = (char)c;
	}
	b->at[b->size] = '\0';
	return 0;
}

static uint64_t number_get(const json_t *object, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(object, name));
}

static void number_put(json_t *object, const char *name, uint64_t number)
{
	json_object_set_new(object, name, json_integer((json_int_t)number));
}

/* ---- what was seen ---- */

static json_t *request_put(const struct observed_request *r)
{
	json_t *j = json_object();

	number_put(j, "client", r->client);
	number_put(j, "nth", r->nth);
	number_put(j, "begin", r->begin);
	number_put(j, "end", r->end);
	json_object_set_new(j, "input", bytes_put(r->input));
	json_object_set_new(j, "output", bytes_put(r->output));
	return j;
}

static int request_get(const json_t *j, struct observed *o)
{
	struct observed_request r = {
		.client = (uint32_t)number_get(j, "client"),
		.nth = (uint32_t)number_get(j, "nth"),
		.begin = (uint32_t)number_get(j, "begin"),
		.end = (uint32_t)number_get(j, "end"),
	};

	if (bytes_get(json_object_get(j, "input"), &r.input) < 0)
		return -1;
	if (bytes_get(json_object_get(j, "output"), &r.output) < 0) {
		blob_done(&r.input);
		return -1;
	}
	vec_push(&o->requests, r);
	return 0;
}

static json_t *component_put(const struct component *c)
{
	json_t *j = json_object(), *elements = json_array();

	json_object_set_new(
		j, "name",
		bytes_put((struct blob){ c->name, strlen(c->name) }));
	number_put(j, "kind", c->kind);
	for (size_t i = 0; i < c->elements.count; i++) {
		const struct element *e = &c->elements.at[i];
		json_t *pair = json_array();

		json_array_append_new(pair, bytes_put(e->key));
		json_array_append_new(pair, bytes_put(e->value));
		json_array_append_new(elements, pair);
	}
	json_object_set_new(j, "elements", elements);
	return j;
}

static void element_get(const json_t *pair, struct component *to)
{
	struct blob key = { 0 }, value = { 0 };
	int64_t number;

	if (bytes_get(json_array_get(pair, 0), &key) == 0 &&
	    bytes_get(json_array_get(pair, 1), &value) == 0) {
		number = to->kind == LINEAR_COUNTER ?
				 strtoll(value.at, NULL, 10) :
				 0;
		if (to->kind == LINEAR_COUNTER) {
			blob_done(&value);
			value = blob_make(&number, sizeof(number));
		}
		component_change(to,
				 to->kind == LINEAR_MAP ||
						 to->kind == LINEAR_COUNTER ||
						 to->kind == LINEAR_BYTES ?
					 LINEAR_PUT :
					 LINEAR_ADD,
				 key, value);
	}
	blob_done(&key);
	blob_done(&value);
}

static int component_get(const json_t *j, struct observed *o)
{
	const json_t *elements = json_object_get(j, "elements");
	uint64_t kind = number_get(j, "kind");
	struct component *c;
	struct blob name;

	if (kind >= LINEAR_KINDS ||
	    bytes_get(json_object_get(j, "name"), &name) < 0)
		return -1;
	c = components_get(&o->state, name.at, (enum linear_kind)kind);
	blob_done(&name);
	for (size_t i = 0; i < json_array_size(elements); i++)
		element_get(json_array_get(elements, i), c);
	return 0;
}

static json_t *observed_put(const struct observed *o)
{
	json_t *j = json_object(), *requests = json_array();
	json_t *state = json_array();

	for (size_t i = 0; i < o->requests.count; i++)
		json_array_append_new(requests,
				      request_put(&o->requests.at[i]));
	for (size_t i = 0; i < o->state.all.count; i++)
		json_array_append_new(state,
				      component_put(&o->state.all.at[i]));
	json_object_set_new(j, "requests", requests);
	json_object_set_new(j, "state", state);
	number_put(j, "end", o->end);
	if (o->words)
		json_object_set_new(
			j, "words",
			bytes_put((struct blob){ o->words, strlen(o->words) }));
	number_put(j, "lost", o->lost);
	number_put(j, "seed", o->seed);
	number_put(j, "points", o->points);
	return j;
}

static struct observed *observed_get(const json_t *j)
{
	const json_t *requests = json_object_get(j, "requests");
	const json_t *state = json_object_get(j, "state");
	struct observed *o = observed_new();
	struct blob words;
	int rc = 0;

	for (size_t i = 0; i < json_array_size(requests) && rc == 0; i++)
		rc = request_get(json_array_get(requests, i), o);
	for (size_t i = 0; i < json_array_size(state) && rc == 0; i++)
		rc = component_get(json_array_get(state, i), o);
	o->end = (enum observed_end)(number_get(j, "end") & 3);
	if (bytes_get(json_object_get(j, "words"), &words) == 0)
		o->words = words.at;
	o->lost = (uint32_t)number_get(j, "lost");
	o->seed = number_get(j, "seed");
	o->points = number_get(j, "points");
	if (rc < 0) {
		observed_free(o);
		return NULL;
	}
	observed_seal(o);
	return o;
}

/* ---- a case ---- */

static json_t *serial_put(const struct serial *s)
{
	json_t *j = observed_put(s->seen), *order = json_array();

	for (size_t i = 0; i < s->order.count; i++) {
		json_array_append_new(order,
				      json_integer(s->order.at[i].thread));
		json_array_append_new(order, json_integer(s->order.at[i].nth));
	}
	json_object_set_new(j, "order", order);
	number_put(j, "serial_seed", s->seed);
	return j;
}

static int serial_get(const json_t *j, struct linear_case *c)
{
	const json_t *order = json_object_get(j, "order");
	struct serial s = { .seed = (uint32_t)number_get(j, "serial_seed") };

	s.seen = observed_get(j);
	if (!s.seen)
		return -1;
	for (size_t i = 0; i + 1 < json_array_size(order); i += 2)
		vec_push(&s.order,
			 (struct linear_place){
				 (uint32_t)json_integer_value(
					 json_array_get(order, i)),
				 (uint32_t)json_integer_value(
					 json_array_get(order, i + 1)) });
	vec_push(&c->serials, s);
	return 0;
}

static json_t *execution_put(const struct execution *e)
{
	json_t *j = observed_put(e->seen);

	number_put(j, "count", e->count);
	if (e->repro)
		json_object_set_new(j, "repro", json_string(e->repro));
	return j;
}

static int execution_get(const json_t *j, struct linear_case *c)
{
	const char *repro = json_string_value(json_object_get(j, "repro"));
	struct execution e = { .count = number_get(j, "count") };

	e.seen = observed_get(j);
	if (!e.seen)
		return -1;
	e.hash = observed_hash(e.seen);
	e.repro = repro ? xstrdup(repro) : NULL;
	vec_push(&c->executions, e);
	return 0;
}

static json_t *case_put(const struct linear_case *c)
{
	json_t *j = json_object(), *serials = json_array();
	json_t *executions = json_array(), *schedules = json_array();

	for (size_t i = 0; i < c->serials.count; i++)
		json_array_append_new(serials, serial_put(&c->serials.at[i]));
	for (size_t i = 0; i < c->executions.count; i++)
		json_array_append_new(executions,
				      execution_put(&c->executions.at[i]));
	for (size_t i = 0; i < c->schedules.count; i++)
		json_array_append_new(
			schedules,
			json_integer((json_int_t)c->schedules.at[i]));
	number_put(j, "heddle-linear", RECORD_VERSION);
	number_put(j, "made", c->made);
	number_put(j, "length", c->length);
	json_object_set_new(j, "varied", json_boolean(c->is_varied));
	json_object_set_new(j, "serial", serials);
	json_object_set_new(j, "concurrent", executions);
	json_object_set_new(j, "schedules", schedules);
	return j;
}

static int case_get(const json_t *j, struct linear_case *c)
{
	const json_t *serials = json_object_get(j, "serial");
	const json_t *executions = json_object_get(j, "concurrent");
	const json_t *schedules = json_object_get(j, "schedules");

	if (number_get(j, "heddle-linear") != RECORD_VERSION)
		return -1;
	c->made = number_get(j, "made");
	c->length = number_get(j, "length");
	c->is_varied = json_is_true(json_object_get(j, "varied"));
	for (size_t i = 0; i < json_array_size(serials); i++)
		if (serial_get(json_array_get(serials, i), c) < 0)
			return -1;
	for (size_t i = 0; i < json_array_size(executions); i++)
		if (execution_get(json_array_get(executions, i), c) < 0)
			return -1;
	for (size_t i = 0; i < json_array_size(schedules); i++)
		vec_push(&c->schedules, (uint64_t)json_integer_value(
						json_array_get(schedules, i)));
	return 0;
}

int linear_record_save(const struct linear_case *c, const char *path,
		       struct err *err)
{
	char *aside = xasprintf("%s.new", path);
	json_t *j = case_put(c);
	int rc = 0;

	if (json_dump_file(j, aside, JSON_COMPACT | JSON_SORT_KEYS) < 0 ||
	    rename(aside, path) < 0)
		rc = err_set(err, "cannot write %s: %s", path, strerror(errno));
	json_decref(j);
	free(aside);
	return rc;
}

int linear_record_read(struct linear_case *c, const char *text, size_t size)
{
	json_t *j = json_loadb(text, size, JSON_ALLOW_NUL, NULL);
	const struct linear_input *input = c->input;
	int rc = -1;

	if (json_is_object(j))
		rc = case_get(j, c);
	json_decref(j);
	if (rc < 0) {
		linear_case_done(c);
		*c = (struct linear_case){ .input = input };
	}
	return rc;
}

int linear_record_load(struct linear_case *c, const char *path)
{
	struct err ignored;
	size_t size;
	char *text = file_read(path, &size, &ignored);
	int rc;

	if (!text)
		return 0;
	rc = linear_record_read(c, text, size);
	free(text);
	return rc == 0;
}
