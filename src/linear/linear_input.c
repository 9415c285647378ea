/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/linear_input.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "analysis/keymap.h"
#include "base/xalloc.h"

enum { REQUESTS_MOST = 16 };

static void input_done(struct linear_input *input)
{
	for (size_t i = 0; i < input->setup.count; i++)
		blob_done(&input->setup.at[i]);
	vec_free(&input->setup);
	for (size_t i = 0; i < input->requests.count; i++)
		blob_done(&input->requests.at[i].text);
	vec_free(&input->requests);
	free(input->name);
}

void linear_inputs_done(struct linear_inputs *inputs)
{
	for (size_t i = 0; i < inputs->all.count; i++)
		input_done(&inputs->all.at[i]);
	vec_free(&inputs->all);
}

uint64_t linear_input_hash(const struct linear_input *input)
{
	uint64_t hash = input->requests.count;

	for (size_t i = 0; i < input->setup.count; i++)
		hash = XXH3_64bits_withSeed(input->setup.at[i].at,
					    input->setup.at[i].size + 1, hash);
	for (size_t i = 0; i < input->requests.count; i++) {
		const struct spec_request *r = &input->requests.at[i];

		hash = XXH3_64bits_withSeed(r->text.at, r->text.size + 1,
					    hash + r->client);
	}
	return hash;
}

void linear_inputs_add_spec(struct linear_inputs *inputs,
			    const struct linear_spec *s)
{
	struct linear_input input = { .name = xstrdup(s->path ? s->path :
								"spec") };

	if (!s->requests.count) {
		free(input.name);
		return;
	}
	for (size_t i = 0; i < s->setup.count; i++)
		vec_push(&input.setup, blob_copy(s->setup.at[i]));
	/* By client, as they are counted. */
	for (uint32_t client = 1; client <= UINT8_MAX; client++)
		for (size_t i = 0; i < s->requests.count; i++)
			if (s->requests.at[i].client == client)
				vec_push(&input.requests,
					 (struct spec_request){
						 client,
						 blob_copy(s->requests.at[i]
								   .text) });
	vec_push(&inputs->all, input);
}

/* ---- scripts ---- */

struct line {
	struct blob text;
	size_t number;
};

struct script {
	const struct linear_spec *s;
	struct linear_inputs *inputs;
	struct keymap known;
	const char *name;
	uint32_t size;
	VEC(struct line) test; /* the one at hand */
};

static bool is_read(const struct linear_spec *s, const char *request)
{
	for (size_t i = 0; i < s->reads.count; i++)
		if (pattern_matches(&s->reads.at[i], request))
			return true;
	return false;
}

static bool is_among(const size_t *chosen, uint32_t size, size_t n)
{
	for (uint32_t i = 0; i < size; i++)
		if (chosen[i] == n)
			return true;
	return false;
}

/* Two requests that only read cannot get in each other's way. */
static bool is_dull(const struct script *c, const size_t *chosen)
{
	for (uint32_t i = 0; i < c->size; i++)
		if (!is_read(c->s, c->test.at[chosen[i]].text.at))
			return false;
	return c->s->reads.count != 0;
}

static char *name_of(const struct script *c, const size_t *chosen)
{
	char *name = xasprintf("%s:%zu", c->name, c->test.at[chosen[0]].number);

	for (uint32_t i = 1; i < c->size; i++) {
		char *longer =
			xasprintf("%s,%zu", name, c->test.at[chosen[i]].number);

		free(name);
		name = longer;
	}
	return name;
}

static void add(struct script *c, const size_t *chosen)
{
	struct linear_input input = { 0 };
	size_t last = chosen[c->size - 1];
	uint64_t hash;

	if (is_dull(c, chosen))
		return;
	for (size_t i = 0; i < c->s->setup.count; i++)
		vec_push(&input.setup, blob_copy(c->s->setup.at[i]));
	for (size_t i = 0; i < last; i++)
		if (!is_among(chosen, c->size, i) &&
		    !is_read(c->s, c->test.at[i].text.at))
			vec_push(&input.setup, blob_copy(c->test.at[i].text));
	for (uint32_t i = 0; i < c->size; i++)
		vec_push(&input.requests,
			 (struct spec_request){
				 i + 1,
				 blob_copy(c->test.at[chosen[i]].text) });
	hash = linear_input_hash(&input);
	if (*keymap_at(&c->known, hash, 0)) {
		c->inputs->repeated++;
		input_done(&input);
		return;
	}
	*keymap_at(&c->known, hash, 0) = 1;
	input.name = name_of(c, chosen);
	vec_push(&c->inputs->all, input);
}

static void choose(struct script *c, size_t *chosen, uint32_t have, size_t from)
{
	if (have == c->size) {
		add(c, chosen);
		return;
	}
	for (size_t i = from; i < c->test.count; i++) {
		chosen[have] = i;
		choose(c, chosen, have + 1, i + 1);
	}
}

static void test_over(struct script *c)
{
	size_t chosen[REQUESTS_MOST];

	choose(c, chosen, 0, 0);
	for (size_t i = 0; i < c->test.count; i++)
		blob_done(&c->test.at[i].text);
	c->test.count = 0;
}

static int read_lines(struct script *c, char *at, struct err *err)
{
	for (size_t number = 1; at; number++) {
		char *newline = strchr(at, '\n');

		if (newline)
			*newline = '\0';
		if (*at == '\0') {
			test_over(c);
		} else if (*at != '#') {
			struct line line = { blob_unescape(at), number };

			if (!line.text.at)
				return err_set(err,
					       "%s:%zu: a backslash begins \\r,"
					       " \\n, \\t, \\\\ or \\xHH",
					       c->name, number);
			vec_push(&c->test, line);
		}
		at = newline ? newline + 1 : NULL;
	}
	test_over(c);
	return 0;
}

int linear_inputs_add_script(struct linear_inputs *inputs,
			     const struct linear_spec *s, const char *text,
			     const char *name, uint32_t size, struct err *err)
{
	const char *slash = strrchr(name, '/');
	struct script c = { .s = s,
			    .inputs = inputs,
			    .name = slash ? slash + 1 : name,
			    .size = size };
	char *copy = xstrdup(text);
	int rc;

	CHECK(size >= 1 && size <= REQUESTS_MOST);
	rc = read_lines(&c, copy, err);
	for (size_t i = 0; i < c.test.count; i++)
		blob_done(&c.test.at[i].text);
	vec_free(&c.test);
	keymap_done(&c.known);
	free(copy);
	return rc;
}
