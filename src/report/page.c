/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page.h"

#include <string.h>

/* The template up to a mark, and what is behind it. */
static const char *put_until(const char *text, const char *mark, FILE *out)
{
	const char *at = strstr(text, mark);

	CHECK(at);
	fwrite(text, 1, (size_t)(at - text), out);
	return at + strlen(mark);
}

void page_write(const struct document *d, FILE *out)
{
	const char *rest = (const char *)page_html;

	rest = put_until(rest, "/* page.css */", out);
	fputs((const char *)page_css, out);
	rest = put_until(rest, "\n\"data\"\n", out);
	putc('\n', out);
	document_write(d, true, out);
	rest = put_until(rest, "/* page.js */", out);
	fputs((const char *)lanes_js, out);
	fputs((const char *)overview_js, out);
	fputs((const char *)linear_js, out);
	fputs((const char *)page_js, out);
	fputs(rest, out);
}
