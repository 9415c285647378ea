/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/component.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"

/* ---- elements ---- */

static void element_done(struct element *e)
{
	blob_done(&e->key);
	blob_done(&e->value);
}

static uint64_t hash_of(struct blob key, struct blob value)
{
	uint64_t parts[3] = { blob_hash(key), blob_hash(value), key.size };

	return XXH3_64bits(parts, sizeof(parts));
}

static bool has_key(const struct component *c)
{
	return c->kind == LINEAR_MAP;
}

/* The first element equal to this one; of a map, with this key. */
static size_t find(const struct component *c, struct blob key,
		   struct blob value)
{
	uint64_t hash = hash_of(key, value);
	size_t i;

	for (i = 0; i < c->elements.count; i++) {
		const struct element *e = &c->elements.at[i];

		if (has_key(c) ?
			    blob_is_equal(e->key, key) :
			    e->hash == hash && blob_is_equal(e->value, value))
			break;
	}
	return i;
}

static void take_out(struct component *c, size_t i)
{
	element_done(&c->elements.at[i]);
	memmove(&c->elements.at[i], &c->elements.at[i + 1],
		(c->elements.count - i - 1) * sizeof(*c->elements.at));
	c->elements.count--;
}

static void put_in(struct component *c, struct blob key, struct blob value)
{
	vec_push(&c->elements, (struct element){ .key = blob_copy(key),
						 .value = blob_copy(value),
						 .hash = hash_of(key, value) });
}

static void clear(struct component *c)
{
	for (size_t i = 0; i < c->elements.count; i++)
		element_done(&c->elements.at[i]);
	c->elements.count = 0;
}

/* ---- changes ---- */

/* The number of a counter is its only element, as text. */
static void count(struct component *c, enum linear_change change,
		  struct blob value)
{
	int64_t number = 0, by = 0;
	char text[32];

	if (value.size == sizeof(by))
		memcpy(&by, value.at, sizeof(by));
	if (change == LINEAR_ADD && c->elements.count)
		number = strtoll(c->elements.at[0].value.at, NULL, 10);
	number = (int64_t)((uint64_t)number + (uint64_t)by);
	snprintf(text, sizeof(text), "%" PRId64, number);
	clear(c);
	put_in(c, (struct blob){ 0 },
	       (struct blob){ .at = text, .size = strlen(text) });
}

void component_change(struct component *c, enum linear_change change,
		      struct blob key, struct blob value)
{
	size_t at;

	if (change == LINEAR_CLEAR) {
		clear(c);
		return;
	}
	if (c->kind == LINEAR_COUNTER) {
		count(c, change, value);
		return;
	}
	if (c->kind == LINEAR_BYTES)
		clear(c);
	at = find(c, key, value);
	if (at < c->elements.count && (change == LINEAR_REMOVE || has_key(c)))
		take_out(c, at);
	if (change == LINEAR_REMOVE ||
	    (c->kind == LINEAR_SET && at < c->elements.count))
		return;
	put_in(c, key, value);
}

void component_add_lines(struct component *c, const char *before,
			 struct blob text)
{
	const char *at = text.at, *end = text.at + text.size;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		struct blob line = blob_text(before);

		blob_append(&line, at, (size_t)(stop - at));
		put_in(c, (struct blob){ 0 }, line);
		blob_done(&line);
		at = newline ? newline + 1 : end;
	}
}

/* ---- all of them ---- */

void components_done(struct components *c)
{
	for (size_t i = 0; i < c->all.count; i++) {
		clear(&c->all.at[i]);
		vec_free(&c->all.at[i].elements);
		free(c->all.at[i].name);
	}
	vec_free(&c->all);
}

const struct component *components_find(const struct components *c,
					const char *name)
{
	for (size_t i = 0; i < c->all.count; i++)
		if (strcmp(c->all.at[i].name, name) == 0)
			return &c->all.at[i];
	return NULL;
}

struct component *components_get(struct components *c, const char *name,
				 enum linear_kind kind)
{
	for (size_t i = 0; i < c->all.count; i++)
		if (strcmp(c->all.at[i].name, name) == 0)
			return &c->all.at[i];
	vec_push(&c->all,
		 (struct component){ .name = xstrdup(name), .kind = kind });
	return &c->all.at[c->all.count - 1];
}

struct components components_copy(const struct components *from)
{
	struct components to = { 0 };

	for (size_t i = 0; i < from->all.count; i++) {
		const struct component *a = &from->all.at[i];
		struct component *b = components_get(&to, a->name, a->kind);

		for (size_t k = 0; k < a->elements.count; k++)
			put_in(b, a->elements.at[k].key,
			       a->elements.at[k].value);
	}
	components_seal(&to);
	return to;
}

static int by_content(const void *a, const void *b)
{
	const struct element *x = a, *y = b;
	int order = blob_order(x->key, y->key);

	return order ? order : blob_order(x->value, y->value);
}

static int by_name(const void *a, const void *b)
{
	const struct component *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void seal(struct component *c)
{
	uint64_t state[2] = { c->elements.count, 0 };

	if (c->kind != LINEAR_SEQUENCE && c->elements.count)
		qsort(c->elements.at, c->elements.count,
		      sizeof(*c->elements.at), by_content);
	for (size_t i = 0; i < c->elements.count; i++) {
		if (c->kind != LINEAR_SEQUENCE) {
			state[1] += c->elements.at[i].hash;
			continue;
		}
		state[1] ^= c->elements.at[i].hash;
		state[1] = XXH3_64bits(state, sizeof(state));
	}
	c->hash = XXH3_64bits(state, sizeof(state));
}

void components_seal(struct components *c)
{
	for (size_t i = 0; i < c->all.count; i++)
		seal(&c->all.at[i]);
	if (c->all.count)
		qsort(c->all.at, c->all.count, sizeof(*c->all.at), by_name);
}

const char *component_kind_text(enum linear_kind kind)
{
	static const char *const names[LINEAR_KINDS] = {
		[LINEAR_SET] = "set",		[LINEAR_MULTISET] = "multiset",
		[LINEAR_SEQUENCE] = "sequence", [LINEAR_MAP] = "map",
		[LINEAR_COUNTER] = "counter",	[LINEAR_BYTES] = "bytes",
	};

	return kind < LINEAR_KINDS ? names[kind] : "component";
}
