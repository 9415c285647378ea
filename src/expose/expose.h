/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EXPOSE_H
#define HEDDLE_EXPOSE_H

/*
 * Exposing bugs: a program is observed once, what could go wrong is listed,
 * and each of these is made to happen.
 *
 * Finds: unserializable interleavings that do harm (unserial.h), and beyond
 * them orders of two racing accesses, cycles of locks and wake-ups that are
 * lost (wakeup.h).
 * Misses: what the observed run did not reach; what needs several threads held
 * at once; a candidate that does no harm with the values of the runs in which
 * it was forced.
 * Wrong when: never in what it calls a bug, for the program failed. *Benign*
 * means that it was forced and the program held; *not forced* that it did not
 * come about, most likely because of synchronisation that was not recognised.
 * After CTrigger: Lu, Park and Zhou, Finding Atomicity-Violation Bugs through
 * Unserializable Interleaving Testing (TSE 2012), sections 5 and 6.
 *
 * Candidates become rules (plan/rules.h). They are tried in passes: freely on
 * all processors, as in the paper, and under control, where a candidate that
 * can be brought about by holding one thread is nearly certain, and gives a
 * schedule that replays exactly. A pass leaves out what is settled. A failure
 * of a free run is looked for again under control, with the rules that were
 * forced in it, with all of them, and by strategies without any; if it is found
 * there, that schedule is kept, else the rules are, with the rate at which they
 * give the failure again.
 *
 * The result owns all it points to. expose_run waits for children and blocks
 * signals as campaign_run does.
 */

#include "analysis/analysis.h"
#include "analysis/unserial.h"
#include "format/verdict.h"
#include "store/keeping.h"
#include "trace/site.h"
#include "trial/campaign.h"

enum expose_method {
	EXPOSE_CTRIGGER,
	EXPOSE_STRESS, /* nothing is done, hooks are taken out */
	EXPOSE_PURE,   /* nothing is done, hooks stay */
	EXPOSE_SYNC,   /* delays at synchronisation, at random */
	EXPOSE_RACE,   /* races that were found are forced, in both orders */
	EXPOSE_METHODS,
};

enum expose_kind {
	EXPOSE_INTERLEAVING, /* three accesses */
	EXPOSE_ORDER,	     /* two, the other way round */
	EXPOSE_CYCLE,	     /* of locks */
	EXPOSE_WAKEUP,	     /* a signal before the wait for it */
};

enum expose_state {
	EXPOSE_UNTRIED,
	EXPOSE_NOT_FORCED,
	EXPOSE_BENIGN,
	EXPOSE_BUG,
};

struct expose_event {
	char *place; /* "deposit bank.c:8:10" */
	const char *what;
	uint32_t side; /* which thread of the candidate: 0 or 1 */
};

/* Something that could go wrong. */
struct expose_candidate {
	enum expose_kind kind;
	enum expose_state state;
	size_t rank;	 /* among its kind, from 1; 0: it has happened before */
	size_t unserial; /* in the list of interleavings, if it is one */
	struct expose_event events[FORCE_EVENTS]; /* as they should happen */
	uint32_t event_count;
	char *where; /* the variable, or the lock */
	struct rule rule;
	struct force_tally tally; /* over all passes */
	double seconds;		  /* when it was first forced or failed */
};

/* A failure. */
struct expose_bug {
	struct verdict verdict;
	size_t candidate;      /* SIZE_MAX: it failed without one being tried */
	bool is_forced;	       /* it came about; else it was only tried */
	char *name;	       /* of the repro; NULL: it could not be kept */
	bool was_known;	       /* kept earlier */
	bool is_exact;	       /* a schedule, not rules */
	uint64_t times, again; /* how often it was replayed, and failed alike */
	double seconds;	       /* when it was found */
	bool was_free;	       /* in a perturbed run */
};

/* How many of the feasible interleavings had happened by then. */
struct expose_moment {
	double seconds;
	size_t covered;
};

struct expose_result {
	/* What was observed. */
	char *trace_path;
	struct trace *trace;
	struct sites *sites;
	struct unserial_result *unserial;
	struct analysis_result *findings;
	bool observed_broken; /* the observed run itself failed */
	char observed_text[120];

	VEC(struct expose_candidate) candidates;
	VEC(struct expose_bug) bugs;
	VEC(struct expose_moment) moments; /* from the end of the profile on */
	size_t feasible;
	uint64_t runs, free_runs;
	uint32_t profiles; /* that were made, the watched one too */
	double observe_seconds, analyse_seconds, seconds;
	bool is_settled; /* every candidate was tried as often as it may be */
	int stopped_by;
};

struct expose_news {
	double seconds, budget;
	size_t candidates, tried, forced, bugs;
	uint64_t runs;
	bool is_free;
};

struct expose_options {
	const char *guest;
	struct keeping keeping; /* command, outputs, input, store */
	enum expose_method method;
	enum unserial_rank rank;
	uint64_t budget_ms;
	uint32_t jobs;
	uint64_t seed;
	bool all_failures;
	uint64_t runs; /* of a baseline, at most; 0: as time allows */
	uint64_t memory_most;
	uint32_t profiles; /* runs under control that are looked at, besides */
	bool is_by_stack;  /* a place is the calls that lead to it, too */
	void (*tell)(void *to, const struct expose_news *news);
	void *to;
};

/* -1 when the program could not be run. The result must be done with in any
 * case. */
MUST_USE int expose_run(const struct expose_options *o,
			struct expose_result *result, struct err *err);

/* The two halves of it, for who has something to do in between: the program is
 * observed and what could go wrong is listed; then it is made to happen. The
 * budget of the second half counts what the first took. */
MUST_USE int expose_watch(const struct expose_options *o,
			  struct expose_result *result, struct err *err);
MUST_USE int expose_force(const struct expose_options *o,
			  struct expose_result *result, struct err *err);
void expose_done(struct expose_result *result);

enum exit_status expose_status(const struct expose_result *result);

const char *expose_method_text(enum expose_method m);
const char *expose_state_text(enum expose_state s);

#endif
