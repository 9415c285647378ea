/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/text_form.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct reader {
	struct text_line line;
	const struct text_form *form;
	void *of;
	bool begun;
};

static int read_header(struct reader *r, const char *word)
{
	const struct text_form *f = r->form;
	uint64_t version;

	if (strcmp(word, f->header) != 0)
		return line_error(&r->line,
				  "this is no %s: it does not begin with %s",
				  f->what, f->header);
	if (line_number(&r->line, "version", UINT32_MAX, &version) < 0)
		return -1;
	if (version != f->version)
		return line_error(&r->line,
				  "a %s of version %" PRIu64
				  ", but this heddle knows version %" PRIu32,
				  f->what, version, f->version);
	r->begun = true;
	return 0;
}

static int read_words(struct reader *r)
{
	const char *key = line_word(&r->line);

	if (!key)
		return 0;
	if (!r->begun)
		return read_header(r, key);
	return r->form->line(&r->line, key, r->of);
}

static int read_line(struct reader *r, char *text)
{
	int rc = 0;

	if (r->begun && r->form->plain)
		rc = r->form->plain(&r->line, text, r->of);
	if (rc)
		return rc;
	if (line_split(&r->line, text) < 0 || read_words(r) < 0)
		return -1;
	if (r->line.next < r->line.words.count)
		return line_error(&r->line, "too many values");
	return 0;
}

static int read_all(struct reader *r, char *text)
{
	char *next;

	for (char *at = text; at; at = next) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		r->line.number++;
		if (read_line(r, at) < 0)
			return -1;
	}
	if (!r->begun)
		return line_error(&r->line,
				  "this is no %s: it does not begin with %s",
				  r->form->what, r->form->header);
	return r->form->whole ? r->form->whole(&r->line, r->of) : 0;
}

int text_form_read(const struct text_form *f, const char *text, size_t size,
		   const char *name, void *of, struct err *err)
{
	struct reader r = { .line = { .file = name, .err = err },
			    .form = f,
			    .of = of };
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

void text_form_write(const struct text_form *f, FILE *out)
{
	fprintf(out, "%s %" PRIu32 "\n", f->header, f->version);
}
