/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EXPLORER_H
#define HEDDLE_EXPLORER_H

/*
 * Exploration: run a program on one schedule after another, each of them chosen
 * because of what the runs before it have shown, until there is none left or
 * the budget is spent.
 *
 * A campaign (trial/campaign.h) with a driver: runs are made, judged and kept
 * as in any campaign, and which run comes next is up to a search
 * (search_kind.h). What a run did is read from its lines (run_trace.h).
 *
 * Which places of code touch shared memory is found out on the way. When a run
 * shows that one was taken for private wrongly, all runs before it showed too
 * little, and the search begins anew.
 *
 * May be called by any verb, under the conditions of campaign_run.
 */

#include "explore/interleavings.h"
#include "explore/predictions.h"
#include "explore/solver.h"
#include "trial/campaign.h"

enum { EXPLORE_WINDOW = 10000 }; /* for most purposes */

enum explore_search {
	SEARCH_MCM,
	SEARCH_DFS,
	SEARCH_CHESS,
	SEARCH_DPOR,
};

struct explore_news {
	double seconds;
	uint64_t runs, classes, left;
	double solver_seconds;
	uint64_t failures;
};

struct explore_options {
	char *const *argv;
	const char *guest;
	int input;
	struct control_ask ask; /* limits, flags */
	uint64_t runs;		/* 0: no limit */
	uint64_t time_ms;
	uint32_t workers; /* 0: as many as there are processors */
	bool all_failures;
	const struct outputs *outputs;

	enum explore_search search;
	enum solver_kind solver;
	const char *state;  /* file to go on from and to write; NULL: none */
	bool skip_unused;   /* leave out reads whose value nobody uses */
	bool no_deadlocks;  /* ask for no states in which every thread waits */
	bool races;	    /* ask for races too */
	uint32_t bound;	    /* preemptions, of chess */
	uint32_t window;    /* events that mcm looks at together; 0: all */
	bool interleavings; /* tell which unserializable ones happened */

	void (*tell)(void *to, const struct explore_news *news);
	void *to;
};

/* A schedule that did not lead where it should have. */
struct explore_stray {
	uint64_t run;
	uint32_t site; /* where the run was first another one */
	char *place;   /* in words */
};

struct explore_result {
	struct campaign_result campaign;
	uint64_t runs;	    /* since the places were known */
	uint64_t before;    /* runs by then */
	uint64_t all_runs;  /* with those before, and those made twice */
	uint64_t classes;   /* of runs: what threads did and read */
	VEC(uint64_t) seen; /* a number for each of them */
	struct interleavings interleavings;
	uint64_t left; /* runs not asked about, or schedules not run */
	uint64_t diverged;
	VEC(struct explore_stray) strays; /* the first of these */
	uint64_t restarts;
	uint64_t unused;  /* reads left out of all runs, skip_unused */
	bool is_complete; /* nothing is left, and nothing hides */
	VEC(char *) why;  /* not, in words */
	VEC(struct region_module) modules; /* that the program had loaded */
	/* Of mcm. */
	uint64_t asked, yes, unknown, wrong;
	double solver_seconds;
	VEC(float) query_ms;
	uint64_t events; /* in the longest run */
	struct predictions predicted;
};

MUST_USE int explore(const struct explore_options *o,
		     struct explore_result *result, struct err *err);
void explore_done(struct explore_result *result);

/* Broken before unknown before held; held only where it is complete. */
enum exit_status explore_status(const struct explore_result *result);

const char *explore_search_name(enum explore_search search);

#endif
