/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EVIDENCE_H
#define HEDDLE_EVIDENCE_H

/*
 * A kept failure with everything that can be shown of it: it is run again as
 * its plan says, with its events recorded. Where that does not give the kept
 * failure any more (the program was built anew, or is gone) there is no
 * witness, and a note says why; what was kept is there all the same.
 */

#include "report/document.h"
#include "store/repro.h"

struct evidence {
	struct repro *repro;
	struct witness *witness; /* may be NULL */
	struct culprit culprit;
	char *note;	      /* may be NULL */
	uint32_t same, times; /* replays, if they were asked for */
	char *errors;	 /* what it printed to standard error; may be NULL */
	json_t *located; /* may be NULL */
	json_t *linear;	 /* what heddle linear saw; may be NULL */
};

/* How often it is run to see how certain it is. Some replays tell more than
 * none: a few are made even if they take longer. */
struct evidence_replays {
	uint32_t most; /* 0: none at all */
	uint64_t ms;   /* for all of them */
};

enum { EVIDENCE_REPLAYS_LEAST = 3 };

/* -1 only when there is no such failure. evidence_done in any case. */
MUST_USE int evidence_gather(struct evidence *e, const char *store,
			     const char *name, struct evidence_replays replays,
			     struct err *err);
void evidence_done(struct evidence *e);

/* What heddle locate left beside the failure, if anything: gathered as well,
 * and anew by whoever has located since. */
void evidence_load_located(struct evidence *e);
void evidence_forget_located(struct evidence *e);

/* As a part of a document; the evidence must outlive it. */
struct document_bug evidence_bug(const struct evidence *e);

#endif
