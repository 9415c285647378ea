/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_CASE_H
#define HEDDLE_LINEAR_CASE_H

/*
 * A case: one input, what it did in serial executions, and what it did in
 * concurrent ones; and the judgement of the one by the others (PIKE: Fonseca,
 * Li, Rodrigues, Finding Complex Concurrency Bugs in Large Multi-Threaded
 * Applications, EuroSys 2011).
 *
 * Finds: executions whose replies and state no single serial order gives: wrong
 *   replies, wrong error messages, state that went wrong and has not shown yet.
 * Misses: what the program does wrong in serial executions too; what neither
 *   replies nor the told state show.
 * Wrong when: the program is not meant to behave as if requests were served one
 *   by one; rules say where.
 *
 * Executions that no rule could tell apart are kept once and counted. What was
 * seen is kept as it was, so the same case can be judged again by another spec.
 */

#include "linear/driver.h"
#include "linear/fitting.h"
#include "linear/serial_orders.h"

enum {
	CASE_ORDERS = 6, /* serial orders that are always made and told */
	CASE_SEEDS = 2,	 /* serial executions of each order */
};

/* A serial execution. */
struct serial {
	VEC(struct linear_place) order;
	uint32_t seed;
	struct observed *seen; /* end is not WHOLE: it cannot be served so */
};

enum judgement {
	JUDGED_FITS,
	JUDGED_WRONG,	/* no single order fits */
	JUDGED_FAILED,	/* it crashed, hung, did not answer */
	JUDGED_UNKNOWN, /* the budget was spent, or it says nothing */
};

struct judged {
	enum judgement judgement;
	uint32_t orders; /* of the columns that follow */
	bool outputs[CASE_ORDERS], states[CASE_ORDERS];
	char *names[CASE_ORDERS]; /* of these orders: "12", "21" */
	/* The execution of the order that fits best, of the case's serials; -1:
	 * it cannot be served so. */
	int serials[CASE_ORDERS];
	bool is_error, is_latent;
	char *component;  /* that differs; NULL: only replies do */
	char *difference; /* how, in words */
	char *reply;	  /* the request whose reply fits nowhere; NULL */
};

struct execution {
	struct observed *seen; /* the first that was so */
	uint64_t hash;
	uint64_t count;
	struct judged judged;
	struct captured *captured; /* of a new one that did not fit */
	char *repro;		   /* its name, once it is kept */
};

struct linear_case {
	const struct linear_input *input; /* NULL in process */
	VEC(struct serial) serials;
	VEC(struct execution) executions;
	VEC(uint64_t) schedules; /* distinct, sorted when asked */
	uint64_t made;		 /* concurrent executions */
	bool is_varied;		 /* serial executions of one order differ */
	bool was_recorded;	 /* all of it comes from a record */
	uint64_t length;	 /* points of a serial execution */
};

void linear_case_done(struct linear_case *c);

/* Makes the serial executions everybody needs. */
MUST_USE int linear_case_prepare(struct linear_case *c, struct driver *d,
				 const struct linear_spec *s, struct err *err);

/* One concurrent execution, which becomes the case's, judged if it is new. */
MUST_USE int linear_case_add(struct linear_case *c, struct driver *d,
			     const struct linear_spec *s,
			     const struct control_ask *ask, struct err *err);

/* Judges all executions anew. The driver may be NULL as long as every serial
 * execution is there that is needed; else what is missing makes it unknown. */
MUST_USE int linear_case_judge(struct linear_case *c, struct driver *d,
			       const struct linear_spec *s, struct err *err);

/* The same for one execution. */
MUST_USE int linear_case_judge_one(struct linear_case *c, struct driver *d,
				   const struct linear_spec *s,
				   const struct observed *seen,
				   struct judged *judged, struct err *err);
void judged_done(struct judged *j);

#endif
