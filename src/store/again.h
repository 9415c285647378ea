/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_AGAIN_H
#define HEDDLE_AGAIN_H

/*
 * A kept failure, ready to be run again: for replay, shrink and regress. The
 * program runs where it ran before (if that directory is still there), with the
 * input it had.
 */

#include "store/repro.h"
#include "trial/follower.h"
#include "trial/oracle.h"
#include "trial/shrink.h"

struct again;

/* How its runs go. */
enum again_mode {
	AGAIN_AS_KEPT,
	AGAIN_CONTROLLED,
	AGAIN_PERTURBED, /* freely, on all processors */
};

/* Failures that take more than a program and a plan, of a room to the left.
 * `open` and `close` are called with a repro that is loaded; `start` starts the
 * program and fills in the follower. */
struct again_kind {
	bool (*is)(const struct repro *repro);
	int (*open)(struct again *a, struct err *err);
	int (*start)(struct again *a, struct err *err);
	int (*judge)(struct again *a, const struct captured *run,
		     struct verdict *v, struct err *err);
	void (*close)(struct again *a);
};

/* The one there is; set by main before anything else. */
extern const struct again_kind *again_kind;

struct again {
	struct repro *repro;
	struct follower follower;
	struct outputs outputs; /* what its runs are judged by */
	char **argv;
	char *program; /* where it was, or NULL */
	char *guest;
	VEC(const char *) inputs; /* paths of its input files, owned */
	int input;
	const struct again_kind *kind; /* NULL: a failure like most */
	void *of_kind;		       /* what the kind keeps here */
	bool has_lent;		       /* its worker is the kind's */
	bool is_started;
	bool is_rebuilt; /* another build than the one that failed, if asked */
	size_t lost;	 /* steps of it whose places are not in that */
	/* Set before it is started. */
	enum again_mode mode;
	bool is_debugged;    /* by a debugger */
	bool has_pairs;	     /* its runs collect access pairs */
	const char *trace;   /* where the events of each run are left */
	const char *instead; /* a new version of the program; NULL: none */
};

/* The command of the repro is run as it is, except that a check it brings is
 * not, unless `allows_check`. again_close in any case. */
MUST_USE int again_open(struct again *a, const char *store, const char *name,
			bool allows_check, struct err *err);

/* Prepares what is run, without starting it (for a debugger). */
void again_launch(struct again *a, struct launch *launch);

MUST_USE int again_start(struct again *a, struct err *err);

/* Started: a plan for another build than the one that failed becomes one for
 * this build, as far as its places are found again. */
MUST_USE int again_fit(struct again *a, struct err *err);

/* Started: is it the very build that failed? */
MUST_USE int again_is_same_build(struct again *a, bool *is_same,
				 struct err *err);
void again_close(struct again *a);

/* Judges a run; verdict_done in case of success. */
MUST_USE int again_judge(struct again *a, const struct captured *run,
			 struct verdict *v, struct err *err);

/* Is that the failure that was kept? In a program that was built anew lines may
 * have other numbers. */
bool again_is_kept_one(const struct again *a, const struct verdict *v);

/* Shrinks the failure within a budget, and describes its steps for people; the
 * repro is written anew. What is kept has been replayed: if the shrunk plan
 * does not give the same failure again, the old one stays. Starts it if need
 * be. result->plan is NULL. */
MUST_USE int again_shrink(struct again *a, uint32_t runs, uint64_t ms,
			  struct shrink_result *result, struct err *err);

/* What a run that failed says of itself: verdict, schedule, output. */
void repro_set_failure(struct repro *r, const struct captured *run,
		       const struct verdict *v);

/* A failure that was just kept gets fewer switches and lines of the source, for
 * whoever reads it. One that cannot be shrunk is worth as much: that is told,
 * and no error. Its check, if it has one, is run. */
void again_make_readable(const char *store, const char *name);

/* The same in so many milliseconds, or less. */
void again_make_readable_within(const char *store, const char *name,
				uint64_t ms);

/* Is it the failure that was kept? A shrink_same, with the again as arg. */
bool again_is_same(const struct captured *run, void *arg);

#endif
