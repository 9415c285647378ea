/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REGRESS_INNER_H
#define HEDDLE_REGRESS_INNER_H

/*
 * What the files of the regression engine share: a trial of one kept failure
 * against one build, while it lasts.
 */

#include "regress/regress.h"

struct regress {
	const struct regress_options *o;
	struct again again; /* the new build */
	struct hunter hunter;
	struct regress_result *result;
	/* What broke, until it has been judged. */
	struct captured *broken;
	struct verdict verdict;
	struct hunt_report report; /* of that run, or of the best so far */
};

/* Are there runs left? */
bool regress_has_runs(const struct regress *r);

/* A run was made with this setting: takes over what broke in it. */
void regress_take(struct regress *r, uint32_t signature,
		  const struct hunt_setting *set, struct hunt_run *run);

/* Hunts for one of the signatures once; 1 when something broke. */
MUST_USE int regress_hunt(struct regress *r, uint32_t signature,
			  struct hunt_setting *set, struct hunt_report *report,
			  struct err *err);

/* sameness.c: fills in the verdict, and how sure it is. */
void regress_judge(struct regress *r);

/* maple.c: the baseline. Its iRoots become the signatures of the result; ends
 * when something broke or the runs are made. */
MUST_USE int regress_maple(struct regress *r, struct err *err);

#endif
