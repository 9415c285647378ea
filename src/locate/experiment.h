/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EXPERIMENT_H
#define HEDDLE_EXPERIMENT_H

/*
 * Runs that are made to find something out about a kept failure: a plan,
 * followed loosely, and rules of order (format/order_rule.h). What an order
 * makes spin or hang is cut short; while experiments are under way the follower
 * has limits of their own.
 */

#include "locate/gather.h"

enum ended {
	ENDED_HELD,
	ENDED_SAME,  /* the failure that was kept, by its identity */
	ENDED_OTHER, /* another one, or no answer */
	ENDED_ERROR,
};

struct experiments {
	struct again *again;
	struct gathered *g;
	uint64_t deadline;	       /* of locate_now_ms; 0: none */
	uint64_t had_points, had_hang; /* limits of the follower before */
};

struct experiments experiments_begin(struct again *a, struct gathered *g,
				     uint64_t deadline);
void experiments_end(struct experiments *e);
bool experiments_are_late(const struct experiments *e);

/* A place and a thread by the numbers of the run made last; 0 and UINT32_MAX:
 * there is none. */
uint32_t experiment_site(const struct experiments *e, uint32_t place);
uint32_t experiment_thread(const struct experiments *e, uint16_t thread);

/* How each rule fared is written back. */
enum ended experiment_run(struct experiments *e, const struct plan *plan,
			  struct order_rule *rules, uint32_t count,
			  struct err *err);

/* The same, and the schedule that the run took, unless the run could not be
 * made; the caller frees it. */
enum ended experiment_take(struct experiments *e, const struct plan *plan,
			   struct order_rule *rules, uint32_t count,
			   struct plan **taken, struct err *err);

#endif
