/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DIAGNOSIS_H
#define HEDDLE_DIAGNOSIS_H

/*
 * What kind of bug a suspect is, if it is the cause, by the pairs of the
 * failing run and of passing ones alone; and a sentence for people. Where the
 * program can be run, inquiry.h knows better.
 */

#include "locate/gather.h"
#include "locate/suspect.h"

enum bug_kind {
	BUG_ORDER,
	BUG_SINGLE, /* atomicity, one variable */
	BUG_MULTI,  /* atomicity, several */
};

struct diagnosis {
	enum bug_kind kind;
	int row; /* of LOCON's Table 1; 0: none of them */
	/* What stands for the suspect, which it may be itself: two accesses in
	 * the same order that are nearer to the next. */
	bool has_there;
	struct pair_line there;
	/* The pair that makes it a violation of atomicity, together with the
	 * suspect: it leads back. */
	bool has_other;
	struct pair_line other;
	bool is_other_missing; /* the failing run did not come to its tail */
	bool is_before;	       /* it came before the suspect */
};

/* `holds_reversed`: an experiment has shown that the failing run holds with the
 * suspect reversed. */
struct diagnosis diagnose(const struct gathered *g, const struct suspect *s,
			  bool holds_reversed);

const char *bug_kind_text(enum bug_kind k);

#endif
