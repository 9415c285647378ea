/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RNG_H
#define HEDDLE_RNG_H

/*
 * The one source of chance under control: splitmix64. A seed is the whole of
 * it: same seed, same numbers, in the guest and in the tool, on every machine.
 * Streams of one seed for different purposes are made by rng_fork.
 */

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint64_t rng_next(struct rng *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return rng_mix(r->state);
}

/* Neighbouring seeds must not give neighbouring streams. */
static inline struct rng rng_seeded(uint64_t seed)
{
	return (struct rng){ rng_mix(seed ^ UINT64_C(0x6865646c65726e67)) };
}

static inline struct rng rng_fork(uint64_t seed, uint64_t purpose)
{
	return (struct rng){ rng_mix(rng_seeded(seed).state +
				     rng_mix(purpose)) };
}

/* One of 0 .. n-1; n must not be 0. The bias, below n / 2^32, is far below
 * what any number of runs could show. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

/* The same for large ranges. */
static inline uint64_t rng_below64(struct rng *r, uint64_t n)
{
	return (uint64_t)((unsigned __int128)rng_next(r) * n >> 64);
}

#endif
