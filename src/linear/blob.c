/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/blob.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"

struct blob blob_make(const void *bytes, size_t size)
{
	struct blob b = { xmalloc(size + 1), size };

	if (size)
		memcpy(b.at, bytes, size);
	b.at[size] = '\0';
	return b;
}

struct blob blob_text(const char *text)
{
	return blob_make(text, strlen(text));
}

struct blob blob_copy(struct blob b)
{
	return blob_make(b.at, b.size);
}

void blob_append(struct blob *b, const void *bytes, size_t size)
{
	b->at = xrealloc(b->at, b->size + size + 1);
	if (size)
		memcpy(b->at + b->size, bytes, size);
	b->size += size;
	b->at[b->size] = '\0';
}

void blob_done(struct blob *b)
{
	free(b->at);
	*b = (struct blob){ 0 };
}

bool blob_is_equal(struct blob a, struct blob b)
{
	return a.size == b.size && (!a.size || !memcmp(a.at, b.at, a.size));
}

int blob_order(struct blob a, struct blob b)
{
	if (a.size != b.size)
		return a.size < b.size ? -1 : 1;
	return a.size ? memcmp(a.at, b.at, a.size) : 0;
}

uint64_t blob_hash(struct blob b)
{
	return XXH3_64bits(b.at ? b.at : "", b.size);
}

/* ---- escapes ---- */

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The byte behind a backslash; moves `at` behind it. -1: there is none. */
static int escaped(const char **at)
{
	int high, low;

	switch (*(*at)++) {
	case 'r':
		return '\r';
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '\\':
		return '\\';
	case 'x':
		high = hex_value((*at)[0]);
		low = high < 0 ? -1 : hex_value((*at)[1]);
		if (low < 0)
			return -1;
		*at += 2;
		return high * 16 + low;
	default:
		return -1;
	}
}

struct blob blob_unescape(const char *text)
{
	struct blob b = { xmalloc(strlen(text) + 1), 0 };

	while (*text) {
		int c = (unsigned char)*text++;

		if (c == '\\')
			c = escaped(&text);
		if (c < 0) {
			blob_done(&b);
			return b;
		}
		b.at[b.size++] = (char)c;
	}
	b.at[b.size] = '\0';
	return b;
}

static size_t escape(char *to, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	to[0] = '\\';
	switch (c) {
	case '\r':
		to[1] = 'r';
		return 2;
	case '\n':
		to[1] = 'n';
		return 2;
	case '\t':
		to[1] = 't';
		return 2;
	case '\\':
		to[1] = '\\';
		return 2;
	default:
		break;
	}
	if (c >= ' ' && c < 0x7f) {
		to[0] = (char)c;
		return 1;
	}
	to[1] = 'x';
	to[2] = digits[c >> 4];
	to[3] = digits[c & 15];
	return 4;
}

char *blob_escape(struct blob b, size_t most)
{
	size_t count = most && b.size > most ? most : b.size, n = 0;
	char *text = xmalloc(4 * count + 4);

	for (size_t i = 0; i < count; i++)
		n += escape(text + n, (unsigned char)b.at[i]);
	memcpy(text + n, count < b.size ? ".." : "", count < b.size ? 3 : 1);
	return text;
}
