/* SPDX-License-Identifier: Apache-2.0 */
#include "report/junit.h"

#include <string.h>

#include "base/utf8.h"
#include "report/clean_text.h"

/* Control characters have no place in XML 1.0, not even escaped. */
static bool is_refused(const char *s, size_t n)
{
	if (n == 1)
		return (unsigned char)*s < 0x20 && !strchr("\t\n\r", *s);
	return n == 3 && memcmp(s, "\xef\xbf", 2) == 0 &&
	       (unsigned char)s[2] >= 0xbe;
}

/* An attribute's blanks are all alike to a reader, unless they are escaped. */
static void character(const char *s, size_t n, bool in_attribute, FILE *out)
{
	static const char *const names[] = {
		['<'] = "&lt;",
		['>'] = "&gt;",
		['&'] = "&amp;",
		['"'] = "&quot;",
	};
	unsigned char c = (unsigned char)*s;

	if (n == 1 && c < sizeof(names) / sizeof(*names) && names[c])
		fputs(names[c], out);
	else if (c == '\r' || (in_attribute && c < ' '))
		fprintf(out, "&#%d;", c);
	else
		fwrite(s, 1, n, out);
}

static void escaped(const char *text, bool in_attribute, FILE *out)
{
	size_t size = strlen(text);

	while (size) {
		size_t n = utf8_length(text, size);

		if (!n || is_refused(text, n))
			fputs("\xef\xbf\xbd", out);
		else
			character(text, n, in_attribute, out);
		text += n ? n : 1;
		size -= n ? n : 1;
	}
}

static void attribute(const char *name, const char *text, FILE *out)
{
	if (!text)
		return;
	fprintf(out, " %s=\"", name);
	escaped(text, true, out);
	putc('"', out);
}

static void element(const char *name, const char *text, FILE *out)
{
	if (!text || !*text)
		return;
	fprintf(out, "      <%s>", name);
	escaped(text, false, out);
	fprintf(out, "</%s>\n", name);
}

/* ---- cases ---- */

static bool is_failure(const struct junit_case *c)
{
	return c->status == EXIT_BROKEN && !c->is_known;
}

static bool is_error(const struct junit_case *c)
{
	return c->status != EXIT_BROKEN && c->status != EXIT_HELD;
}

static bool is_skipped(const struct junit_case *c)
{
	return c->status == EXIT_BROKEN && c->is_known;
}

static const char *tag(const struct junit_case *c)
{
	return is_failure(c) ? "failure" :
	       is_error(c)   ? "error" :
	       is_skipped(c) ? "skipped" :
			       NULL;
}

static void verdict_write(const struct junit_case *c, FILE *out)
{
	const char *name = tag(c);

	if (!name)
		return;
	fprintf(out, "      <%s", name);
	attribute("message", c->message, out);
	/* A skipped case has no type in any of the schemas. */
	if (!is_skipped(c))
		attribute("type", c->kind ? c->kind : verdict_text(c->status),
			  out);
	putc('>', out);
	if (c->text && !is_skipped(c))
		escaped(c->text, false, out);
	fprintf(out, "</%s>\n", name);
}

static void case_write(const struct junit_case *c, const char *suite, FILE *out)
{
	fputs("    <testcase", out);
	attribute("classname", c->group ? c->group : suite, out);
	attribute("name", c->name, out);
	fprintf(out, " time=\"%.3f\">\n", c->seconds);
	verdict_write(c, out);
	element("system-out", c->output, out);
	fputs("    </testcase>\n", out);
}

static size_t count(const struct junit_suite *s,
		    bool (*is)(const struct junit_case *))
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		n += is(&s->cases[i]);
	return n;
}

static void head(const char *element_name, const struct junit_suite *s,
		 FILE *out)
{
	double seconds = 0;

	for (size_t i = 0; i < s->count; i++)
		seconds += s->cases[i].seconds;
	fprintf(out, "<%s", element_name);
	attribute("name", s->name, out);
	fprintf(out,
		" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		"skipped=\"%zu\" time=\"%.3f\">\n",
		s->count, count(s, is_failure), count(s, is_error),
		count(s, is_skipped), seconds);
}

void junit_write(const struct junit_suite *s, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	head("testsuites", s, out);
	fputs("  ", out);
	head("testsuite", s, out);
	for (size_t i = 0; i < s->count; i++)
		case_write(&s->cases[i], s->name, out);
	fputs("  </testsuite>\n</testsuites>\n", out);
}
