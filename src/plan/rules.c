/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/text_line.h"

static const struct {
	const char *text;
	uint8_t kind;
} kinds[] = {
	{ "read", FORCE_READ },	      { "write", FORCE_WRITE },
	{ "acquire", FORCE_ACQUIRE }, { "release", FORCE_RELEASE },
	{ "other", FORCE_OTHER },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

void rules_push(struct rules *r, struct rule rule)
{
	vec_push(&r->all, rule);
}

static char *copy_text(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void rules_copy(struct rules *to, const struct rules *from)
{
	*to = *from;
	memset(&to->all, 0, sizeof(to->all));
	for (size_t i = 0; i < from->all.count; i++) {
		struct rule rule = from->all.at[i];

		rule.note = copy_text(rule.note);
		for (int e = 0; e < FORCE_EVENTS; e++)
			rule.events[e].where = copy_text(rule.events[e].where);
		rules_push(to, rule);
	}
}

void rules_done(struct rules *r)
{
	for (size_t i = 0; i < r->all.count; i++) {
		free(r->all.at[i].note);
		for (int e = 0; e < FORCE_EVENTS; e++)
			free(r->all.at[i].events[e].where);
	}
	vec_free(&r->all);
}

static bool events_are_equal(const struct rule_event *a,
			     const struct rule_event *b)
{
	return a->module == b->module && a->address == b->address &&
	       a->kinds == b->kinds && a->thread == b->thread &&
	       a->object == b->object && a->flags == b->flags &&
	       a->stack == b->stack;
}

static bool is_equal(const struct rule *a, const struct rule *b)
{
	if (a->count != b->count || a->hold_us != b->hold_us ||
	    a->holds != b->holds)
		return false;
	for (uint32_t e = 0; e < a->count; e++)
		if (!events_are_equal(&a->events[e], &b->events[e]))
			return false;
	return true;
}

bool rules_are_equal(const struct rules *a, const struct rules *b)
{
	if (a->all.count != b->all.count || a->window != b->window ||
	    a->is_free != b->is_free || a->flags != b->flags ||
	    a->noise_chance != b->noise_chance || a->noise_us != b->noise_us)
		return false;
	for (size_t i = 0; i < a->all.count; i++)
		if (!is_equal(&a->all.at[i], &b->all.at[i]))
			return false;
	return true;
}

bool rules_are_there(const struct rules *r)
{
	return r->all.count || r->is_free;
}

/* ---- writing ---- */

void rule_kinds_write(const struct rule_event *e, FILE *out)
{
	const char *before = "";

	for (int i = 0; i < KINDS; i++)
		if (e->kinds & kinds[i].kind) {
			fprintf(out, "%s%s", before, kinds[i].text);
			before = "+";
		}
	if (!*before)
		fputs("any", out);
}

static void write_event(const struct rule_event *e, FILE *out)
{
	fputs("event ", out);
	rule_kinds_write(e, out);
	putc(' ', out);
	text_put_quoted(out, e->where ? e->where : "");
	fprintf(out, " thread=%u", e->thread);
	if (e->object != FORCE_ANY_OBJECT)
		fprintf(out, " object=%u", e->object);
	if (e->stack)
		fprintf(out, " stack=0x%" PRIx32, e->stack);
	fprintf(out, " module=%" PRIu32 " address=0x%" PRIx64 " hold=%d\n",
		e->module, e->address, e->flags);
}

void rules_write(const struct rules *r, FILE *out)
{
	if (!rules_are_there(r))
		return;
	fprintf(out,
		"force %s window=%" PRIu32 " flags=%" PRIu32 " noise=%" PRIu32
		" noise-us=%" PRIu32 "\n",
		r->is_free ? "free" : "controlled", r->window, r->flags,
		r->noise_chance, r->noise_us);
	for (size_t i = 0; i < r->all.count; i++) {
		const struct rule *rule = &r->all.at[i];

		fputs("rule ", out);
		text_put_quoted(out, rule->note ? rule->note : "");
		fprintf(out, " hold-us=%" PRIu32 " holds=%" PRIu32 "\n",
			rule->hold_us, rule->holds);
		for (uint32_t e = 0; e < rule->count; e++)
			write_event(&rule->events[e], out);
	}
}

/* ---- reading ---- */

static int read_force(struct rules *r, struct text_line *line)
{
	uint64_t window = 0, flags = 0, noise = 0, noise_us = 0;
	const struct text_field fields[] = {
		{ "window", &window, FORCE_RULES },
		{ "flags", &flags, FORCE_STACKS | FORCE_POISON | FORCE_BARE },
		{ "noise", &noise, 1 << 16 },
		{ "noise-us", &noise_us, 1000 * 1000 },
		{ NULL, NULL, 0 },
	};
	const char *how = line_word(line);

	if (!how ||
	    (strcmp(how, "free") != 0 && strcmp(how, "controlled") != 0))
		return line_error(line, "rules are obeyed free or controlled");
	if (line_fields(line, fields) < 0)
		return -1;
	r->is_free = *how == 'f';
	r->window = (uint32_t)window;
	r->flags = (uint32_t)flags;
	r->noise_chance = (uint32_t)noise;
	r->noise_us = (uint32_t)noise_us;
	return 1;
}

static int read_rule(struct rules *r, struct text_line *line)
{
	uint64_t hold_us = FORCE_HOLD_US, holds = FORCE_HOLDS;
	const struct text_field fields[] = {
		{ "hold-us", &hold_us, FORCE_HOLD_US_MOST },
		{ "holds", &holds, UINT32_MAX },
		{ NULL, NULL, 0 },
	};
	const char *note = line_word(line);
	struct rule rule;

	if (!note)
		return line_error(line, "a rule needs a note, if only \"\"");
	if (line_fields(line, fields) < 0)
		return -1;
	if (r->all.count >= FORCE_RULES)
		return line_error(line, "too many rules");
	rule = (struct rule){ .hold_us = (uint32_t)hold_us,
			      .holds = (uint32_t)holds,
			      .note = *note ? xstrdup(note) : NULL };
	vec_push(&r->all, rule);
	return 1;
}

static int read_kinds(struct text_line *line, char *text, uint8_t *set)
{
	char *rest = NULL;

	*set = 0;
	if (strcmp(text, "any") == 0)
		return 0;
	for (char *word = strtok_r(text, "+", &rest); word;
	     word = strtok_r(NULL, "+", &rest)) {
		int i;

		for (i = 0; i < KINDS; i++)
			if (strcmp(kinds[i].text, word) == 0)
				break;
		if (i == KINDS)
			return line_error(line, "unknown kind %s", word);
		*set |= kinds[i].kind;
	}
	return 0;
}

static int read_event(struct rules *r, struct text_line *line, size_t modules)
{
	uint64_t thread = 0, object = FORCE_ANY_OBJECT, module = 0, address = 0;
	uint64_t hold = 0, stack = 0;
	const struct text_field fields[] = {
		{ "thread", &thread, FORCE_EVENTS - 1 },
		{ "object", &object, FORCE_EVENTS - 1 },
		{ "stack", &stack, UINT32_MAX },
		{ "module", &module, UINT32_MAX },
		{ "address", &address, UINT64_MAX },
		{ "hold", &hold, FORCE_HOLD | FORCE_GATE },
		{ NULL, NULL, 0 },
	};
	char *kind = line_word(line), *where = line_word(line);
	struct rule *rule = r->all.count ? &r->all.at[r->all.count - 1] : NULL;
	struct rule_event e = { 0 };

	if (!rule || rule->count == FORCE_EVENTS || !kind || !where)
		return line_error(line, "an event needs a kind and a place, "
					"and a rule that has room for it");
	if (read_kinds(line, kind, &e.kinds) < 0 ||
	    line_fields(line, fields) < 0)
		return -1;
	if (module >= modules)
		return line_error(line, "there is no module %" PRIu64, module);
	e.module = (uint32_t)module;
	e.address = address;
	e.stack = (uint32_t)stack;
	e.thread = (uint8_t)thread;
	e.object = (uint8_t)object;
	e.flags = (uint8_t)hold;
	e.where = *where ? xstrdup(where) : NULL;
	rule->events[rule->count++] = e;
	return 1;
}

int rules_read_line(struct rules *r, struct text_line *line, const char *word,
		    size_t modules)
{
	if (strcmp(word, "force") == 0)
		return read_force(r, line);
	if (strcmp(word, "rule") == 0)
		return read_rule(r, line);
	if (strcmp(word, "event") == 0)
		return read_event(r, line, modules);
	return 0;
}

int rules_check(const struct rules *r, struct text_line *line)
{
	for (size_t i = 0; i < r->all.count; i++)
		if (r->all.at[i].count < 2)
			return line_error(line,
					  "rule %zu has fewer than two "
					  "events",
					  i);
	return 0;
}
