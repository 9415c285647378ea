/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/fitting.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* ---- replies ---- */

/* Takes out whatever matches. */
static struct blob without(const struct pattern *p, struct blob from)
{
	struct blob to = blob_make("", 0);
	const char *at = from.at;
	regmatch_t m;
	int flags = 0;

	while (*at && regexec(&p->compiled, at, 1, &m, flags) == 0) {
		size_t skipped = (size_t)m.rm_eo;

		blob_append(&to, at, (size_t)m.rm_so);
		if (!skipped || m.rm_eo == m.rm_so) {
			blob_append(&to, at + m.rm_so, 1);
			skipped = (size_t)m.rm_so + 1;
		}
		flags = at[skipped - 1] == '\n' ? 0 : REG_NOTBOL;
		at += skipped;
	}
	blob_append(&to, at, strlen(at));
	return to;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The last line says that it is over, and stays. */
static struct blob sorted(struct blob from)
{
	struct blob to = blob_make("", 0);
	char *copy = xstrdup(from.at), *save = NULL;
	VEC(char *) lines = { 0 };

	for (char *line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		vec_push(&lines, line);
	if (lines.count > 1)
		qsort(lines.at, lines.count - 1, sizeof(*lines.at), by_text);
	for (size_t i = 0; i < lines.count; i++) {
		blob_append(&to, lines.at[i], strlen(lines.at[i]));
		blob_append(&to, "\n", 1);
	}
	vec_free(&lines);
	free(copy);
	return to;
}

static bool any_matches(const struct pattern *all, size_t count,
			const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (pattern_matches(&all[i], text))
			return true;
	return false;
}

struct blob fitting_reply(const struct linear_spec *s, struct blob input,
			  struct blob reply)
{
	struct blob now = blob_copy(reply);

