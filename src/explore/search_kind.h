/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SEARCH_KIND_H
#define HEDDLE_SEARCH_KIND_H

/*
 * What an exploration asks of a search: which schedule is next, and here is
 * what came of it. A search is called with the explorer's lock held; only
 * `next` may let it go meanwhile, while it works with what nobody else has.
 *
 * A search that has a single schedule under way at a time says so by answering
 * JOB_WAIT.
 */

#include "analysis/keymap.h"
#include "explore/blends.h"
#include "explore/explore_state.h"
#include "explore/explorer.h"
#include "explore/run_trace.h"
#include "explore/trace_model.h"

#include <pthread.h>

struct explore_job {
	struct thread_order order;
	/* If the schedule was worked out from another run: that one, its
	 * lines in this order, and what the last of them is to read now. */
	const struct run_trace *model;
	VEC(uint32_t) expected;
	uint64_t target;
	uint32_t turned;  /* a line that has another result too, or NO_LINE */
	uint32_t open;	  /* so many of the last lines may read anything */
	bool is_diverged; /* the run did something else */
	uint32_t stray;	  /* the site at which it did */
	uint32_t prediction;	  /* that it is to settle, or NO_PREDICTION */
	VEC(struct traced) sleep; /* of traced_area */
	void *from;		  /* the search's own; freed with the job */
	bool is_past;		  /* an earlier exploration made it */
	bool is_learned;	  /* its run was made, and counts */
	uint64_t done;		  /* that one said so (explore_state.h) */
	uint64_t number;
	uint64_t index; /* of its run in the campaign */
	uint32_t epoch;
};

enum job_answer {
	JOB_READY,
	JOB_WAIT, /* for a run that is under way */
	JOB_NONE, /* nothing is left once all runs are over */
};

struct explorer;

struct search_kind {
	void *(*new)(struct explorer *x);
	void (*free)(void *search);
	enum job_answer (*next)(void *search, struct explore_job *job);
	/* Takes over the trace. */
	void (*learn)(void *search, struct explore_job *job,
		      struct run_trace *t);
	uint64_t (*left)(void *search);
};

extern const struct search_kind search_mcm, search_tree, search_dpor;

/* The parts of an explorer that searches see. */
struct explorer {
	const struct explore_options *o;
	struct explore_result *result;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const struct search_kind *kind;
	void *search;
	uint32_t epoch;		   /* raised when the search begins anew */
	uint32_t out;		   /* runs under way */
	uint32_t thinking;	   /* hands inside of `next` */
	uint32_t dropped;	   /* jobs that found no budget */
	struct explore_state past; /* of the file */
	size_t past_at;		   /* the next of them to be run again */
	uint32_t past_out;	   /* of them under way */
	bool past_is_void;	   /* one came to something else than then */
	struct explore_state made; /* for the file */
	double save_at;		   /* when it is to be written again */
	bool is_stale;		   /* the search is to begin anew */
	uint32_t gaps;		   /* enum model_gap */
	uint64_t unmodelled;
	uint64_t number; /* of jobs */
	bool is_over;
	bool is_erratic;       /* the same order gave something else */
	char *erratic;	       /* where, in words */
	uint64_t limits;       /* runs that were given up */
	uint64_t uncontrolled; /* runs that were not controlled to their end */
	struct keymap unused;  /* places of reads that are left out */
	bool has_unused;       /* they were looked for */
	struct blends blends;
	struct keymap checks; /* sites before checks (trial/code_checks.h) */
	bool has_checks;
	uint8_t *sites; /* places known to be shared, for all workers */
	uint32_t site_count;
	uint64_t classes_seen;
	struct campaign *c;
	double told;
};

/* Is it time to stop? The lock is held. */
bool explorer_is_stopped(const struct explorer *x);

/* Going on (explorer_resume.c), with the lock held. What an earlier exploration
 * ran comes first; false: that is over. */
bool explorer_past_take(struct explorer *x, struct explore_job *job);
/* A run was made. */
void explorer_past_learn(struct explorer *x, const struct explore_job *job,
			 const struct run_trace *t);
/* A job is over. */
void explorer_past_leave(struct explorer *x, const struct explore_job *job);
/* What a run came to, for explore_state.h; it depends on what is asked too. */
uint64_t explorer_done_mark(const struct explorer *x, uint64_t class);
/* Writes the state down; if it was not just done. */
MUST_USE int explorer_write(struct explorer *x, struct err *err);
void explorer_save(struct explorer *x);

/* The statement (explorer_statement.c). */
void explorer_conclude(struct explorer *x);

/* A run of a class that was not seen before. */
void explorer_class(struct explorer *x, const struct run_trace *t);

#endif
