/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CONFIRM_H
#define HEDDLE_CONFIRM_H

/*
 * Is a suspect the cause? Decided by experiment, under control, with rules of
 * order (format/order_rule.h):
 *
 * - *Reversal*: the failing schedule again, but with the tail of the pair
 *   before its head. A cause whose order is reversed has no effect: the run
 *   must hold. Of coupled pairs one is reversed; either will do.
 * - *Enforcement*: passing schedules again, but with the head right before the
 *   tail. The failure must come back, the same by its identity. Of coupled
 *   pairs both orders are enforced. A single pair that does not bring it back
 *   alone is tried with its neighbour: the pair that shares an access with it
 *   in the failing run, so that both make an unserializable triple.
 *
 * A suspect that does both is confirmed. One that does only one of them is
 * told so: a pair that is necessary and not sufficient, or the other way round.
 * An order that the program does not allow (a lock, a join) cannot be had; the
 * rule is then broken and the experiment says nothing.
 */

#include "locate/gather.h"
#include "locate/suspect.h"

struct confirmation {
	bool was_tried;
	bool reversal_possible; /* the order could be had */
	bool reversal_holds;	/* and the failure was gone */
	uint32_t enforced;	/* schedules in which the order could be had */
	uint32_t failed;	/* of these, that failed alike */
	/* Where each pair's head and tail were, for whoever wants to force
	 * the order. */
	struct order_probe at[2][2];
};

static inline bool confirmation_is(const struct confirmation *c)
{
	return c->reversal_possible && c->reversal_holds && c->failed;
}

struct confirm_limits {
	size_t most;	   /* suspects that are tried */
	size_t wanted;	   /* that are confirmed */
	uint64_t deadline; /* of locate_now_ms; 0: none */
	/* Reversal may leave out the switches that interrupt the head's thread:
	 * in a loop they may strike again in the next round. */
	bool allows_less;
};

/* Tries the suspects in their order until a limit is reached. An experiment
 * that was begun is finished, and what is missing then says nothing for the
 * suspect. `results` has one for each suspect. */
MUST_USE int confirm(struct again *a, struct gathered *g,
		     const struct suspects *suspects,
		     const struct confirm_limits *limits,
		     struct confirmation *results, struct err *err);

#endif
