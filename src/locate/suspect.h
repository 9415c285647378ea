/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SUSPECT_H
#define HEDDLE_SUSPECT_H

/*
 * Pairs that may have caused a failure, in the order in which to look at them.
 *
 * The three procedures are those of LOCON (Wang et al., ASE 2014). Each takes
 * a spectrum and gives its suspects; none looks at the program.
 *
 * I.   Finds: pairs that only the failing run has, without those that merely
 *      imply another of them. Misses: what passing runs show too. Wrong when:
 *      a harmless order is so rare that no passing run has it.
 * II.  Finds: pairs that the failing run would have had if it had not died:
 *      their reverses are in all passing runs, or in just those where another
 *      pair is that the failing run has, and it has neither. Wrong when: code
 *      is not reached for another reason.
 * III. Finds: two pairs on different memory that the failing run has together
 *      and no passing run has together. Misses: failures of three pairs no two
 *      of which fail. Wrong when: two orders never met by chance.
 * Falcon (Park, Vuduc and Harrold, ICSE 2010), to compare with: patterns of two
 *      and three accesses, by the share of failing runs among those that have
 *      them.
 */

#include "locate/spectrum.h"

enum procedure {
	PROCEDURE_I = 1,
	PROCEDURE_II,
	PROCEDURE_III,
	PROCEDURE_FALCON,
};

struct suspect {
	enum procedure procedure;
	enum level level;
	uint32_t count; /* pairs: 1, or 2 that are coupled */
	struct pair_line pairs[2];
	bool is_missing;	  /* II: the pair did not come to happen */
	struct pair_line partner; /* II: with which its reverse always comes */
	bool has_partner;
	double score; /* Falcon */
};

struct suspects {
	VEC(struct suspect) all;
	bool is_cut; /* there were more than could be compared */
};

void suspects_done(struct suspects *s);

/* Adds what the procedure finds. Procedure III takes a spectrum that keeps
 * instances. */
void procedure_one(const struct spectrum *s, struct suspects *found);
void procedure_two(const struct spectrum *s, struct suspects *found);
void procedure_three(const struct spectrum *s, enum level level,
		     struct suspects *found);
void procedure_falcon(const struct pair_run *failing,
		      const struct pair_run *const *passing, size_t count,
		      struct suspects *found);

#endif
