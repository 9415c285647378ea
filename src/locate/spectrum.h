/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SPECTRUM_H
#define HEDDLE_SPECTRUM_H

/*
 * Which pairs showed up in which runs: one failing run and any number of
 * passing ones, digested as they come, so that runs need not stay.
 *
 * When two pairs of different runs are the same depends on the level: the same
 * places and kinds of access (pc), also the same threads (thread, loop, for
 * procedures I and II), or the same calls (context). Each pair has a number;
 * a row of bits says in which passing runs it was, so that questions about all
 * runs are a few operations on words.
 */

#include "locate/pair_run.h"
#include "locate/position.h"

enum level {
	LEVEL_PC,
	LEVEL_THREAD,
	LEVEL_LOOP,
	LEVEL_CONTEXT,
	LEVELS,
};

/* A pair, whatever run it was in. */
struct spectrum_pair {
	struct pair_line line; /* of the failing run, else of the first
				  passing one */
	uint32_t run;	       /* the first passing run; UINT32_MAX: none */
	uint32_t passes;       /* in how many it was */
	bool in_failing;
};

/* An occurrence in a passing run, as procedure III needs it. */
struct spectrum_instance {
	uint32_t pair;
	uint16_t head_thread, tail_thread;
	uint16_t head_loop, tail_loop;
	uint32_t head_count, head_began;
	uint32_t tail_count, tail_began;
};

struct spectrum_run {
	VEC(struct spectrum_instance) instances;
};

struct spectrum {
	enum level level;
	bool keeps_instances;
	VEC(struct spectrum_pair) pairs; /* numbers from 0 */
	struct keymap map;		 /* number + 1 */
	size_t words;			 /* of a row */
	VEC(uint64_t) rows;		 /* pairs.count * words */
	uint32_t passing;		 /* runs */
	VEC(struct spectrum_run) runs;	 /* if instances are kept */
	struct positions positions;	 /* the same */
	VEC(uint32_t) failing;		 /* pairs, by first occurrence */
	VEC(struct spectrum_instance) failing_instances;
	bool has_failing;
};

/* At most `runs` passing runs will come. */
struct spectrum *spectrum_new(enum level level, uint32_t runs,
			      bool keeps_instances);
void spectrum_free(struct spectrum *s);

/* The failing run comes first. */
void spectrum_fail(struct spectrum *s, const struct pair_run *run);

/* Returns how many pairs no passing run had before. */
size_t spectrum_pass(struct spectrum *s, const struct pair_run *run);

static inline const uint64_t *spectrum_row(const struct spectrum *s,
					   uint32_t pair)
{
	return &s->rows.at[pair * s->words];
}

/* The number of the pair; UINT32_MAX: it was never seen. */
uint32_t spectrum_find(const struct spectrum *s, const struct pair_line *line);

/* ---- relations between pairs of the failing run ---- */

/* Seeing `by` implies having seen `pair`, and not the other way round: the
 * head of `pair` comes before or at the head of `by`, and its tail at or after
 * the tail of `by`, in the same two threads. */
bool pair_is_predictable(const struct pair_line *pair,
			 const struct pair_line *by);

/* The same pair the other way round. */
struct pair_line pair_reversed(const struct pair_line *p);

#endif