	/* Bytes that are no text are compared as they are. */
	if (!s || memchr(now.at, '\0', now.size))
		return now;
	for (size_t i = 0; i < s->ignored.count; i++) {
		struct blob next = without(&s->ignored.at[i], now);

		blob_done(&now);
		now = next;
	}
	if (any_matches(s->sorted.at, s->sorted.count, input.at)) {
		struct blob next = sorted(now);

		blob_done(&now);
		now = next;
	}
	return now;
}

bool fitting_is_error(const struct linear_spec *s, struct blob reply)
{
	return s && any_matches(s->errors.at, s->errors.count,
				reply.at ? reply.at : "");
}

/* ---- components ---- */

static const struct fitting *rule_of(const struct linear_spec *s,
				     const char *component)
{
	for (size_t i = s ? s->rules.count : 0; i-- > 0;)
		if (regexec(&s->rules.at[i].names, component, 0, NULL, 0) == 0)
			return &s->rules.at[i];
	return NULL;
}

enum fitting_kind fitting_kind(const struct linear_spec *s,
			       const char *component)
{
	const struct fitting *r = rule_of(s, component);

	return r ? r->kind : FITTING_EQUAL;
}

/* What is compared of an element. */
static uint64_t element_hash(const struct linear_spec *s,
			     const struct element *e)
{
	struct blob value;
	uint64_t hash;

	if (!s || !s->ignored.count)
		return e->hash;
	value = fitting_reply(s, (struct blob){ .at = (char *)(uintptr_t) "" },
			      e->value);
	hash = blob_hash(value) + 31 * blob_hash(e->key);
	blob_done(&value);
	return hash;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct hashes {
	VEC(uint64_t) all;
};

static void hashes_sort(struct hashes *h)
{
	if (h->all.count)
		qsort(h->all.at, h->all.count, sizeof(*h->all.at), by_number);
}

/* Those elements of the component that match, or those that do not; all where
 * there is no expression. */
static struct hashes hashes_of(const struct linear_spec *s,
			       const struct component *c,
			       const regex_t *expression, bool matches)
{
	struct hashes h = { 0 };

	for (size_t i = 0; c && i < c->elements.count; i++) {
		const struct element *e = &c->elements.at[i];

		if (!expression || (regexec(expression, e->value.at, 0, NULL,
					    0) == 0) == matches)
			vec_push(&h.all, element_hash(s, e));
	}
	return h;
}

/* Both are sorted. */
static bool is_within(const struct hashes *small, const struct hashes *large)
{
	size_t k = 0;

	for (size_t i = 0; i < small->all.count; i++, k++) {
		while (k < large->all.count &&
		       large->all.at[k] < small->all.at[i])
			k++;
		if (k >= large->all.count ||
		    large->all.at[k] != small->all.at[i])
			return false;
	}
	return true;
}

static bool are_equal(const struct hashes *a, const struct hashes *b)
{
	return a->all.count == b->all.count &&
	       (!a->all.count ||
		memcmp(a->all.at, b->all.at,
		       a->all.count * sizeof(*a->all.at)) == 0);
}

enum relation { SAME, SAME_SORTED, WITHIN, CONTAINS };

static bool relate(const struct linear_spec *s, const struct component *a,
		   const struct component *b, const regex_t *expression,
		   bool matches, enum relation relation)
{
	struct hashes x = hashes_of(s, a, expression, matches);
	struct hashes y = hashes_of(s, b, expression, matches);
	bool fits;

	if (relation != SAME) {
		hashes_sort(&x);
		hashes_sort(&y);
	}
	fits = relation == WITHIN   ? is_within(&x, &y) :
	       relation == CONTAINS ? is_within(&y, &x) :
				      are_equal(&x, &y);
	vec_free(&x.all);
	vec_free(&y.all);
	return fits;
}

bool fitting_component_fits(const struct linear_spec *s,
			    const struct component *a,
			    const struct component *b)
{
	const struct fitting *r = rule_of(s, a ? a->name : b->name);
	bool has_order = (a ? a : b)->kind == LINEAR_SEQUENCE;
	enum relation same = has_order ? SAME : SAME_SORTED;

	if (a && b && a->hash == b->hash)
		return true;
	switch (r ? r->kind : FITTING_EQUAL) {
	case FITTING_IGNORE:
		return true;
	case FITTING_WITHIN:
		return relate(s, a, b, NULL, true, WITHIN);
	case FITTING_CONTAINS:
		return relate(s, a, b, NULL, true, CONTAINS);
	case FITTING_ANY_ORDER:
		if (!r->has_elements)
			return relate(s, a, b, NULL, true, SAME_SORTED);
		return relate(s, a, b, &r->elements, true, SAME_SORTED) &&
		       relate(s, a, b, &r->elements, false, same);
	default:
		return relate(s, a, b, NULL, true, same);
	}
}

/* A component that only one of them has is compared with an empty one. */
bool fitting_state_fits(const struct linear_spec *s,
			const struct components *concurrent,
			const struct components *serial, const char **component)
{
	const char *wrong = NULL;

	for (size_t i = 0; i < concurrent->all.count && !wrong; i++) {
		const struct component *a = &concurrent->all.at[i];

		if (!fitting_component_fits(s, a,
					    components_find(serial, a->name)))
			wrong = a->name;
	}
	for (size_t i = 0; i < serial->all.count && !wrong; i++) {
		const struct component *b = &serial->all.at[i];

		if (!components_find(concurrent, b->name) &&
		    !fitting_component_fits(s, NULL, b))
			wrong = b->name;
	}
	if (component)
		*component = wrong;
	return !wrong;
}

/* ---- for people ---- */

/* The first element of `a` that `b` has fewer of. */
static const struct element *first_missing(const struct component *a,
					   const struct component *b)
{
	for (size_t i = 0; a && i < a->elements.count; i++) {
		uint64_t hash = a->elements.at[i].hash;
		size_t here = 0, there = 0;

		for (size_t k = 0; k <= i; k++)
			here += a->elements.at[k].hash == hash;
		for (size_t k = 0; b && k < b->elements.count; k++)
			there += b->elements.at[k].hash == hash;
		if (here > there)
			return &a->elements.at[i];
	}
	return NULL;
}

static char *element_text(const struct element *e)
{
	enum { MOST = 60 };
	char *value = blob_escape(e->value, MOST), *key, *both;

	if (!e->key.size)
		return value;
	key = blob_escape(e->key, MOST);
	both = xasprintf("%s = %s", key, value);
	free(key);
	free(value);
	return both;
}

char *fitting_difference(const struct linear_spec *s, const char *component,
			 const struct components *concurrent,
			 const struct components *serial)
{
	const struct component *a = components_find(concurrent, component);
	const struct component *b = components_find(serial, component);
	const struct element *more = first_missing(a, b);
	const struct element *less = first_missing(b, a);
	char *has = more ? element_text(more) : NULL;
	char *lacks = less ? element_text(less) : NULL;
	char *text;

	(void)s;
	if (!has && !lacks)
		text = xstrdup("has the same elements in another order");
	else
		text = xasprintf("%s%s%s%s%s", has ? "has " : "",
				 has ? has : "", has && lacks ? ", " : "",
				 lacks ? "lacks " : "", lacks ? lacks : "");
	free(has);
	free(lacks);
	return text;
}

/* ---- objects ---- */

static struct blob word_of(struct blob text, uint32_t number)
{
	const char *at = text.at;

	for (uint32_t n = 1;; n++) {
		size_t length;

		at += strspn(at, " \t");
		length = strcspn(at, " \t\r\n");
		if (n == number || !length)
			return (struct blob){ .at = (char *)(uintptr_t)at,
					      .size = length };
		at += length;
	}
}

bool fitting_are_apart(const struct linear_spec *s, struct blob a,
		       struct blob b)
{
	struct blob x, y;

	if (!s || !s->object || !a.at || !b.at)
		return false;
	x = word_of(a, s->object);
	y = word_of(b, s->object);
	return x.size && y.size && !blob_is_equal(x, y);
}
