/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PUT_H
#define HEDDLE_PUT_H

/*
 * Text where stdio must not be: in the guest, and in what both sides do. Each
 * writes at `to`, puts a zero byte behind and returns where that is, so that
 * calls nest:
 *
 *	put_text(put_number(put_text(path, "/proc/"), pid), "/stat");
 *
 * The caller has the room: PUT_NUMBER bytes for a number.
 */

#include <stddef.h>
#include <stdint.h>

enum { PUT_NUMBER = 21 }; /* digits of the largest, and the zero byte */

static inline char *put_text(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static inline char *put_number(char *to, uint64_t number)
{
	char digits[PUT_NUMBER];
	size_t n = sizeof(digits);

	digits[--n] = '\0';
	do {
		digits[--n] = (char)('0' + number % 10);
	} while (number /= 10);
	return put_text(to, digits + n);
}

#endif
