/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run's pairs as a file (docs/formats.md): a few lines that say what ran, the
 * names, and a line of numbers for each pair. The names are numbered for the
 * file alone. A file may have millions of pairs, so their lines are read
 * without being taken apart into words.
 */
#include "locate/pair_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/text_form.h"

/* ---- writing ---- */

static void write_end(FILE *out, const struct pair_end *e)
{
	fprintf(out, " %" PRIu32 " %" PRIu32 " %u %u %u %" PRIu32 " %" PRIu32,
		e->place, e->way, e->thread, e->kind, e->loop, e->count,
		e->began);
}

static void write_place(const struct pair_place *p, FILE *out)
{
	fprintf(out, "place %" PRIu32 " 0x%" PRIx64, p->module, p->address);
	if (p->file) {
		fprintf(out, " %d ", p->line);
		text_put_quoted(out, p->file);
		fputc(' ', out);
		text_put_quoted(out, p->function ? p->function : "");
	}
	fputc('\n', out);
}

static void write_names(const struct pair_names *n, FILE *out)
{
	for (size_t i = 0; i < n->modules.count; i++)
		text_put_line(out, "module", n->modules.at[i]);
	for (size_t i = 0; i < n->threads.count; i++)
		text_put_line(out, "thread", n->threads.at[i]);
	for (size_t i = 1; i < n->places.count; i++)
		write_place(&n->places.at[i], out);
	for (size_t i = 1; i < n->ways.count; i++)
		fprintf(out, "way %" PRIu32 " %" PRIu32 "\n",
			n->ways.at[i].place, n->ways.at[i].outer);
}

static const struct text_form form;

void pair_run_write(const struct pair_run *run, const struct pair_names *n,
		    FILE *out)
{
	text_form_write(&form, out);
	text_put_line(out, "command", run->command);
	text_put_line(out, "build", run->build);
	text_put_line(out, "failure", run->failure);
	fprintf(out, "exact %d\nloops %d\ncalm %d\nlost %" PRIu64 "\n",
		run->is_exact, run->has_loops, run->is_calm, run->lost);
	write_names(n, out);
	for (size_t i = 0; i < run->pairs.count; i++) {
		const struct pair_line *p = &run->pairs.at[i];

		fputs("pair", out);
		write_end(out, &p->head);
		write_end(out, &p->tail);
		fprintf(out,
			" %" PRIu32 " %u %" PRIu32 " %" PRIu64 " %" PRIu64
			" %" PRIu64 "\n",
			p->before, p->before_kind, p->times, p->addr, p->first,
			p->last);
	}
}

/* ---- reading ---- */

struct reader {
	struct text_line *line;
	struct pair_names *names;
	struct pair_run *run;
	/* What numbers of the file are here. */
	VEC(uint32_t) modules, threads, places, ways;
};

#define END_FIELDS 7
#define PAIR_FIELDS (2 * END_FIELDS + 6)

/* The numbers of a line of a pair; false: it is none. */
static bool read_numbers(const char *at, uint64_t *v)
{
	for (int i = 0; i < PAIR_FIELDS; i++) {
		uint64_t n = 0;
		int digits = 0;

		if (*at++ != ' ')
			return false;
		for (; *at >= '0' && *at <= '9'; at++, digits++)
			n = n * 10 + (uint64_t)(*at - '0');
		if (!digits || digits > 20)
			return false;
		v[i] = n;
	}
	return !*at;
}

static bool read_end(const struct reader *r, const uint64_t *v,
		     struct pair_end *e)
{
	if (v[0] >= r->places.count || v[1] >= r->ways.count ||
	    v[2] >= r->threads.count || v[3] > PAIR_UPDATE ||
	    v[4] > LOOPS_MOST || v[5] > UINT32_MAX || v[6] > v[5])
		return false;
	*e = (struct pair_end){ .place = r->places.at[v[0]],
				.way = r->ways.at[v[1]],
				.thread = (uint16_t)r->threads.at[v[2]],
				.kind = (uint8_t)v[3],
				.loop = (uint16_t)v[4],
				.count = (uint32_t)v[5],
				.began = (uint32_t)v[6] };
	return true;
}

static int read_pair(struct reader *r, const char *numbers)
{
	uint64_t v[PAIR_FIELDS];
	const uint64_t *rest = v + 2 * END_FIELDS;
	struct pair_line p = { 0 };

	if (!read_numbers(numbers, v) || !read_end(r, v, &p.head) ||
	    !read_end(r, v + END_FIELDS, &p.tail) ||
	    rest[0] >= r->places.count || rest[1] > PAIR_UPDATE ||
	    rest[2] > UINT32_MAX)
		return line_error(r->line, "this is no pair");
	p.before = r->places.at[rest[0]];
	p.before_kind = (uint8_t)rest[1];
	p.times = (uint32_t)rest[2];
	p.addr = rest[3];
	p.first = rest[4];
	p.last = rest[5];
	vec_push(&r->run->pairs, p);
	return 0;
}

