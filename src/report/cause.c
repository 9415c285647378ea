/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cause.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/wording.h"

static const char *text_of(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text ? text : "?";
}

char *cause_place(const json_t *access)
{
	const char *file = json_string_value(json_object_get(access, "file"));
	json_int_t line = json_integer_value(json_object_get(access, "line"));

	if (file && line > 0)
		return xasprintf("%s:%d", word_file(file), (int)line);
	return xstrdup(text_of(access, "function"));
}

/* Those that were confirmed come first. */
static const json_t *confirmed_of(const json_t *located)
{
	const json_t *first =
		json_array_get(json_object_get(located, "suspects"), 0);
	bool is_whole = json_is_string(json_object_get(first, "sentence")) &&
			json_array_size(json_object_get(first, "pairs")) > 0;

	if (!is_whole || !json_is_true(json_object_get(first, "confirmed")))
		return NULL;
	return first;
}

static bool is_order(const json_t *suspect)
{
	return strcmp(text_of(suspect, "kind"), "order") == 0;
}

static bool is_of_several(const json_t *suspect)
{
	return json_array_size(json_object_get(suspect, "pairs")) > 1;
}

/* ---- words ---- */

static bool is_at(const struct witness *w, uint32_t step, const json_t *access)
{
	char *here = culprit_place(w, step), *there = cause_place(access);
	bool is_same = strcmp(here, there) == 0;

	free(here);
	free(there);
	return is_same;
}

static const char *heap_name(const struct witness *w,
			     const struct witness_step *s)
{
	if (s->location == WITNESS_NONE ||
	    w->locations.at[s->location].kind != LOCATION_HEAP)
		return NULL;
	return w->locations.at[s->location].name;
}

/* What the step at the place of an access used. */
static const char *name_used(const struct witness *w, const json_t *access)
{
	if (!json_object_get(access, "file"))
		return NULL;
	for (size_t i = w->steps.count; i--;) {
		const char *name = heap_name(w, &w->steps.at[i]);

		if (name && is_at(w, (uint32_t)i, access))
			return name;
	}
	return NULL;
}

/* Pairs know where memory of the heap is, in the run they are of; a witness
 * knows what it is. */
static const char *name_of(const struct witness *w, const json_t *pair)
{
	const char *variable = text_of(pair, "variable"), *name = NULL;
	json_int_t address =
		json_integer_value(json_object_get(pair, "address"));

	for (size_t i = 0; w && address && i < w->steps.count; i++) {
		const struct witness_step *s = &w->steps.at[i];

		if (s->address == (uint64_t)address && heap_name(w, s))
			return heap_name(w, s);
	}
	if (w && strncmp(variable, "memory at ", 10) == 0)
		name = name_used(w, json_object_get(pair, "tail"));
	return name ? name : variable;
}

/* With each `from` in it made `to`; the caller frees. */
static char *replaced(const char *text, const char *from, const char *to)
{
	size_t length = strlen(from), size;
	const char *at;
	char *all;
	FILE *out = open_memstream(&all, &size);

	if (!out)
		abort();
	for (; length && (at = strstr(text, from)); text = at + length)
		fprintf(out, "%.*s%s", (int)(at - text), text, to);
	fputs(text, out);
	fclose(out);
	return all;
}

static char *sentence_of(const struct witness *w, const json_t *suspect)
{
	const json_t *pairs = json_object_get(suspect, "pairs");
	char *text = xstrdup(text_of(suspect, "sentence"));

	for (size_t i = 0; i < json_array_size(pairs); i++) {
		const json_t *pair = json_array_get(pairs, i);
		char *better = replaced(text, text_of(pair, "variable"),
					name_of(w, pair));

		free(text);
		text = better;
	}
	return text;
}

static char *title_of(const struct witness *w, const json_t *suspect)
{
	const json_t *pairs = json_object_get(suspect, "pairs");
	const json_t *pair = json_array_get(pairs, 0);
	const char *x = name_of(w, pair);
	const char *y = name_of(w, json_array_get(pairs, 1));
	char *place, *title;

	if (is_of_several(suspect) && strcmp(x, y) != 0)
		return xasprintf("atomicity violation on `%s` and `%s`", x, y);
	place = cause_place(json_object_get(pair, "tail"));
	title = xasprintf("%s violation on `%s` (%s)",
			  is_order(suspect) ? "order" : "atomicity", x, place);
	free(place);
	return title;
}

/* ---- do the steps show it? ---- */

static bool is_pair(const struct witness *w, uint32_t a, uint32_t b,
		    const json_t *pair)
{
	return a != WITNESS_NONE && b != WITNESS_NONE &&
	       is_at(w, a, json_object_get(pair, "head")) &&
	       is_at(w, b, json_object_get(pair, "tail"));
}

/* One of the steps right before the other, as it was confirmed, and the bug of
 * the same kind. */
static bool shows(const struct witness *w, const struct culprit *c,
		  const json_t *suspect)
{
	const json_t *pair =
		json_array_get(json_object_get(suspect, "pairs"), 0);

	if (is_of_several(suspect) ||
	    json_is_true(json_object_get(suspect, "missing")) ||
	    is_order(suspect) != (c->kind == CULPRIT_ORDER))
		return false;
	return is_pair(w, c->first, c->between, pair) ||
	       is_pair(w, c->between, c->last, pair);
}

struct cause cause_find(const struct witness *w, const struct culprit *c,
			const json_t *located)
{
	bool has_guess = w && c->kind != CULPRIT_NONE;
	struct cause cause = { .confirmed = confirmed_of(located) };

	if (cause.confirmed) {
		cause.title = title_of(w, cause.confirmed);
		cause.advice = sentence_of(w, cause.confirmed);
		cause.has_steps = has_guess && shows(w, c, cause.confirmed);
	} else if (has_guess) {
		cause.title = culprit_title(w, c);
		cause.advice = culprit_advice(w, c);
		cause.has_steps = true;
	}
	return cause;
}

void cause_done(struct cause *c)
{
	free(c->title);
	free(c->advice);
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "slots" is in "global slots: ..." and "global box.slots+4", and not in
 * "global slots_free". */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; length && (at = strstr(at, word)); at++)
		if ((at == text || !is_of_name(at[-1])) &&
		    !is_of_name(at[length]))
			return true;
	return false;
}

bool cause_is_told_in(const struct cause *c, const char *text)
{
	const json_t *pairs = json_object_get(c->confirmed, "pairs");

	for (size_t i = 0; i < json_array_size(pairs); i++)
		if (!has_word(text,
			      text_of(json_array_get(pairs, i), "variable")))
			return false;
	return c->confirmed && text;
}
