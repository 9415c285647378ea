/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REGRESS_H
#define HEDDLE_REGRESS_H

/*
 * Is the fix complete? A kept failure against a new build of its program
 * (Tsui, Wu and Chan: RegressionMaple).
 *
 * If the build is the one that failed, the kept schedule is followed. Otherwise
 * that schedule fits no more, and runs of the new build hunt for events like
 * those of the failure's signatures, how alike they must be being found out on
 * the way (widen.h). Each signature is tried by perturbing first (perturber.h),
 * and under control when that misses (hunter.h). When a run breaks, it is
 * compared with the kept failure, and kept itself; one that broke freely is
 * brought about under control for that, if it can be.
 *
 * Finds: what is left of a bug whose events are still there, moved, renamed or
 *   changed a little.
 * Misses: a bug that takes other events than the signature's. "Not triggered"
 *   is no proof.
 * Wrong when: never about *broken*: some run did break. Whether it is the same
 *   bug is a judgement, and says how sure it is.
 */

#include "locate/locate.h"
#include "regress/blamed.h"
#include "regress/hunter.h"
#include "regress/signature.h"
#include "store/again.h"

enum regress_method {
	REGRESS_SIMILAR,
	REGRESS_MAPLE, /* the baseline: profile the new build, try all */
};

enum regress_verdict {
	REGRESS_SAME,	       /* still broken: the same bug */
	REGRESS_OTHER,	       /* broken: another bug */
	REGRESS_NOT_TRIGGERED, /* in so many runs */
	REGRESS_UNKNOWN,       /* nothing could be tried */
};

/* How sure it is that what broke is the bug that was kept. */
enum regress_sure {
	REGRESS_CERTAIN,
	REGRESS_LIKELY,
	REGRESS_POSSIBLE,
};

struct regress_options {
	const char *store;
	const char *program; /* the new build; NULL: where it was */
	uint64_t runs;	     /* at most */
	uint64_t seed;
	enum regress_method method;
	bool allows_check;
	bool keeps; /* what broke, as a new repro */
	/* In another build, too, the kept schedule comes first, as far as its
	 * places are found again. It costs a run, and mostly it diverges; but
	 * what came back by a merge, say, is seen at once. */
	bool fits_schedule;
	/* Leaves what was located beside the failure: a matter of reports, so
	 * the caller's. NULL: nothing is located. */
	void (*keep_located)(const struct located *l, const char *store);
};

/* How what broke is like the kept failure, in three ways: by the failure
 * itself, by the signature's events, and by the pairs of accesses that were
 * located as the cause. */
struct sameness {
	enum {
		FAILURE_OTHER,
		FAILURE_KIND,  /* of the same kind, elsewhere */
		FAILURE_PLACE, /* of the same kind, at the same place */
		FAILURE_SAME,  /* of the same identity */
	} failure;
	bool is_telling;  /* its identity says where, not only that */
	bool is_followed; /* it came by the kept schedule, or the kept rules */
	bool is_ordered;  /* the events came before it, in their order */
	bool is_signed;	  /* its own signature is like one of the old */
	enum {
		PAIRS_NONE, /* it is no matter of accesses */
		PAIRS_UNKNOWN,
		PAIRS_OTHER,
		PAIRS_NEAR,
		PAIRS_SIGNED, /* what causes it are events of the signature */
		PAIRS_SAME,
	} pairs;
	const char *unknown;	/* why, if pairs are */
	struct blamed was, now; /* by the old failure, by what broke */
	size_t was_at, now_at;	/* the pairs that are most alike */
	double seconds;		/* that locating and comparing took */
};

/* One run. */
struct regress_iteration {
	enum {
		ITERATION_REPLAY,
		ITERATION_PERTURB, /* free, with threads held */
		ITERATION_HUNT,	   /* under control */
		ITERATION_PROFILE,
	} kind;
	uint32_t signature; /* which one, from 0 */
	struct hunt_setting set;
	uint32_t reached, count; /* events of the signature */
	double seconds;		 /* without judging */
	bool broke;
};

/* Where an event of the signature was found in the new build. */
struct regress_match {
	bool is_found;
	struct similarity similarity;
	uint32_t distance; /* of the call stacks */
	uint32_t thread;
	char *where; /* "total_add shared_counter.c:47" */
	char *source;
};

struct regress_result {
	char *name;    /* of the repro */
	char *was;     /* its verdict */
	char *program; /* that was run */
	enum regress_method method;
	bool is_by_rules; /* it is kept so, not by a schedule */
	bool has_failed;  /* it could not be tried; `why` says more */
	enum regress_verdict verdict;
	enum regress_sure sure;
	struct sameness same; /* if it broke */
	char *why;  /* of the judgement, or why nothing could be tried */
	char *text; /* what broke, in a line; NULL: nothing */
	char *details;
	char *kept; /* name of the new repro, or NULL */
	bool is_same_build;
	double seconds; /* until the verdict, all in all */
	double hunting; /* of these, in runs: what the paper measures */
	struct signatures signatures; /* of the failure; by Maple: what the
					 profile has */
	uint32_t signature;	      /* that the matches are of */
	struct regress_match matches[HUNT_EVENTS];
	VEC(struct regress_iteration) iterations;
};

/* regress_done in any case. */
MUST_USE int regress_run(const struct regress_options *o, const char *name,
			 struct regress_result *r, struct err *err);
void regress_done(struct regress_result *r);

enum exit_status regress_status(const struct regress_result *r);

/* "still broken: same bug" */
const char *regress_verdict_text(enum regress_verdict v);
const char *regress_sure_text(enum regress_sure s);

#endif