/* Line, file and function, if they are there. */
static int read_place_words(struct reader *r, struct pair_place *p)
{
	const char *file, *function;
	uint64_t line;

	if (r->line->next >= r->line->words.count)
		return 0;
	if (line_number(r->line, "line", INT32_MAX, &line) < 0)
		return -1;
	file = line_word(r->line);
	function = line_word(r->line);
	if (!file || !function)
		return line_error(r->line, "a place needs file and function");
	if (!p->file) {
		p->file = xstrdup(file);
		p->function = *function ? xstrdup(function) : NULL;
		p->line = (int)line;
	}
	return 0;
}

static int read_place(struct reader *r)
{
	uint64_t module, address;

	if (!r->modules.count)
		return line_error(r->line, "a place before any module");
	if (line_number(r->line, "module", r->modules.count - 1, &module) < 0 ||
	    line_number(r->line, "address", UINT64_MAX, &address) < 0)
		return -1;
	vec_push(&r->places,
		 pair_place_number(r->names, r->modules.at[module], address));
	return read_place_words(
		r, &r->names->places.at[r->places.at[r->places.count - 1]]);
}

static int read_way(struct reader *r)
{
	uint64_t place, outer;

	if (line_number(r->line, "place", r->places.count - 1, &place) < 0 ||
	    line_number(r->line, "outer", r->ways.count - 1, &outer) < 0)
		return -1;
	vec_push(&r->ways, pair_way_number(r->names, r->places.at[place],
					   r->ways.at[outer]));
	return 0;
}

static int read_word(struct reader *r, char **to)
{
	char *word = line_word(r->line);

	if (!word)
		return line_error(r->line, "a word is missing");
	free(*to);
	*to = xstrdup(word);
	return 0;
}

static int read_flag(struct reader *r, bool *to)
{
	uint64_t v;

	if (line_number(r->line, "flag", 1, &v) < 0)
		return -1;
	*to = v;
	return 0;
}

static int read_name(struct reader *r, const char *key)
{
	char *word = NULL;
	int rc = read_word(r, &word);

	if (rc == 0 && strcmp(key, "module") == 0)
		vec_push(&r->modules, pair_module(r->names, word));
	else if (rc == 0 && r->names->threads.count < UINT16_MAX)
		vec_push(&r->threads, pair_thread_number(r->names, word));
	free(word);
	return rc;
}

static int read_key(struct reader *r, const char *key)
{
	struct pair_run *run = r->run;

	if (strcmp(key, "command") == 0)
		return read_word(r, &run->command);
	if (strcmp(key, "build") == 0)
		return read_word(r, &run->build);
	if (strcmp(key, "failure") == 0)
		return read_word(r, &run->failure);
	if (strcmp(key, "exact") == 0)
		return read_flag(r, &run->is_exact);
	if (strcmp(key, "loops") == 0)
		return read_flag(r, &run->has_loops);
	if (strcmp(key, "calm") == 0)
		return read_flag(r, &run->is_calm);
	if (strcmp(key, "lost") == 0)
		return line_number(r->line, "lost", UINT64_MAX, &run->lost);
	if (strcmp(key, "module") == 0 || strcmp(key, "thread") == 0)
		return read_name(r, key);
	if (strcmp(key, "place") == 0)
		return read_place(r);
	if (strcmp(key, "way") == 0)
		return read_way(r);
	return line_error(r->line, "unknown key \"%s\"", key);
}

static int read_line(struct text_line *l, const char *key, void *of)
{
	struct reader *r = of;

	r->line = l;
	return read_key(r, key);
}

static int read_plain(struct text_line *l, const char *text, void *of)
{
	struct reader *r = of;

	if (strncmp(text, "pair ", 5) != 0)
		return 0;
	r->line = l;
	return read_pair(r, text + 4) < 0 ? -1 : 1;
}

static const struct text_form form = { .what = "file of access pairs",
				       .header = "heddle-pairs",
				       .version = PAIR_RUN_VERSION,
				       .line = read_line,
				       .plain = read_plain };

struct pair_run *pair_run_read(struct pair_names *n, const char *text,
			       size_t size, const char *name, struct err *err)
{
	struct reader r = { .names = n, .run = pair_run_new() };

	r.run->name = xstrdup(name);
	vec_push(&r.places, 0);
	vec_push(&r.ways, 0);
	if (text_form_read(&form, text, size, name, &r, err) < 0) {
		pair_run_free(r.run);
		r.run = NULL;
	}
	vec_free(&r.modules);
	vec_free(&r.threads);
	vec_free(&r.places);
	vec_free(&r.ways);
	return r.run;
}
