/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_SPAN_H
#define HEDDLE_SITE_SPAN_H

/*
 * Stretches of addresses, and which of them holds a given one: functions,
 * symbols, variables, units. They are added in any order, sorted once, then
 * asked. They may lie in one another and overlap; the answer is the one that
 * begins last, of those the shortest, of those the one of highest rank.
 */

#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t low, high; /* high is the first address after it */
	uint64_t reach;	    /* greatest high of this and all before it */
	uint32_t item;	    /* what it stands for: the owner's business */
	uint32_t rank;
};

/* The zero value is empty. */
struct spans {
	struct span *at;
	size_t count, room;
};

/* An empty stretch is not added. */
void spans_add(struct spans *s, struct span span);
void spans_sort(struct spans *s);
const struct span *spans_find(const struct spans *s, uint64_t addr);
void spans_done(struct spans *s);

#endif
