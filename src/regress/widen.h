/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WIDEN_H
#define HEDDLE_WIDEN_H

/*
 * How alike is alike enough? The search over w and d that Tsui, Wu and Chan
 * left to the tester (section 4.2.1): *jump* when nothing matched, *cut* when
 * something matched and the bug was not triggered.
 *
 * Every event has a width of its own, and the report of a run says which event
 * did not come: only that one is widened. Nobody stood at such a place: jump,
 * w grows fourfold, and code with the same text in other functions counts too,
 * and other code in the same function.
 * They stood there but came by other calls: d grows to the least distance that
 * was seen. Everything came but in another order or on other objects: the same
 * again with other choices, then jump for the event that was missing, and last
 * let objects be equal that were not. Everything came in order (an *s-match*)
 * and nothing broke: the same with other choices, then cut, half way back to
 * the w at which it is known not to match.
 *
 * A search is over when it can neither jump nor cut; it may be begun anew, with
 * more chance in the choices and the widths that matched.
 */

#include "regress/hunter.h"

enum {
	WIDEN_JUMP = 16,    /* the first w above 0 */
	WIDEN_MOST = 4096,  /* no w above this */
	WIDEN_FAR = 8,	    /* no d above this */
	WIDEN_PATIENCE = 3, /* runs more of a kind before it changes */
};

struct widening {
	uint32_t count; /* events */
	struct hunt_setting now;
	uint32_t none[HUNT_EVENTS]; /* greatest w that did not match, + 1 */
	uint32_t same;		    /* runs with the present widths */
	uint32_t rounds;	    /* how often it was begun */
	bool has_matched;	    /* an s-match, ever */
	bool is_over;
	struct hunt_setting matched; /* the last s-match */
};

void widening_begin(struct widening *w, const struct signature *s);

/* Once more, with what was learned and other choices. */
void widening_renew(struct widening *w);

/* What came of a run with `now`, in which the bug was not triggered. */
void widening_learn(struct widening *w, const struct hunt_report *r);

#endif
