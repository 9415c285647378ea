/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CAMPAIGN_H
#define HEDDLE_CAMPAIGN_H

/*
 * Many runs of one program under control, and what broke in them.
 *
 * Runs are numbered from 0. Run r has the seed `seed` + r, whoever makes it, so
 * the same campaign finds the same with any number of workers. The first few
 * runs learn which places of code touch shared memory (CONTROL_LEARN); all
 * others have their points there. Where accesses are too many even for the
 * first run, none is a point (CONTROL_SYNC). Each worker is driven by a thread
 * of its own on a processor of its own, and takes as many runs at a time as it
 * makes in about a tenth of a second.
 *
 * Failures are judged where they are found (oracle.h); each identity is kept
 * once, with the run of the lowest number that showed it. Unless all failures
 * are wanted, runs above the first broken one are not made, or not counted; so
 * that one is the same with any number of workers too.
 *
 * Runs that are made at the same time may get into each other's way, in files
 * or at ports. If that is minded, what broke is replayed alone before it is
 * believed (campaign_doubt.c).
 *
 * A campaign may have rules: run r then obeys the window of them that its seed
 * chooses, and each rule tells at the end how often it was forced.
 *
 * An interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT) ends the campaign and keeps
 * what was found. campaign_run blocks these signals, waits for children and
 * ends all that are left, so only the main thread of a process without other
 * children may call it, one campaign at a time.
 */

#include "base/err.h"
#include "base/vec.h"
#include "format/control_block.h"
#include "trial/captured.h"
#include "trial/launch.h"
#include "trial/oracle.h"
#include "trial/outputs.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a campaign stands, for people who wait. */
struct campaign_news {
	double seconds;
	uint64_t made, wanted; /* runs; wanted 0: until time is up */
	uint64_t distinct;     /* schedules */
	uint64_t failures;     /* kept so far */
	double seconds_wanted; /* 0: until all runs are made */
};

struct hand;

struct campaign_options {
	char *const *argv;
	const char *guest; /* libheddle.so */
	int input;	   /* what every run reads, -1: nothing */
	/* Strategy, depth, flags, limits; the rest is filled in. */
	struct control_ask ask;
	uint64_t seed;
	uint64_t runs;	  /* 0: no limit */
	uint64_t time_ms; /* 0: no limit */
	bool is_cut;	  /* a run that is under way then is given up */
	uint32_t workers; /* 0: as many as there are processors */
	bool all_failures;
	bool doubts;	    /* a failure must come again, alone, to be one */
	bool exec;	    /* each run afresh, in a directory of its own */
	bool is_ready_idle; /* runs begin where the program listens and waits */
	const char *const *inputs; /* files copied there */
	size_t input_count;
	const struct outputs *outputs; /* may be NULL */
	/* Rules that runs obey (plan/rules.h); NULL: none. With is_free in
	 * them runs are perturbed: one at a time unless more workers are
	 * wanted, each on all processors, and nothing is learned. */
	const struct plan *rules;

	/* What each hand does, with its worker started, in place of making runs
	 * in their order; NULL for that. See campaign_inner.h. */
	int (*drive)(void *driver, struct hand *h, struct err *err);
	void *driver;

	/* Called from campaign_run every tenth of a second; may be NULL. */
	void (*tell)(void *to, const struct campaign_news *news);
	void *to;
};

/* A failure, kept once however often it was met. */
struct failure {
	struct captured *captured;
	struct verdict verdict;
	uint64_t index; /* of the run, the first that showed it */
	uint64_t count;
	bool is_again; /* its schedule gave it again */
};

struct campaign_result {
	uint64_t made;	   /* runs that count */
	uint64_t distinct; /* schedules among all that were made */
	uint64_t points;   /* in the longest run */
	double seconds;
	int stopped_by;		      /* signal, 0: none */
	bool is_fresh;		      /* each run was a process of its own */
	char *why_fresh;	      /* unless that was asked for */
	bool is_coarse;		      /* accesses were too many to be points */
	VEC(struct failure) failures; /* by index */
	VEC(char *) notes;	      /* what was not controlled, once each */
	/* Of each rule: what became of it, over all runs. */
	struct force_tally *tallies;
	/* Of a campaign of one run: what it printed. */
	char *output, *errors;
	size_t output_size, errors_size;
};

/* -1 when the program could not be run, or the check command. The result must
 * be done with in any case. */
MUST_USE int campaign_run(const struct campaign_options *o,
			  struct campaign_result *result, struct err *err);
void campaign_done(struct campaign_result *result);

/* Of all that was found: broken before unknown before held. */
enum exit_status campaign_status(const struct campaign_result *result);

#endif
