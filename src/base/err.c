/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int err_set(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

int err_add(struct err *err, const char *fmt, ...)
{
	char words[sizeof(err->text)];
	char rest[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	memcpy(rest, err->text, sizeof(rest));
	rest[sizeof(rest) - 1] = '\0';
	if (snprintf(err->text, sizeof(err->text), "%s: %s", words, rest) < 0)
		err->text[0] = '\0';
	return -1;
}

void check_failed(const char *file, int line, const char *condition)
{
	fprintf(stderr,
		"heddle: %s:%d: broken assumption: %s; please report this\n",
		file, line, condition);
	abort();
}
