/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_OBSERVED_H
#define HEDDLE_OBSERVED_H

/*
 * What was seen of one execution: its requests with their replies and the order
 * in which they began and ended, the state it left, and how it ended. It is
 * kept as it was seen; rules are applied when executions are compared, so a
 * rule can be added later.
 */

#include "linear/component.h"

enum observed_end {
	OBSERVED_WHOLE,	  /* all requests were answered */
	OBSERVED_SILENT,  /* the program waits, and a request has no reply */
	OBSERVED_FAILED,  /* the run failed: words say how */
	OBSERVED_STRANGE, /* the run says nothing: limit, not controlled */
};

struct observed_request {
	uint32_t client; /* of a server; else the thread */
	uint32_t nth;	 /* of this client, from 0 */
	struct blob input, output;
	uint32_t begin, end; /* places in the history; end 0: never */
};

struct observed {
	VEC(struct observed_request) requests; /* by client, then nth */
	struct components state;
	enum observed_end end;
	char *words;   /* NULL: nothing to say */
	uint32_t lost; /* what the log had no room for */

	uint64_t seed;
	uint64_t schedule; /* hash of the steps */
	uint64_t points;   /* from the first request to the last reply */
};

struct observed *observed_new(void);
void observed_free(struct observed *o);

/* Requests and state as the run's log has them. */
struct linear_block;
void observed_take_log(struct observed *o, const struct linear_block *block,
		       bool with_requests);

/* Sorts the requests and seals the state. */
void observed_seal(struct observed *o);

/* Equal for executions that no rule could tell apart: everything but seed and
 * schedule. */
uint64_t observed_hash(const struct observed *o);

#endif
