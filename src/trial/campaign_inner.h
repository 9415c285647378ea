/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CAMPAIGN_INNER_H
#define HEDDLE_CAMPAIGN_INNER_H

/*
 * What the files of a campaign share. The *hands* are the threads that drive a
 * worker each; campaign.c starts them and waits, campaign_hand.c is what they
 * do, campaign_found.c what becomes of a run that failed, campaign_doubt.c
 * whether that is believed.
 */

#include "analysis/keymap.h"
#include "trial/campaign.h"
#include "trial/worker.h"

#include <pthread.h>

enum {
	LEARNING_RUNS = 4,
};

struct campaign {
	const struct campaign_options *o;
	double began;
	struct launch launch;
	int *cpus; /* those we may use */
	uint32_t cpu_count;
	_Atomic bool stop; /* requests are to be given up */
	bool is_alone;	   /* one run at a time, whatever was asked for */

	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t changed;
	struct campaign_result *result;
	uint64_t next;	/* the first run that nobody has taken */
	uint64_t limit; /* runs from here on are not wanted */
	uint64_t made;
	struct keymap schedules;
	struct keymap keys; /* oracle_key -> failure, from 1 */
	uint32_t hands;	    /* at work */
	int bell;	    /* eventfd, rung when the last is done */
	bool has_failed;    /* for a reason outside the program */
	struct err err;	    /* that one */

	/* What the first hand learned for all. */
	bool is_learned;
	uint8_t *sites;
	uint32_t site_count;
	struct control_profile *profile; /* NULL where nobody asks for it */
	uint64_t length;
};

struct hand {
	struct campaign *c;
	uint32_t nth;
	pthread_t thread;
	struct worker worker;
	char *why_fresh; /* of the worker, when it is gone */
	double per_second;
	uint32_t told; /* for whoever drives it */
};

double campaign_now(void);

/* What was learned is forgotten; the next first hand learns. */
void campaign_unlearn(struct campaign *c);

/* How many runs are made at the same time. */
uint32_t campaign_workers(const struct campaign *c);

/* After the runs: looks again at what broke. True: runs are to be made again,
 * from c->next on. */
bool campaign_doubt(struct campaign *c);

void failure_done(struct failure *f);

/* The life of a hand; `hand` is a struct hand. */
void *hand_main(void *hand);

/* Is no more run wanted, or no time left? Takes the lock of the campaign, which
 * is the inner one of those that a driver holds. */
bool campaign_is_over(struct campaign *c);

/* For whoever drives a hand (campaign_options.drive): the number of the next
 * run, false when no more are wanted; one run with the worker; and a look at
 * what came of it, as at any run of a campaign. */
bool hand_take(struct hand *h, uint64_t *index);
MUST_USE int hand_run(struct hand *h, const struct control_ask *ask,
		      struct err *err);

/* A run is to be looked at: it is in the hand's worker. */
MUST_USE int found_look(struct hand *h, uint64_t index,
			const struct control_result *result, struct err *err);

#endif
