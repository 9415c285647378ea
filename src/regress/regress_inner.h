/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REGRESS_INNER_H
#define HEDDLE_REGRESS_INNER_H

/*
 * What the files of the regression engine share: a trial of one kept failure
 * against one build, while it lasts.
 */

#include "regress/perturber.h"
#include "regress/regress.h"

struct regress {
	const struct regress_options *o;
	struct again again; /* the new build */
	struct hunter hunter;
	struct perturber perturber;
	struct regress_result *result;
	/* What broke, until it has been judged. */
	struct captured *broken;
	struct verdict verdict;
	struct plan *rules;	   /* of that run; NULL: it was under control */
	struct hunt_setting set;   /* and how alike events had to be */
	struct hunt_report report; /* of that run, or of the best so far */
};

/* Are there runs left? */
bool regress_has_runs(const struct regress *r);

/* Hunts for one of the signatures once; 1 when something broke. */
MUST_USE int regress_hunt(struct regress *r, uint32_t signature,
			  struct hunt_setting *set, struct hunt_report *report,
			  struct err *err);

/* ---- regress_keep.c ---- */

/* What broke in a free run is looked for under control, so that it has a
 * schedule and replays exactly; where that does not succeed it stays what it
 * is. The runs it takes are none of the search. */
MUST_USE int regress_convert(struct regress *r, struct err *err);

/* Keeps what broke, as a new repro that names the old one. */
MUST_USE int regress_keep(struct regress *r, struct err *err);

/* sameness.c: fills in the verdict, and how sure it is, by what is known of the
 * sameness. */
void regress_judge(struct regress *r);

/* The failure that was kept has signatures of its own. */
void regress_compare_signatures(struct regress *r,
				const struct signatures *new);

/* regress_blame.c: locates what broke, which is kept as `kept` (NULL: it is
 * not), and the old failure if nobody has and its build is there; compares the
 * pairs. */
void regress_compare_pairs(struct regress *r, const struct repro *kept);

/* Failures that one bug may show as, depending on who comes first. */
bool regress_is_alike(const struct verdict *a, const struct verdict *b);

/* maple.c: the baseline. Its iRoots become the signatures of the result; ends
 * when something broke or the runs are made. */
MUST_USE int regress_maple(struct regress *r, struct err *err);

#endif
