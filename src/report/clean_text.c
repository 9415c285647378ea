/* SPDX-License-Identifier: Apache-2.0 */
#include "report/clean_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

char *clean_text(const char *text, size_t size)
{
	char *clean = xmalloc(3 * size + 1), *to = clean;

	while (size) {
		size_t n = utf8_length(text, size);

		memcpy(to, n ? text : REPLACEMENT, n ? n : 3);
		to += n ? n : 3;
		text += n ? n : 1;
		size -= n ? n : 1;
	}
	*to = '\0';
	return clean;
}

json_t *clean_json_sized(const char *text, size_t size)
{
	char *clean = clean_text(text, size);
	json_t *j = json_string(clean);

	free(clean);
	return j;
}

json_t *clean_json(const char *text)
{
	return text ? clean_json_sized(text, strlen(text)) : json_null();
}
