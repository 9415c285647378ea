/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form of a plan: one thing a line, words and name=number as in every
 * text of ours (text_line.h). A plan comes from strangers too: whatever is
 * written there, numbers are checked against what they index.
 */
#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>

#include "format/event.h"
#include "base/quote.h"
#include "trace/text_form.h"

enum { PRIVATES_A_LINE = 8 };

static const struct {
	const char *text;
	uint32_t flag;
} flags[] = {
	{ "spurious", CONTROL_SPURIOUS },
	{ "all-points", CONTROL_ALL },
	{ "sync-points", CONTROL_SYNC },
};

enum { FLAGS = sizeof(flags) / sizeof(*flags) };

/* ---- reading ---- */

struct reader {
	struct text_line *line; /* under way */
	struct plan *plan;
	bool ended;
};

/* For people to read, in a terminal. */
static char *clean_copy(const char *word)
{
	char *copy = xstrdup(word);

	quote_clean(copy);
	return copy;
}

static int read_flag(struct reader *r)
{
	const char *word = line_word(r->line);

	for (size_t i = 0; word && i < FLAGS; i++)
		if (strcmp(word, flags[i].text) == 0) {
			r->plan->flags |= flags[i].flag;
			return 0;
		}
	return line_error(r->line, "unknown flag %s", word ? word : "");
}

static int read_build_id(struct reader *r, struct plan_module *m,
			 const char *word)
{
	size_t n = word ? strlen(word) : 1;

	if (word && strcmp(word, "-") == 0)
		return 0;
	if (n % 2 || n / 2 > sizeof(m->build_id))
		return line_error(r->line, "no build id");
	for (size_t i = 0; i < n / 2; i++) {
		int high = text_hex_digit(word[2 * i]);
		int low = text_hex_digit(word[2 * i + 1]);

		if (high < 0 || low < 0)
			return line_error(r->line, "no build id: %s", word);
		m->build_id[i] = (uint8_t)(high * 16 + low);
	}
	m->build_id_size = (uint8_t)(n / 2);
	return 0;
}

static int read_module(struct reader *r)
{
	struct plan_module m = { 0 };
	const char *name;
	uint64_t n;

	if (line_number(r->line, "number of the module", REGION_MODULES, &n) <
	    0)
		return -1;
	if (n != r->plan->modules.count)
		return line_error(r->line, "modules are out of order");
	name = line_word(r->line);
	if (!name || !*name || strchr(name, '/'))
		return line_error(r->line, "a module needs a plain name");
	if (read_build_id(r, &m, line_word(r->line)) < 0)
		return -1;
	m.name = xstrdup(name);
	vec_push(&r->plan->modules, m);
	return 0;
}

static int read_thread(struct reader *r)
{
	const char *name;
	uint64_t n;

	if (line_number(r->line, "number of the thread", CONTROL_THREADS, &n) <
	    0)
		return -1;
	name = line_word(r->line);
	if (n != r->plan->threads.count || !name)
		return line_error(r->line, "threads are out of order, or one "
					   "has no name");
	vec_push(&r->plan->threads, clean_copy(name));
	return 0;
}

static int what_of(const char *text)
{
	for (int what = 0; what < STEP_WHATS; what++)
		if (strcmp(text, step_text((unsigned int)what)) == 0)
			return what;
	return -1;
}

/* Of an outside number that indexes: the plan's own modules, threads. */
static int check_step(struct reader *r, const struct plan_step *s)
{
	if (s->module != NO_MODULE && s->module >= r->plan->modules.count)
		return line_error(r->line, "there is no module %" PRIu32,
				  s->module);
	if (s->what <= STEP_YIELD && s->to >= CONTROL_THREADS)
		return line_error(r->line, "there is no thread %" PRIu32,
				  s->to);
	if (r->plan->steps.count >= CONTROL_STEPS)
		return line_error(r->line, "too many steps");
	return 0;
}

