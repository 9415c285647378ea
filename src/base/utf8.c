/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <stdbool.h>

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

size_t utf8_length(const char *text, size_t size)
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
