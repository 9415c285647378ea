/* SPDX-License-Identifier: Apache-2.0 */
#include "report/clean_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static size_t length_by_first(unsigned char first)
{
	return first < 0x80		     ? 1 :
	       first >= 0xc2 && first < 0xe0 ? 2 :
	       first >= 0xe0 && first < 0xf0 ? 3 :
	       first >= 0xf0 && first < 0xf5 ? 4 :
					       0;
}

/* Longer than need be, half of a surrogate pair, or beyond the last one. */
static bool is_refused(const unsigned char *s, size_t n)
{
	return (n == 3 && s[0] == 0xe0 && s[1] < 0xa0) ||
	       (n == 3 && s[0] == 0xed && s[1] >= 0xa0) ||
	       (n == 4 && s[0] == 0xf0 && s[1] < 0x90) ||
	       (n == 4 && s[0] == 0xf4 && s[1] >= 0x90);
}

size_t clean_character(const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = size ? length_by_first(s[0]) : 0;

	if (!n || n > size || !s[0])
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return is_refused(s, n) ? 0 : n;
}

char *clean_text(const char *text, size_t size)
{
	char *clean = xmalloc(3 * size + 1), *to = clean;

	while (size) {
		size_t n = clean_character(text, size);

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
