/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DIAGNOSIS_H
#define HEDDLE_DIAGNOSIS_H

/*
 * What kind of bug a suspect is, if it is the cause, by what failing and
 * passing runs show of it; and a sentence for people.
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
	/* The pair that makes it a violation of atomicity, together with the
	 * suspect: it leads back. */
	bool has_other;
	struct pair_line other;
	bool is_before; /* it came before the suspect */
};

/* What experiments say. */
struct diagnosis_ask {
	bool holds_reversed; /* the failing run, with the suspect reversed */
	/* Does it hold with this pair reversed instead? NULL: nobody knows. */
	bool (*holds)(void *of, const struct pair_line *pair);
	void *of;
};

struct diagnosis diagnose(const struct gathered *g, const struct suspect *s,
			  const struct diagnosis_ask *ask);

const char *bug_kind_text(enum bug_kind k);

#endif
