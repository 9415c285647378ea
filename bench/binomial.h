/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BINOMIAL_H
#define HEDDLE_BINOMIAL_H

/*
 * Exact confidence limits of a rate (Clopper and Pearson): the rates at which
 * so many hits, or more (fewer), would be a matter of `alpha`.
 */

#include <stdint.h>

/* The chance of fewer than `hits` in `runs`. long double does not underflow
 * for any rate and number of runs that a benchmark has. */
static inline double binomial_below(uint64_t hits, uint64_t runs, double rate)
{
	long double term = 1, sum = 0, base = 1 - (long double)rate;

	for (uint64_t n = runs; n; n >>= 1, base *= base)
		if (n & 1)
			term *= base;
	for (uint64_t i = 0; i < hits; i++) {
		sum += term;
		term *= (long double)(runs - i) / (long double)(i + 1) * rate /
			(1 - rate);
	}
	return (double)sum;
}

/* The rate at which fewer than `hits` have chance `wanted`. */
static inline double binomial_rate(uint64_t hits, uint64_t runs, double wanted)
{
	double low = 0, high = 1;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (binomial_below(hits, runs, middle) > wanted)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static inline double binomial_lower(uint64_t hits, uint64_t runs, double alpha)
{
	return hits ? binomial_rate(hits, runs, 1 - alpha) : 0;
}

static inline double binomial_upper(uint64_t hits, uint64_t runs, double alpha)
{
	return hits < runs ? binomial_rate(hits + 1, runs, alpha) : 1;
}

#endif
