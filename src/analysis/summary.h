/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SUMMARY_H
#define HEDDLE_SUMMARY_H

/*
 * The run in numbers (struct run_summary in finding.h).
 *
 * Finds: how much of everything was recorded, and how much memory was shared:
 * 8 bytes count when two threads or more used them and one wrote, whether or
 * not something ordered them.
 * Misses: what the guest's filter left out; how often threads had to wait.
 * Wrong when: nothing; an address that was freed and given out again counts
 * as new.
 */

#include "analysis/finding.h"
#include "analysis/lockset.h"

struct summary_inputs {
	struct locations *where; /* NULL: no object is known, only granules */
	struct locksets *locks;	 /* NULL: locks are not counted */
	/* The innermost site of a stack; NULL: each stack is a site. */
	uint32_t (*site_of)(const void *self, uint32_t stack);
	const void *self;
};

struct summary;

struct summary *summary_new(const struct summary_inputs *inputs);
void summary_free(struct summary *s);

/* After the lock sets and the locations. */
/* The event will be fed soon: fetches the memory that will be looked at. */
void summary_expect(struct summary *s, const struct event *e);

void summary_feed(struct summary *s, const struct event *e);

/* As races_forget. */
void summary_forget(struct summary *s, uint64_t addr, uint64_t size);

struct run_summary summary_tell(struct summary *s);

#endif
