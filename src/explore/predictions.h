/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PREDICTIONS_H
#define HEDDLE_PREDICTIONS_H

/*
 * Failures that were worked out from a run in which they did not happen, and
 * what became of them when a run was made to show them. A prediction is a
 * claim about the trace and not about the program: it is confirmed when the
 * run did what was predicted, refuted when the run went as it was worked out
 * and nothing of the kind happened, and open when there was no such run (the
 * budget was spent, or the run went elsewhere). Nothing is called broken
 * because of a prediction.
 *
 * Predictions of the same kind for the same places are one; of these the best
 * counts, confirmed before open before refuted.
 */

#include "base/vec.h"
#include "format/control_block.h"

#include <stdbool.h>
#include <stdint.h>

enum prediction_kind {
	PREDICTED_RACE,	    /* both accesses are next at once */
	PREDICTED_NULL,	    /* a pointer is read as null, and was used */
	PREDICTED_FREED,    /* a block is freed before it is used */
	PREDICTED_CHECK,    /* a read before a check gets a new value */
	PREDICTED_DEADLOCK, /* every thread waits */
	PREDICTION_KINDS,
};

enum prediction_state {
	PREDICTION_OPEN,
	PREDICTION_REFUTED,
	PREDICTION_CONFIRMED,
};

enum { NO_PREDICTION = 0xffffffff };

struct prediction {
	enum prediction_kind kind;
	enum prediction_state state;
	uint32_t sites[2]; /* 0: none */
	char *places[2];   /* of these, in words, or NULL */
	uint64_t from;	   /* the run it was worked out from */
	uint64_t by;	   /* the run that settled it */
	uint64_t runs;	   /* made for it */
};

struct predictions {
	struct prediction *at;
	size_t count, room;
};

/* Their number; one that is known is found again. */
uint32_t predictions_add(struct predictions *p, enum prediction_kind kind,
			 uint32_t first, uint32_t second, uint64_t from);

/* Is there one that no run has settled, or that was confirmed? */
bool predictions_has(const struct predictions *p, enum prediction_kind kind,
		     uint32_t first, uint32_t second);

/* A run was made. */
void predictions_settle(struct predictions *p, uint32_t number,
			enum prediction_state state, uint64_t run);

/* Is that what was predicted? `is_elsewhere`: the run did not go as it was
 * worked out. */
bool prediction_is_met(enum prediction_kind kind, enum outcome_kind outcome,
		       bool is_elsewhere);

size_t predictions_count(const struct predictions *p,
			 enum prediction_state state);

/* What a kind is called: "race", "null pointer". */
const char *prediction_text(enum prediction_kind kind);
const char *prediction_state_text(enum prediction_state state);

void predictions_done(struct predictions *p);

#endif
