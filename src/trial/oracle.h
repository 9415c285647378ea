/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ORACLE_H
#define HEDDLE_ORACLE_H

/*
 * Did a run hold, and if not, what broke? Most of it the guest has told (the
 * outcome), or the kernel (the wait status); outputs are compared here
 * (outputs.h). The answer is a verdict: what people read, and an identity.
 *
 * Two failures with the same identity are the same bug: same kind, same
 * message, same innermost functions of the program's own code. Numbers and
 * addresses that differ from run to run are no part of it.
 *
 * A verdict owns its strings; verdict_done frees them. Nothing here is shared
 * between threads.
 */

#include "format/control_block.h"
#include "format/verdict.h"
#include "trial/captured.h"
#include "trial/outputs.h"

struct verdict {
	enum outcome_kind kind;
	enum exit_status status; /* held, broken or unknown */
	char *text;		 /* "assertion `a == 1' failed (bank.c:31)" */
	char *identity;
	char *details; /* lines: stacks, what threads hold and wait for */
};

/* `outputs` may be NULL. -1: the check command could not be run. */
MUST_USE int oracle_judge(const struct captured *c,
			  const struct outputs *outputs, struct verdict *v,
			  struct err *err);

/* The same when it is known what broke: `words` (NULL: none) are what was found
 * out about it outside of the guest. */
void oracle_tell(const struct captured *c, enum outcome_kind kind,
		 const struct remark *words, struct verdict *v);
void verdict_done(struct verdict *v);

/* What a run comes to without a look at its outputs. */
enum outcome_kind oracle_kind(uint32_t outcome, int wait_status);
enum exit_status oracle_status(enum outcome_kind kind);
const char *oracle_kind_text(enum outcome_kind kind);

/* Equal for runs that failed alike in all details; cheap, from the shared
 * memory. Of runs with equal keys one verdict is enough. `words` as above. */
uint64_t oracle_key(const struct region *r, const struct remark *words);

#endif
