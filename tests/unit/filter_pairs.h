/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_FILTER_PAIRS_H
#define HEDDLE_FILTER_PAIRS_H

/*
 * What the filter owes threads that are not ordered with each other: of any
 * two accesses in conflict one must have been kept, and the other kept or
 * told, or one of the same thread that came later and is at least as strong.
 * (Two that were only told are never compared by an analysis.)
 *
 * Each thread has a log of what it did and of what passed through its hands,
 * which only it writes.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LOG_DONE = 64, LOG_PASSED = 4096 };

struct use {
	uint64_t segment;
	uint32_t thread, granule, bytes;
	bool is_write, is_kept;
};

struct log {
	struct use done[LOG_DONE], passed[LOG_PASSED];
	uint32_t done_count, passed_count;
};

/* false: no room. */
static bool log_pass(struct log *log, const struct use *u)
{
	if (log->passed_count == LOG_PASSED)
		return false;
	log->passed[log->passed_count++] = *u;
	return true;
}

/* What record_earlier got, `offset` from the first granule. */
static bool log_tell(struct log *log, bool is_write, uint64_t offset,
		     uint32_t size, uint64_t arg)
{
	for (uint64_t at = offset; at < offset + size; at++)
		if (!log_pass(log,
			      &(struct use){ .segment = earlier_segment(arg),
					     .thread = earlier_thread(arg),
					     .granule = (uint32_t)(at / 8),
					     .bytes = 1u << at % 8,
					     .is_write = is_write }))
			return false;
	return true;
}

static bool stands_for(const struct use *passed, const struct use *done,
		       uint32_t bytes)
{
	return passed->thread == done->thread &&
	       passed->granule == done->granule && passed->bytes & bytes &&
	       passed->segment >= done->segment &&
	       passed->is_write >= done->is_write;
}

/* 0: nothing stands for it; 1: it was told; 2: it was kept. */
static int log_find(const struct log *logs, uint32_t count,
		    const struct use *done, uint32_t byte)
{
	int found = 0;

	for (uint32_t t = 0; t < count; t++)
		for (uint32_t i = 0; i < logs[t].passed_count; i++) {
			const struct use *p = &logs[t].passed[i];

			if (!stands_for(p, done, byte))
				continue;
			if (p->is_kept)
				return 2;
			found = 1;
		}
	return found;
}

static bool pair_is_seen(const struct log *logs, uint32_t count,
			 const struct use *a, const struct use *b)
{
	uint32_t both = a->bytes & b->bytes;
	bool is_seen = true;

	if (a->granule != b->granule || (!a->is_write && !b->is_write))
		return true;
	for (uint32_t byte = 1; byte <= both; byte <<= 1) {
		int first, second;

		if (!(both & byte))
			continue;
		first = log_find(logs, count, a, byte);
		second = log_find(logs, count, b, byte);
		if (first && second && first + second >= 3)
			continue;
		is_seen = false;
		fprintf(stderr,
			"granule %u byte %02x: %s of thread %u "
			"(%d), %s of thread %u (%d)\n",
			a->granule, byte, a->is_write ? "write" : "read",
			a->thread, first, b->is_write ? "write" : "read",
			b->thread, second);
	}
	return is_seen;
}

static bool logs_are_right(const struct log *logs, uint32_t count)
{
	bool right = true;

	for (uint32_t t = 0; t < count; t++)
		for (uint32_t u = 0; u < t; u++)
			for (uint32_t i = 0; i < logs[t].done_count; i++)
				for (uint32_t j = 0; j < logs[u].done_count;
				     j++)
					right &= pair_is_seen(logs, count,
							      &logs[t].done[i],
							      &logs[u].done[j]);
	return right;
}

static void logs_clear(struct log *logs, uint32_t count)
{
	for (uint32_t t = 0; t < count; t++)
		logs[t].done_count = logs[t].passed_count = 0;
}

#endif
