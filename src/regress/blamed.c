/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/blamed.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "locate/locate.h"

/* ---- reading ---- */

static const char *text_of(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text ? text : "";
}

static char *where_of(const json_t *j)
{
	const char *file = text_of(j, "file"), *slash = strrchr(file, '/');
	const char *function = text_of(j, "function");

	if (!*file)
		return xstrdup(*function ? function : "?");
	return xasprintf("%s (%s:%d)", *function ? function : "?",
			 slash ? slash + 1 : file,
			 (int)json_integer_value(json_object_get(j, "line")));
}

static struct blamed_access access_of(const json_t *j)
{
	return (struct blamed_access){
		.kind = xstrdup(text_of(j, "kind")),
		.function = xstrdup(text_of(j, "function")),
		.source = xstrdup(text_of(j, "source")),
		.where = where_of(j),
	};
}

static void pair_add(struct blamed *b, const json_t *j)
{
	const json_t *head = json_object_get(j, "head");
	const json_t *tail = json_object_get(j, "tail");

	if (!json_is_object(head) || !json_is_object(tail))
		return;
	vec_push(&b->all, (struct blamed_pair){
				  .head = access_of(head),
				  .tail = access_of(tail),
				  .variable = xstrdup(text_of(j, "variable")),
			  });
}

/* What leads back from a pair is as much a part of the cause. */
static void suspect_add(struct blamed *b, const json_t *j)
{
	const json_t *pairs = json_object_get(j, "pairs");

	if (!json_is_true(json_object_get(j, "confirmed")))
		return;
	for (size_t i = 0; i < json_array_size(pairs); i++)
		pair_add(b, json_array_get(pairs, i));
	pair_add(b, json_object_get(j, "back"));
}

/* Gives the object back. */
static void take(struct blamed *b, json_t *j)
{
	const json_t *suspects = json_object_get(j, "suspects");

	*b = (struct blamed){ 0 };
	for (size_t i = 0; i < json_array_size(suspects); i++)
		suspect_add(b, json_array_get(suspects, i));
	json_decref(j);
}

void blamed_read(struct blamed *b, const char *text, size_t size)
{
	take(b, json_loadb(text, size, 0, NULL));
}

void blamed_load(struct blamed *b, const char *directory)
{
	char *path = xasprintf("%s/" LOCATE_FILE ".json", directory);

	take(b, json_load_file(path, 0, NULL));
	free(path);
}

static void access_done(struct blamed_access *a)
{
	free(a->kind);
	free(a->function);
	free(a->source);
	free(a->where);
}

void blamed_done(struct blamed *b)
{
	for (size_t i = 0; i < b->all.count; i++) {
		access_done(&b->all.at[i].head);
		access_done(&b->all.at[i].tail);
		free(b->all.at[i].variable);
	}
	vec_free(&b->all);
}

/* ---- texts ---- */

static bool is_at(const struct blamed_access *a,
		  const struct signature_event *e)
{
	char *where =
		xasprintf("%s (%s:%" PRIu32 ")", e->function, e->file, e->line);
	bool is_same = strcmp(where, a->where) == 0;

	free(where);
	return is_same;
}

static void text_tell(struct blamed_access *a, const struct signature *s)
{
	for (uint32_t k = 0; k < s->count; k++) {
		const struct signature_event *e = &s->events[k];

		if (!*e->source || !is_at(a, e))
			continue;
		free(a->source);
		a->source = xstrdup(e->source);
	}
}

void blamed_tell_texts(struct blamed *b, const struct signatures *s)
{
	for (size_t i = 0; i < b->all.count; i++)
		for (size_t n = 0; n < s->all.count; n++) {
			text_tell(&b->all.at[i].head, &s->all.at[n]);
			text_tell(&b->all.at[i].tail, &s->all.at[n]);
		}
}

/* ---- comparing ---- */

static bool is_same_text(const char *a, const char *b)
{
	return *a && strcmp(a, b) == 0;
}

/* An update is a read and a write. */
static bool is_same_kind(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || strcmp(a, "update") == 0 ||
	       strcmp(b, "update") == 0;
}

static bool is_alike(const struct blamed_access *a,
		     const struct blamed_access *b)
{
	return is_same_kind(a->kind, b->kind) &&
	       (is_same_text(a->function, b->function) ||
		is_same_text(a->source, b->source));
}

/* Of "table.rows[3]" it is "table". Memory without a name has none. */
static size_t name_size(const char *variable)
{
	return strchr(variable, ' ') ? 0 : strcspn(variable, ".[+");
}

static bool is_same_variable(const struct blamed_pair *a,
			     const struct blamed_pair *b)
{
	size_t size = name_size(a->variable);

	return size && size == name_size(b->variable) &&
	       strncmp(a->variable, b->variable, size) == 0;
}

/* Both have names, which differ. */
static bool is_other_variable(const struct blamed_pair *a,
			      const struct blamed_pair *b)
{
	return name_size(a->variable) && name_size(b->variable) &&
	       !is_same_variable(a, b);
}

static enum blamed_likeness likeness(const struct blamed_pair *a,
				     const struct blamed_pair *b)
{
	bool is_other = is_other_variable(a, b);

	if (!is_other && is_alike(&a->head, &b->head) &&
	    is_alike(&a->tail, &b->tail))
		return BLAMED_SAME;
	if (is_same_variable(a, b))
		return BLAMED_NEAR;
	/* One function may do two things to two variables. */
	return is_alike(&a->head, &b->head) || is_alike(&a->tail, &b->tail) ||
			       is_alike(&a->head, &b->tail) ||
			       is_alike(&a->tail, &b->head) ?
		       BLAMED_NEAR :
		       BLAMED_OTHER;
}

enum blamed_likeness blamed_compare(const struct blamed *a,
				    const struct blamed *b, size_t *i,
				    size_t *k)
{
	enum blamed_likeness best = BLAMED_OTHER;

	*i = *k = 0;
	for (size_t x = 0; x < a->all.count; x++)
		for (size_t y = 0; y < b->all.count; y++) {
			enum blamed_likeness l =
				likeness(&a->all.at[x], &b->all.at[y]);

			if (l > best) {
				best = l;
				*i = x;
				*k = y;
			}
		}
	return best;
}

static bool is_event(const struct signature_event *e,
		     const struct blamed_access *a)
{
	return is_same_kind(operation_text(e), a->kind) &&
	       (is_same_text(e->function, a->function) ||
		is_same_text(e->source, a->source));
}

static bool is_in(const struct signature *s, const struct blamed_pair *p)
{
	for (uint32_t i = 0; i < s->count; i++)
		for (uint32_t k = i + 1; k < s->count; k++)
			if (s->events[i].thread != s->events[k].thread &&
			    is_event(&s->events[i], &p->head) &&
			    is_event(&s->events[k], &p->tail))
				return true;
	return false;
}

bool blamed_is_signed(const struct blamed *b, const struct signatures *s,
		      size_t *i)
{
	for (*i = 0; *i < b->all.count; ++*i)
		for (size_t k = 0; k < s->all.count; k++)
			if (is_in(&s->all.at[k], &b->all.at[*i]))
				return true;
	return false;
}
