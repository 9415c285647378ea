/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes data of all kinds to standard output, the same for the same seed:
 * text of words drawn by their rank, tables of numbers, runs of one byte, and
 * noise, in pieces of some kilobytes. usage: mixed MEGABYTES [SEED]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 4096, WORD_BYTES = 12, PIECE = 16384, KINDS = 4 };

static uint64_t state;
static char words[WORDS][WORD_BYTES];

static uint64_t draw(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void make_words(void)
{
	for (int i = 0; i < WORDS; i++) {
		uint64_t length = 2 + draw(WORD_BYTES - 3);

		for (uint64_t k = 0; k < length; k++)
			words[i][k] = (char)('a' + draw(1 + draw(26)));
	}
}

/* Each returns the bytes it wrote. */

static long put_word(void)
{
	return printf("%s ", words[draw(1 + draw(1 + draw(WORDS)))]);
}

static long put_row(void)
{
	return printf("%lu,%lu,%lu\n", (unsigned long)draw(100),
		      (unsigned long)(1000000 + draw(5000)),
		      (unsigned long)draw(1 << 20));
}

static long put_run(void)
{
	long count = 1 + (long)draw(500);
	int byte = (int)draw(4);

	for (long i = 0; i < count; i++)
		putchar(byte);
	return count;
}

static long put_noise(void)
{
	uint64_t r = draw(UINT64_MAX);

	return (long)fwrite(&r, 1, sizeof(r), stdout);
}

int main(int argc, char **argv)
{
	static long (*const put[KINDS])(void) = { put_word, put_row, put_run,
						  put_noise };
	long wanted = (argc > 1 ? atol(argv[1]) : 30) * 1000000;
	long written = 0;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	state = state * 0x9e3779b97f4a7c15 | 1;
	make_words();
	while (written < wanted) {
		long (*kind)(void) = put[draw(KINDS)];

		for (long piece = 0; piece < PIECE;) {
			long n = kind();

			piece += n;
			written += n;
		}
	}
	return fflush(stdout) ? 1 : 0;
}
