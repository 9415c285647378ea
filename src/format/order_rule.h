/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ORDER_RULE_H
#define HEDDLE_ORDER_RULE_H

/*
 * Rules of order: what a run under control is to do, whatever its strategy
 * would choose. A rule says that one access comes before another: whoever
 * stands before the second is held until the first is done. An *adjoining*
 * rule also holds the thread that did the first until the second is done, so
 * that nothing of it comes between: at once, or once it has no lock.
 *
 * A rule never stops a run. If nobody but held threads can go on, or a thread
 * was held for too long, the rule is broken, and says so.
 *
 * An access is named by thread, site and how often the thread has stood there
 * (0: any time). Both sites are points while rules are in force. An access that
 * is made under a lock may have a gate, the place where the thread took its
 * first lock before: it is held there, for behind it might keep out the very
 * thread it waits for.
 */

#include <stdint.h>

enum { ORDER_RULES = 16 };

enum order_state {
	ORDER_OPEN = 0,	  /* neither has happened */
	ORDER_FIRST = 1,  /* the first has */
	ORDER_KEPT = 2,	  /* both have, in this order */
	ORDER_BROKEN = 3, /* the second came first */
};

enum order_adjoining {
	ORDER_LOOSE = 0,
	ORDER_UNLOCKED = 1, /* held when it has no lock */
	ORDER_AT_ONCE = 2,
};

struct order_access {
	uint32_t thread;
	uint32_t site;
	uint32_t visit;	    /* from 1; 0: any */
	uint32_t gate_site; /* 0: none */
	uint32_t gate_visit;
};

struct order_rule {
	struct order_access first, second;
	uint32_t adjoining; /* enum order_adjoining */
	uint32_t state;	    /* enum order_state; the run's to write */
};

/* Where did a thread stand when it made its n-th access? Filled in by a run
 * that collects pairs. */
enum { ORDER_PROBES = 512 };

struct order_probe {
	uint32_t thread;
	uint32_t access; /* as moments of pairs count them */
	uint32_t site;	 /* 0: it was not made, or not at a point */
	uint32_t visit;
	uint32_t gate_site; /* as in struct order_access */
	uint32_t gate_visit;
};

#endif
