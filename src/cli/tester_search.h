/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TESTER_SEARCH_H
#define HEDDLE_TESTER_SEARCH_H

/*
 * The inside of tester.c, for the ways of searching that have a file of their
 * own, and for what is made of a failure: tester_expose.c, tester_explore.c,
 * tester_locate.c.
 */

#include "cli/tester.h"
#include "expose/expose.h"
#include "store/keeping.h"
#include "trial/campaign.h"
#include "trial/progress.h"

enum { SEARCH_STRATEGIES = 4 };

struct search {
	const struct tester_options *o;
	struct tested *t;
	struct outputs outputs;
	struct feed feed;
	struct progress progress;
	double began;
	bool is_fresh;	/* runs are processes of their own */
	bool is_coarse; /* accesses are too many to be points */
	struct expose_result watched;
	bool is_watched;
	char *scratch;		/* directory, with what was explored; or NULL */
	uint64_t explore_ms;	/* of its last turn */
	bool is_endless;	/* that turn saw no end */
	bool explores_coarsely; /* it met the limit of points before */
	struct {
		uint64_t runs; /* also where its seeds go on */
		bool is_tired;
	} turns[SEARCH_STRATEGIES];
};

struct keeping search_keeping(const struct search *s, const char *way);

/* A failure was kept under this name, after so many schedules: it becomes
 * readable, is run again to be sure, and is one of the test's. */
MUST_USE int search_bug(struct search *s, const char *name, uint64_t schedules,
			struct err *err);

/* The failures of a campaign, each kept and told so. */
MUST_USE int search_failures(struct search *s, const char *way,
			     const struct campaign_result *r, struct err *err);

/* Limits that all runs have. */
struct control_ask search_ask(const struct search *s);

uint64_t search_ms_left(const struct search *s);

/* Seconds since the test began. */
double search_seconds(const struct search *s);

/* A way has made so many runs. */
void search_count(struct search *s, const char *way, uint64_t runs,
		  uint64_t distinct, double seconds);

/* Told beside the verdict, once. */
void search_note(struct search *s, const char *text);

/* Of a way, for whoever waits; what came before is added. */
void search_tell(struct search *s, const struct campaign_news *news);

/* ---- tester_locate.c ---- */

/* Which accesses caused it, by experiment, in a part of the time that is left;
 * kept as heddle locate keeps it. */
void search_locate(struct search *s, struct evidence *e, uint64_t ms_left);

/* ---- tester_expose.c ---- */

/* Watches a free run; the rest takes up from there. */
MUST_USE int search_watch(struct search *s, uint64_t ms, struct err *err);
MUST_USE int search_expose(struct search *s, uint64_t ms, struct err *err);

/* ---- tester_explore.c ---- */

/* Goes on from the turn before. */
MUST_USE int search_explore(struct search *s, uint64_t ms, struct err *err);

#endif
