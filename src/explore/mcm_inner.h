/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_MCM_INNER_H
#define HEDDLE_MCM_INNER_H

/*
 * The parts of maximal causality: mcm_search.c has the queue of questions about
 * what reads could get, mcm_predict.c asks for failures: states in which all
 * wait, accesses that race, blocks that are freed too early. Both are called
 * with the explorer's lock held, and let it go while they work on a run that is
 * marked busy.
 */

#include "explore/conflicts.h"
#include "explore/known_runs.h"
#include "explore/ranking.h"
#include "explore/search_kind.h"

enum {
	CONFLICTS = 2000000, /* before a question is given up */
	TIMES_KEPT = 1 << 20,
	STUCK_MOST = 16, /* deadlocks that one run is asked for */
};

/* What a new value of a read may bring about. */
enum question_hint {
	HINT_NONE,
	HINT_CHECK, /* the read is soon followed by a check */
	HINT_NULL,  /* a pointer that is used */
};

struct question {
	const struct causal_target *target;
	uint64_t got;	  /* as run_trace_read tells */
	uint64_t name;	  /* known_read */
	uint64_t novelty; /* place and value */
	uint32_t site;
	uint8_t hint; /* enum question_hint */
	bool is_done;
};

/* A run, and how many windows of it have questions. */
struct whole {
	struct run_trace *t;
	uint32_t windows;
	uint64_t index; /* of the run */
	size_t made;	/* its number in the explorer's state */
	bool was_done;	/* an earlier exploration has asked all of it */
	/* Something was asked in vain or is known to be missing, or a failure
	 * is left to another run, so one who goes on has to ask again. */
	bool has_doubts;
};

/* A window of a run with open questions; most runs have one. */
struct past {
	struct whole *whole;
	struct run_trace *t; /* of it */
	uint32_t begin;
	struct trace_model *m;
	struct causal *model; /* made when first asked */
	VEC(struct question) questions;
	struct ranking urgent; /* of the questions that are not done */
	uint32_t flying;       /* runs that it asked for */
	bool is_busy;
	bool is_ready;	/* its questions are known */
	uint32_t stuck; /* how often it was asked for deadlocks */
	struct conflicts conflicts;
	size_t conflict_at; /* the next of them to ask for */
};

struct mcm {
	struct explorer *x;
	VEC(struct past *) pasts;
	size_t first; /* pasts before this one are done */
	struct known_runs known;
	struct keymap seen;  /* place and value: was read */
	struct keymap asked; /* place: how often a question was answered */
	struct keymap ends;  /* states in which all wait, that were run */
	bool is_begun;
};

/* What became of a job. */
struct origin {
	struct past *past;
	struct question *question;
	uint32_t plan;
};

double mcm_now(void);
void mcm_count(struct mcm *s, double ms, enum solver_answer answer);

/* What a new value for that read may bring about. */
enum question_hint mcm_hint(const struct mcm *s, const struct past *p,
			    const struct causal_target *target);

/* The prediction that a run made for this question is to settle. */
uint32_t mcm_predict(struct mcm *s, const struct past *p,
		     const struct question *q);

/* Has the run something to be asked for beside its questions? */
bool mcm_has_failures(const struct mcm *s, const struct past *p);

/* Asks for one of them. True: the job will show it. */
bool mcm_ask_failure(struct mcm *s, struct past *p, struct explore_job *job);

/* The lines of the run that the job's order is made of. */
void mcm_expect(const struct past *p, struct explore_job *job);

#endif
