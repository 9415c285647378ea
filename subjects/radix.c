/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An integer radix sort: for each digit of the keys, from the last to the
 * first, every process counts the digits in its part, sees from the counts of
 * all where its keys belong, and puts them there. After the last digit only the
 * end of the processes is waited for; main then looks whether the keys ascend
 * and are still the same.
 *
 * bug:      LOCON Table 2 and Figure 5, RADIX, with the wrong macro of CTrigger
 *           Table 2
 * kind:     order violation through a wrong macro (LOCON row 2: R W)
 * threads:  main and 2 processes
 * failure:  wrong result (exit status 1)
 * accesses: read of a sorted key by main, write of it by the last process
 * natively: in some of ten runs where processors are few, else rare
 * twins:    -DFIXED repairs WAIT_FOR_END, see wait_macros.h
 * sizes:    keys, bits of a digit
 */
#include "wait_macros.h"

#define PROCESSES 3
#define DIGITS 2
#define BITS_MAX 8

static unsigned *keys[2];
static int counts[PROCESSES][1 << BITS_MAX];
static int key_count;
static int bits;

static unsigned digit_of(unsigned key, int digit)
{
	return (key >> (digit * bits)) & ((1u << bits) - 1);
}

static int part_begin(int process)
{
	return (int)((long)key_count * process / PROCESSES);
}

static void count_digits(int process, int digit)
{
	const unsigned *from = keys[digit % 2];
	int own[1 << BITS_MAX] = { 0 };

	for (int i = part_begin(process); i < part_begin(process + 1); i++)
		own[digit_of(from[i], digit)]++;
	for (int value = 0; value < 1 << bits; value++)
		counts[process][value] = own[value];
}

/* Where the first key of a process with each value of the digit belongs. */
static void rank_digits(int process, int *ranks)
{
	int below = 0;

	for (int value = 0; value < 1 << bits; value++) {
		for (int i = 0; i < PROCESSES; i++) {
			if (i == process)
				ranks[value] = below;
			below += counts[i][value];
		}
	}
}

static void permute(int process, int digit)
{
	const unsigned *from = keys[digit % 2];
	unsigned *to = keys[(digit + 1) % 2];
	int ranks[1 << BITS_MAX];

	rank_digits(process, ranks);
	for (int i = part_begin(process); i < part_begin(process + 1); i++)
		to[ranks[digit_of(from[i], digit)]++] = from[i];
}

static void *slave_sort(void *arg)
{
	int process = *(int *)arg;

	for (int digit = 0; digit < DIGITS; digit++) {
		count_digits(process, digit);
		BARRIER();
		permute(process, digit);
		if (digit + 1 < DIGITS)
			BARRIER();
	}
	return NULL;
}

/* The sum tells whether any is missing. */
static unsigned keys_make(void)
{
	unsigned sum = 0;

	for (int i = 0; i < 2; i++) {
		keys[i] = calloc((size_t)key_count, sizeof(*keys[i]));
		if (!keys[i])
			exit(2);
	}
	for (int i = 0; i < key_count; i++) {
		keys[0][i] = 1 + subject_work((unsigned)i, 5) %
					 ((1u << (DIGITS * bits)) - 1);
		sum += keys[0][i];
	}
	return sum;
}

static void keys_check(unsigned wanted)
{
	const unsigned *sorted = keys[DIGITS % 2];
	unsigned sum = 0, last = 0;

	for (int i = 0; i < key_count; i++) {
		unsigned key = sorted[i];

		if (key < last)
			subject_wrong("key %d is %u, after %u", i, key, last);
		last = key;
		sum += key;
	}
	if (sum != wanted)
		subject_wrong("keys have the sum %u, not %u", sum, wanted);
}

int main(int argc, char **argv)
{
	int numbers[PROCESSES] = { 0 };
	unsigned sum;

	key_count = subject_size(argc, argv, 1, 9);
	bits = subject_size(argc, argv, 2, 2);
	if (bits > BITS_MAX)
		exit(2);
	sum = keys_make();
	MAIN_INITENV(PROCESSES);
	for (int i = 1; i < PROCESSES; i++) {
		numbers[i] = i;
		CREATE(slave_sort, &numbers[i]);
	}
	slave_sort(&numbers[0]);
	/* Timing and statistics of the kernel. */
	subject_work(1, 200000);
	WAIT_FOR_END(PROCESSES - 1);
	keys_check(sum);
	printf("%d keys, sum %u\n", key_count, sum);
	return 0;
}
