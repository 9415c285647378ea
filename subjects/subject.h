/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SUBJECT_H
#define HEDDLE_SUBJECT_H

/*
 * What every subject needs around its bug: sizes from the command line, threads
 * that are started and joined, work of a thread's own, and a way to say that a
 * result is wrong.
 *
 * Nothing in here is shared between threads, so it adds no point to a schedule
 * but those of creating and joining.
 */

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The argument of that number, or what holds without one. */
static inline int subject_size(int argc, char **argv, int i, int otherwise)
{
	int size = i < argc ? atoi(argv[i]) : otherwise;

	if (size < 1 || size > 1000000) {
		fprintf(stderr, "%s: not a size: %s\n", argv[0], argv[i]);
		exit(2);
	}
	return size;
}

static inline void subject_start(pthread_t *thread, void *(*body)(void *),
				 void *arg)
{
	if (pthread_create(thread, NULL, body, arg)) {
		fputs("cannot create a thread\n", stderr);
		exit(2);
	}
}

/* Ends the program with status 1: it has computed something wrong. */
__attribute__((noreturn, format(printf, 1, 2))) static inline void
subject_wrong(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/* What a thread computes for itself between the accesses that matter. It is
 * done even if nobody wants the result. */
static inline unsigned subject_work(unsigned seed, unsigned rounds)
{
	unsigned sum = seed | 1;

	for (unsigned i = 0; i < rounds; i++)
		sum = (sum ^ (sum >> 13)) * 2654435761u + i;
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

#endif