static int read_step(struct reader *r, int what)
{
	uint64_t thread = 0, module = NO_MODULE, address = 0, visit = 0, to = 0;
	const struct text_field fields[] = {
		{ "thread", &thread, CONTROL_THREADS - 1 },
		{ "module", &module, REGION_MODULES },
		{ "address", &address, UINT64_MAX },
		{ "visit", &visit, UINT32_MAX },
		{ "to", &to, UINT32_MAX },
		{ NULL, NULL, 0 },
	};
	const char *kind_text = line_word(r->line);
	const char *where = line_word(r->line);
	const char *source = line_word(r->line);
	int kind = event_kind_of(kind_text);
	struct plan_step s;

	if (kind < 0 || !where || !source)
		return line_error(r->line, "a step needs a kind of event and "
					   "a place");
	if (line_fields(r->line, fields) < 0)
		return -1;
	s = (struct plan_step){ .thread = (uint32_t)thread,
				.module = (uint32_t)module,
				.address = address,
				.visit = (uint32_t)visit,
				.to = (uint32_t)to,
				.what = (uint8_t)what,
				.kind = (uint8_t)kind };
	if (check_step(r, &s) < 0)
		return -1;
	s.where = *where ? clean_copy(where) : NULL;
	s.source = *source ? clean_copy(source) : NULL;
	vec_push(&r->plan->steps, s);
	return 0;
}

static int read_privates(struct reader *r)
{
	uint64_t module, address;

	if (line_number(r->line, "number of the module", REGION_MODULES,
			&module) < 0)
		return -1;
	if (module >= r->plan->modules.count)
		return line_error(r->line, "there is no module %" PRIu64,
				  module);
	while (r->line->next < r->line->words.count) {
		if (line_number(r->line, "address", UINT64_MAX, &address) < 0)
			return -1;
		vec_push(&r->plan->privates,
			 (struct plan_private){ .module = (uint32_t)module,
						.address = address });
	}
	return 0;
}

static int read_place(struct reader *r)
{
	uint64_t module = 0, address = 0, nth = 0, line = 0;
	const struct text_field fields[] = {
		{ "module", &module, REGION_MODULES },
		{ "address", &address, UINT64_MAX },
		{ "nth", &nth, UINT32_MAX },
		{ "line", &line, UINT32_MAX },
		{ NULL, NULL, 0 },
	};
	const char *symbol = line_word(r->line);
	const char *function = line_word(r->line);
	const char *text = line_word(r->line);

	if (!symbol || !function || !text)
		return line_error(r->line, "a place needs a symbol, a function "
					   "and the text of its line");
	if (line_fields(r->line, fields) < 0)
		return -1;
	if (module >= r->plan->modules.count)
		return line_error(r->line, "there is no module %" PRIu64,
				  module);
	vec_push(&r->plan->places,
		 (struct plan_place){ .module = (uint32_t)module,
				      .address = address,
				      .symbol = xstrdup(symbol),
				      .function = xstrdup(function),
				      .text = xstrdup(text),
				      .nth = (uint32_t)nth,
				      .line = (uint32_t)line });
	return 0;
}

static int read_count(struct reader *r, const char *what, uint64_t max,
		      uint64_t *to)
{
	return line_number(r->line, what, max, to);
}

static int read_line(struct text_line *l, const char *word, void *of)
{
	struct reader *r = of;
	uint64_t n;
	int what;

	r->line = l;
	if (r->ended)
		return line_error(r->line, "something behind the end");
	if (strcmp(word, "done") == 0) {
		r->ended = true;
		return 0;
	}
	if (strcmp(word, "seed") == 0)
		return read_count(r, "seed", UINT64_MAX, &r->plan->seed);
	if (strcmp(word, "processors") == 0) {
		if (read_count(r, "number of processors", 1 << 16, &n) < 0)
			return -1;
		r->plan->processors = (uint32_t)n;
		return 0;
	}
	if (strcmp(word, "flag") == 0)
		return read_flag(r);
	if (strcmp(word, "module") == 0)
		return read_module(r);
	if (strcmp(word, "thread") == 0)
		return read_thread(r);
	if (strcmp(word, "private") == 0)
		return read_privates(r);
	if (strcmp(word, "place") == 0)
		return read_place(r);
	what = rules_read_line(&r->plan->rules, r->line, word,
			       r->plan->modules.count);
	if (what)
		return what < 0 ? -1 : 0;
	what = what_of(word);
	if (what < 0)
		return line_error(r->line, "unknown word %s", word);
	return read_step(r, what);
}

