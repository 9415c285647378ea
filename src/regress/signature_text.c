/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures as text, in the manner of all our texts (text_line.h): a line for
 * each event, with lines for the calls of its stack behind it. It may come from
 * a stranger, so every number is checked against what it counts.
 */
#include "regress/signature.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "trace/text_form.h"

enum { SIGNATURES_MOST = 64 };

/* ---- reading ---- */

struct reader {
	struct text_line *line; /* under way */
	struct signatures *to;
	bool ended;
};

static struct signature *present(struct reader *r)
{
	size_t count = r->to->all.count;

	return count ? &r->to->all.at[count - 1] : NULL;
}

/* A signature that is over has at least two events. */
static int check_present(struct reader *r)
{
	const struct signature *s = present(r);

	if (s && s->count < 2)
		return line_error(r->line, "a signature has two events or "
					   "more");
	return 0;
}

static int read_signature(struct reader *r)
{
	uint64_t triggered = 0, tried = 0;
	const struct text_field fields[] = {
		{ "triggered", &triggered, UINT32_MAX },
		{ "tried", &tried, UINT32_MAX },
		{ NULL, NULL, 0 },
	};

	if (check_present(r) < 0 || line_fields(r->line, fields) < 0)
		return -1;
	if (r->to->all.count == SIGNATURES_MOST)
		return line_error(r->line, "too many signatures");
	vec_push(&r->to->all,
		 (struct signature){ .tried = (uint32_t)tried,
				     .triggered = (uint32_t)triggered });
	return 0;
}

static int read_words(struct reader *r, struct signature_event *e)
{
	char **words[] = { &e->function, &e->file,   &e->source,
			   &e->variable, &e->module, &e->holder };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *word = line_word(r->line);

		if (!word)
			return line_error(r->line, "an event needs six words "
						   "behind its kind");
		*words[i] = xstrdup(word);
	}
	return 0;
}

static int read_event(struct reader *r)
{
	uint64_t thread = 0, object = 0, line = 0, address = 0, offset = 0;
	const struct text_field fields[] = {
		{ "thread", &thread, HUNT_EVENTS - 1 },
		{ "object", &object, HUNT_ANY_OBJECT },
		{ "line", &line, UINT32_MAX },
		{ "address", &address, UINT64_MAX },
		{ "offset", &offset, UINT64_MAX },
		{ NULL, NULL, 0 },
	};
	int kind = event_kind_of(line_word(r->line));
	struct signature *s = present(r);
	struct signature_event *e;

	if (kind < 0)
		return line_error(r->line, "an event needs its kind");
	if (!s || s->count == HUNT_EVENTS)
		return line_error(r->line, "an event outside of a signature, "
					   "or too many");
	e = &s->events[s->count++];
	*e = (struct signature_event){ .kind = (uint8_t)kind };
	if (read_words(r, e) < 0 || line_fields(r->line, fields) < 0)
		return -1;
	e->thread = (uint32_t)thread;
	e->object = (uint32_t)object;
	e->line = (uint32_t)line;
	e->address = address;
	e->offset = offset;
	return 0;
}

static int read_frame(struct reader *r)
{
	const char *word = line_word(r->line);
	struct signature *s = present(r);
	struct signature_event *e;

	if (!word || !s || !s->count)
		return line_error(r->line, "a frame needs its function, and "
					   "an event before it");
	e = &s->events[s->count - 1];
	if (e->frames.count == HUNT_FRAMES)
		return line_error(r->line, "too many frames");
	vec_push(&e->frames, xstrdup(word));
	return 0;
}

static int read_line(struct text_line *line, const char *word, void *of)
{
	struct reader *r = of;

	r->line = line;
	if (r->ended)
		return line_error(line, "something behind the end");
	if (strcmp(word, "done") == 0) {
		r->ended = true;
		return check_present(r);
	}
	if (strcmp(word, "signature") == 0)
		return read_signature(r);
	if (strcmp(word, "event") == 0)
		return read_event(r);
	if (strcmp(word, "frame") == 0)
		return read_frame(r);
	return line_error(line, "unknown word %s", word);
}

static int read_whole(struct text_line *line, void *of)
{
	const struct reader *r = of;

	if (!r->ended)
		return line_error(line, "the signature is cut off: it is not "
					"done");
	return 0;
}

static const struct text_form form = {
	.what = "signature",
	.header = "heddle-signature",
	.version = SIGNATURE_VERSION,
	.line = read_line,
	.whole = read_whole,
};

int signatures_read(struct signatures *s, const char *text, size_t size,
		    const char *name, struct err *err)
{
	struct reader r = { .to = s };
	int rc;

	*s = (struct signatures){ 0 };
	rc = text_form_read(&form, text, size, name, &r, err);
	if (rc < 0)
		signatures_done(s);
	return rc;
}

/* ---- writing ---- */

static void write_word(const char *word, FILE *out)
{
	putc(' ', out);
	text_put_quoted(out, word ? word : "");
}

static void write_event(const struct signature_event *e, FILE *out)
{
	fprintf(out, "event %s", event_text(e->kind));
	write_word(e->function, out);
	write_word(e->file, out);
	write_word(e->source, out);
	write_word(e->variable, out);
	write_word(e->module, out);
	write_word(e->holder, out);
	fprintf(out,
		" thread=%" PRIu32 " object=%" PRIu32 " line=%" PRIu32
		" address=0x%" PRIx64 " offset=0x%" PRIx64 "\n",
		e->thread, e->object, e->line, e->address, e->offset);
	for (size_t i = 0; i < e->frames.count; i++) {
		fputs("frame", out);
		write_word(e->frames.at[i], out);
		putc('\n', out);
	}
}

void signatures_write(const struct signatures *s, FILE *out)
{
	text_form_write(&form, out);
	for (size_t i = 0; i < s->all.count; i++) {
		const struct signature *one = &s->all.at[i];

		fprintf(out,
			"signature triggered=%" PRIu32 " tried=%" PRIu32 "\n",
			one->triggered, one->tried);
		for (uint32_t k = 0; k < one->count; k++)
			write_event(&one->events[k], out);
	}
	fputs("done\n", out);
}

/* ---- the file ---- */

int signatures_save(const struct signatures *s, const char *directory,
		    struct err *err)
{
	char *path = xasprintf("%s/signature", directory);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc;

	signatures_write(s, out);
	fclose(out);
	rc = file_write(path, text, err);
	free(text);
	free(path);
	return rc;
}

int signatures_load(struct signatures *s, const char *directory,
		    struct err *err)
{
	char *path = xasprintf("%s/signature", directory);
	size_t size;
	char *text;
	int rc = -1;

	*s = (struct signatures){ 0 };
	if (access(path, F_OK) < 0 && errno == ENOENT) {
		free(path);
		return 0;
	}
	text = file_read(path, &size, err);
	if (text)
		rc = signatures_read(s, text, size, path, err);
	free(text);
	free(path);
	return rc;
}
