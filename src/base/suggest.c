/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suggest.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Three rows of the usual table are enough for swaps. */
size_t suggest_distance(const char *a, const char *b, size_t limit)
{
	size_t rows[3][LONGEST + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return limit + 1;
	for (size_t j = 0; j <= m; j++)
		last[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t d = last[j - 1] + (a[i - 1] != b[j - 1]);

			d = least(d, least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d = least(d, before[j - 2] + 1);
			row[j] = d;
		}
		before = last;
		last = row;
		row = spare;
	}
	return least(last[m], limit + 1);
}

void suggest_offer(struct suggest *s, const char *known)
{
	size_t limit = strlen(s->word) / 3 + 1;
	size_t d = suggest_distance(s->word, known, limit);

	/* The beginning of a word is near whatever its length. */
	if (strlen(s->word) > 1 &&
	    strncmp(known, s->word, strlen(s->word)) == 0)
		d = 1;
	if (d <= limit && (!s->nearest || d < s->distance)) {
		s->nearest = known;
		s->distance = d;
	}
}