static int read_whole(struct text_line *l, void *of)
{
	const struct reader *r = of;

	if (!r->ended)
		return line_error(l, "the plan is cut off: it is not done");
	return rules_check(&r->plan->rules, l);
}

static const struct text_form form = { .what = "plan",
				       .header = "heddle-plan",
				       .version = PLAN_VERSION,
				       .line = read_line,
				       .whole = read_whole };

struct plan *plan_read(const char *text, size_t size, const char *name,
		       struct err *err)
{
	struct reader r = { .plan = plan_new() };

	if (text_form_read(&form, text, size, name, &r, err) == 0)
		return r.plan;
	plan_free(r.plan);
	return NULL;
}

/* ---- writing ---- */

static void write_module(const struct plan_module *m, size_t n, FILE *out)
{
	fprintf(out, "module %zu ", n);
	text_put_quoted(out, m->name);
	fputc(' ', out);
	for (unsigned int i = 0; i < m->build_id_size; i++)
		fprintf(out, "%02x", m->build_id[i]);
	fputs(m->build_id_size ? "\n" : "-\n", out);
}

static void write_step(const struct plan_step *s, FILE *out)
{
	fprintf(out, "%s %s ", step_text(s->what), event_text(s->kind));
	text_put_quoted(out, s->where ? s->where : "");
	putc(' ', out);
	text_put_quoted(out, s->source ? s->source : "");
	fprintf(out, " thread=%" PRIu32, s->thread);
	if (s->module != NO_MODULE)
		fprintf(out, " module=%" PRIu32 " address=0x%" PRIx64,
			s->module, s->address);
	fprintf(out, " visit=%" PRIu32 " to=%" PRIu32 "\n", s->visit, s->to);
}

static void write_place(const struct plan_place *p, FILE *out)
{
	fputs("place ", out);
	text_put_quoted(out, p->symbol);
	putc(' ', out);
	text_put_quoted(out, p->function);
	putc(' ', out);
	text_put_quoted(out, p->text);
	fprintf(out,
		" module=%" PRIu32 " address=0x%" PRIx64 " nth=%" PRIu32
		" line=%" PRIu32 "\n",
		p->module, p->address, p->nth, p->line);
}

static void write_privates(const struct plan *p, FILE *out)
{
	uint32_t module = NO_MODULE;
	size_t in_line = 0;

	for (size_t i = 0; i < p->privates.count; i++) {
		const struct plan_private *place = &p->privates.at[i];

		if (place->module != module || in_line == PRIVATES_A_LINE) {
			fprintf(out, "%sprivate %" PRIu32, i ? "\n" : "",
				place->module);
			module = place->module;
			in_line = 0;
		}
		fprintf(out, " 0x%" PRIx64, place->address);
		in_line++;
	}
	if (p->privates.count)
		fputc('\n', out);
}

void plan_write(const struct plan *p, FILE *out)
{
	text_form_write(&form, out);
	fprintf(out, "seed %" PRIu64 "\n", p->seed);
	fprintf(out, "processors %" PRIu32 "\n", p->processors);
	for (size_t i = 0; i < FLAGS; i++)
		if (p->flags & flags[i].flag)
			fprintf(out, "flag %s\n", flags[i].text);
	for (size_t i = 0; i < p->modules.count; i++)
		write_module(&p->modules.at[i], i, out);
	for (size_t i = 0; i < p->threads.count; i++) {
		fprintf(out, "thread %zu ", i);
		text_put_quoted(out, p->threads.at[i]);
		putc('\n', out);
	}
	for (size_t i = 0; i < p->steps.count; i++)
		write_step(&p->steps.at[i], out);
	rules_write(&p->rules, out);
	for (size_t i = 0; i < p->places.count; i++)
		write_place(&p->places.at[i], out);
	write_privates(p, out);
	fputs("done\n", out);
}
