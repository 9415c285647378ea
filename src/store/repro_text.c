/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `repro`: a key and its values on each line, quoted as in every text
 * of ours (text_line.h).
 */
#include "store/repro.h"

#include <inttypes.h>
#include <string.h>

#include "trace/text_form.h"

static const char *const outcome_texts[OUTCOMES] = {
#define OUTCOME(name, verdict, text) [OUTCOME_##name] = text,
#include "format/outcome.def"
#undef OUTCOME
};

/* ---- reading ---- */

struct reader {
	struct text_line *line; /* under way */
	struct repro *repro;
};

static int need_word(struct reader *r, const char **word)
{
	*word = line_word(r->line);
	return *word ? 0 : line_error(r->line, "a value is missing");
}

static int read_into(struct reader *r, char **to)
{
	const char *word;

	if (need_word(r, &word) < 0)
		return -1;
	free(*to);
	*to = xstrdup(word);
	return 0;
}

static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static int read_input(struct reader *r)
{
	const char *word;

	if (need_word(r, &word) < 0)
		return -1;
	if (!is_plain_name(word))
		return line_error(r->line,
				  "%s: an input file needs a plain name", word);
	vec_push(&r->repro->inputs, xstrdup(word));
	return 0;
}

static int read_variable(struct reader *r)
{
	const char *word;

	if (need_word(r, &word) < 0)
		return -1;
	if (!repro_is_harmless(word))
		return line_error(r->line,
				  "%s: this variable is not taken from a repro",
				  word);
	vec_push(&r->repro->environment, xstrdup(word));
	return 0;
}

static int read_outcome(struct reader *r)
{
	const char *word;

	if (need_word(r, &word) < 0)
		return -1;
	for (uint32_t i = 0; i < OUTCOMES; i++)
		if (strcmp(word, outcome_texts[i]) == 0) {
			r->repro->outcome = i;
			return 0;
		}
	return line_error(r->line, "unknown outcome %s", word);
}

static int read_numbers(struct reader *r, const char *key)
{
	uint64_t exec = 0, idle = 0, status = 0;
	const struct {
		const char *key;
		uint64_t *to;
		uint64_t max;
	} numbers[] = {
		{ "seed", &r->repro->seed, UINT64_MAX },
		{ "exec", &exec, 1 },
		{ "ready-idle", &idle, 1 },
		{ "points-most", &r->repro->points_most, UINT64_MAX },
		{ "hang-ms", &r->repro->hang_ms, UINT64_MAX },
		{ "schedule", &r->repro->schedule, UINT64_MAX },
		{ "points", &r->repro->points, UINT64_MAX },
		{ "wait-status", &status, UINT32_MAX },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcmp(key, numbers[i].key) != 0)
			continue;
		if (line_number(r->line, key, numbers[i].max, numbers[i].to) <
		    0)
			return -1;
		r->repro->is_exec |= exec == 1;
		r->repro->is_ready_idle |= idle == 1;
		if (numbers[i].to == &status)
			r->repro->wait_status = (int32_t)status;
		return 0;
	}
	return line_error(r->line, "unknown word %s", key);
}

static int read_line(struct text_line *l, const char *key, void *of)
{
	struct repro *to = of;
	struct reader reading = { .line = l, .repro = to }, *r = &reading;
	char *word = NULL;

	if (strcmp(key, "argument") == 0) {
		if (read_into(r, &word) < 0)
			return -1;
		vec_push(&to->arguments, word);
		return 0;
	}
	if (strcmp(key, "check") == 0) {
		if (read_into(r, &word) < 0)
			return -1;
		vec_push(&to->check, word);
		return 0;
	}
	if (strcmp(key, "directory") == 0)
		return read_into(r, &to->directory);
	if (strcmp(key, "variable") == 0)
		return read_variable(r);
	if (strcmp(key, "input") == 0)
		return read_input(r);
	if (strcmp(key, "origin") == 0)
		return read_into(r, &to->origin);
	if (strcmp(key, "strategy") == 0)
		return read_into(r, &to->strategy);
	if (strcmp(key, "identity") == 0)
		return read_into(r, &to->identity);
	if (strcmp(key, "outcome") == 0)
		return read_outcome(r);
	return read_numbers(r, key);
}

static int read_whole(struct text_line *l, void *of)
{
	const struct repro *r = of;

	if (!r->arguments.count || !*r->arguments.at[0])
		return line_error(l, "it names no program");
	if (!r->identity)
		return line_error(l, "it does not say what failed");
	return 0;
}

static const struct text_form form = { .what = "repro",
				       .header = "heddle-repro",
				       .version = REPRO_VERSION,
				       .line = read_line,
				       .whole = read_whole };

int repro_read(struct repro *to, const char *text, size_t size,
	       const char *name, struct err *err)
{
	return text_form_read(&form, text, size, name, to, err);
}

/* ---- writing ---- */

static void write_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "%s %" PRIu64 "\n", key, value);
}

void repro_write(const struct repro *r, FILE *out)
{
	text_form_write(&form, out);
	for (size_t i = 0; i < r->arguments.count; i++)
		text_put_line(out, "argument", r->arguments.at[i]);
	text_put_line(out, "directory", r->directory);
	for (size_t i = 0; i < r->environment.count; i++)
		text_put_line(out, "variable", r->environment.at[i]);
	for (size_t i = 0; i < r->inputs.count; i++)
		text_put_line(out, "input", r->inputs.at[i]);
	for (size_t i = 0; i < r->check.count; i++)
		text_put_line(out, "check", r->check.at[i]);
	text_put_line(out, "origin", r->origin);
	text_put_line(out, "strategy", r->strategy);
	write_number(out, "seed", r->seed);
	write_number(out, "exec", r->is_exec);
	if (r->is_ready_idle)
		write_number(out, "ready-idle", 1);
	write_number(out, "points-most", r->points_most);
	write_number(out, "hang-ms", r->hang_ms);
	text_put_line(out, "outcome", outcome_texts[r->outcome]);
	text_put_line(out, "identity", r->identity);
	fprintf(out, "schedule 0x%" PRIx64 "\n", r->schedule);
	write_number(out, "points", r->points);
	write_number(out, "wait-status", (uint32_t)r->wait_status);
}
