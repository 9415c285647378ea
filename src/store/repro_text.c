/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `repro`: a key and its values on each line, quoted as in every text
 * of ours (text_line.h).
 */
#include "store/repro.h"

#include <inttypes.h>
#include <string.h>

#include "trace/text_line.h"

#define HEADER "heddle-repro"

static const char *const outcome_texts[OUTCOMES] = {
#define OUTCOME(name, verdict, text) [OUTCOME_##name] = text,
#include "format/outcome.def"
#undef OUTCOME
};

/* ---- writing ---- */

static void write_text(FILE *out, const char *key, const char *value)
{
	if (!value)
		return;
	fprintf(out, "%s ", key);
	text_put_quoted(out, value);
	fputc('\n', out);
}

static void write_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "%s %" PRIu64 "\n", key, value);
}

void repro_write(const struct repro *r, FILE *out)
{
	fprintf(out, HEADER " %d\n", REPRO_VERSION);
	for (size_t i = 0; i < r->arguments.count; i++)
		write_text(out, "argument", r->arguments.at[i]);
	write_text(out, "directory", r->directory);
	for (size_t i = 0; i < r->environment.count; i++)
		write_text(out, "variable", r->environment.at[i]);
	for (size_t i = 0; i < r->inputs.count; i++)
		write_text(out, "input", r->inputs.at[i]);
	for (size_t i = 0; i < r->check.count; i++)
		write_text(out, "check", r->check.at[i]);
	write_text(out, "strategy", r->strategy);
	write_number(out, "seed", r->seed);
	write_number(out, "exec", r->is_exec);
	write_number(out, "points-most", r->points_most);
	write_number(out, "hang-ms", r->hang_ms);
	write_text(out, "outcome", outcome_texts[r->outcome]);
	write_text(out, "identity", r->identity);
	fprintf(out, "schedule 0x%" PRIx64 "\n", r->schedule);
	write_number(out, "points", r->points);
	write_number(out, "wait-status", (uint32_t)r->wait_status);
}

/* ---- reading ---- */

struct reader {
	struct text_line line;
	struct repro *repro;
	bool begun;
};

static int need_word(struct reader *r, const char **word)
{
	*word = line_word(&r->line);
	return *word ? 0 : line_error(&r->line, "a value is missing");
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
		return line_error(&r->line,
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
		return line_error(&r->line,
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
	return line_error(&r->line, "unknown outcome %s", word);
}

static int read_numbers(struct reader *r, const char *key)
{
	uint64_t exec = 0, status = 0;
	const struct {
		const char *key;
		uint64_t *to;
		uint64_t max;
	} numbers[] = {
		{ "seed", &r->repro->seed, UINT64_MAX },
		{ "exec", &exec, 1 },
		{ "points-most", &r->repro->points_most, UINT64_MAX },
		{ "hang-ms", &r->repro->hang_ms, UINT64_MAX },
		{ "schedule", &r->repro->schedule, UINT64_MAX },
		{ "points", &r->repro->points, UINT64_MAX },
		{ "wait-status", &status, UINT32_MAX },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcmp(key, numbers[i].key) != 0)
			continue;
		if (line_number(&r->line, key, numbers[i].max, numbers[i].to) <
		    0)
			return -1;
		r->repro->is_exec |= exec == 1;
		if (numbers[i].to == &status)
			r->repro->wait_status = (int32_t)status;
		return 0;
	}
	return line_error(&r->line, "unknown word %s", key);
}

static int read_header(struct reader *r, const char *word)
{
	uint64_t version;

	if (strcmp(word, HEADER) != 0)
		return line_error(&r->line, "this is no repro: it does not "
					    "begin with " HEADER);
	if (line_number(&r->line, "version", UINT32_MAX, &version) < 0)
		return -1;
	if (version != REPRO_VERSION)
		return line_error(&r->line,
				  "a repro of version %" PRIu64
				  ", but this heddle knows version %d",
				  version, REPRO_VERSION);
	r->begun = true;
	return 0;
}

static int read_line(struct reader *r)
{
	const char *key = line_word(&r->line);
	struct repro *to = r->repro;
	char *word = NULL;

	if (!key)
		return 0;
	if (!r->begun)
		return read_header(r, key);
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
	if (strcmp(key, "strategy") == 0)
		return read_into(r, &to->strategy);
	if (strcmp(key, "identity") == 0)
		return read_into(r, &to->identity);
	if (strcmp(key, "outcome") == 0)
		return read_outcome(r);
	return read_numbers(r, key);
}

static int read_all(struct reader *r, char *text)
{
	char *next;

	for (char *at = text; at; at = next) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		r->line.number++;
		if (line_split(&r->line, at) < 0 || read_line(r) < 0)
			return -1;
		if (r->line.next < r->line.words.count)
			return line_error(&r->line, "too many values");
	}
	if (!r->repro->arguments.count || !*r->repro->arguments.at[0])
		return line_error(&r->line, "it names no program");
	if (!r->repro->identity)
		return line_error(&r->line, "it does not say what failed");
	return 0;
}

int repro_read(struct repro *to, const char *text, size_t size,
	       const char *name, struct err *err)
{
	struct reader r = { .line = { .file = name, .err = err }, .repro = to };
	char *own = xmalloc(size + 1);
	int rc;

	memcpy(own, text, size);
	own[size] = '\0';
	rc = strlen(own) == size ? read_all(&r, own) :
				   err_set(err, "%s: this is no text", name);
	free(own);
	vec_free(&r.line.words);
	return rc;
}
