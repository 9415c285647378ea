/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SERIAL_ORDERS_H
#define HEDDLE_SERIAL_ORDERS_H

/*
 * Is there a serial order of the requests that explains an execution?
 *
 * An order has to keep what was over before something else began, and, request
 * by request, give the replies that were seen, and at its end the state that
 * was seen. What a serial execution does is not known in advance: it has to be
 * made, and costs a run.
 *
 * Finds: an order, if there is one and the budget lasts.
 * Misses: nothing; but without the budget it says that it does not know.
 * Wrong when: serial executions with the same beginning differ in the replies
 *   of that beginning (the program is not deterministic even alone), or when
 *   requests that were said to be apart are not.
 *
 * The search (after Wing and Gong, and Lowe) goes through beginnings, depth
 * first. A beginning whose last reply is another than the one seen is given up
 * with all orders that begin so. A serial execution that was made tells the
 * replies of all its beginnings, and is remembered. Two neighbours that are
 * apart are tried in one order only. Where the state after a beginning is known
 * completely, beginnings with the same requests and the same state are tried
 * once.
 */

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { ORDERS_REQUESTS = 32 };

enum orders_answer {
	ORDERS_FIT,
	ORDERS_NONE,
	ORDERS_UNKNOWN, /* the budget was spent */
};

/* A serial execution is a number that the source gave it. */
enum { ORDERS_IMPOSSIBLE = -2 }; /* the program cannot serve this order */

struct orders_source {
	void *arg;
	/* Makes, or remembers, the execution of a whole order. Returns its
	 * number, ORDERS_IMPOSSIBLE, or -1. */
	int (*serve)(void *arg, const uint32_t *order, uint32_t count,
		     bool *was_known, struct err *err);
	/* Did request r get the reply that was seen? */
	bool (*replies)(void *arg, int execution, uint32_t request);
	/* Is its state, at the end, the one that was seen? */
	bool (*leaves)(void *arg, int execution);
	/* All of the state after the first k requests; 0: not known. May be
	 * NULL. */
	uint64_t (*state_after)(void *arg, int execution, uint32_t k);
};

struct orders_question {
	uint32_t count;
	/* before[i] has bit k: i was over before k began. */
	uint32_t before[ORDERS_REQUESTS];
	/* apart[i] has bit k: their order does not matter. */
	uint32_t apart[ORDERS_REQUESTS];
	uint32_t budget; /* executions that may be made */
};

struct orders_result {
	enum orders_answer answer;
	uint32_t order[ORDERS_REQUESTS]; /* that fits */
	uint32_t made;			 /* executions */
	uint32_t looked;		 /* beginnings */
};

/* -1: an execution could not be made. */
MUST_USE int orders_search(const struct orders_question *q,
			   const struct orders_source *source,
			   struct orders_result *result, struct err *err);

/* The first orders that keep `before`, in the order of their numbers; at most
 * `most`. Returns how many there are in `orders`, `count` numbers each. */
uint32_t orders_list(const struct orders_question *q, uint32_t *orders,
		     uint32_t most);

#endif
