/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_CAMPAIGN_H
#define HEDDLE_LINEAR_CAMPAIGN_H

/*
 * All inputs, many schedules each. A worker takes one input after the other,
 * makes its serial executions and then its concurrent ones, and writes the
 * case down; inputs are independent, so with any number of workers the same is
 * found. Schedule r of an input has the seed `seed` + r.
 *
 * Cases that were written down before are judged without a run, as long as they
 * have the schedules that are asked for. An interrupt keeps what was made.
 *
 * Like campaign_run (trial/campaign.h): only the main thread of a process
 * without other children may call it.
 */

#include "linear/linear_case.h"

struct linear_news {
	double seconds;
	uint64_t made, wanted; /* executions */
	uint64_t done, inputs;
	uint64_t flagged; /* inputs */
};

struct linear_options {
	const struct linear_spec *spec; /* may be NULL in process */
	char *const *argv;		/* in process; else NULL */
	const char *guest;
	const struct linear_inputs *inputs; /* NULL in process */
	struct control_ask ask;
	uint64_t seed, schedules;
	uint32_t workers; /* 0: as many as processors */
	bool is_fresh;
	const char *records; /* directory of cases; NULL: none are kept */
	void (*tell)(void *to, const struct linear_news *news); /* or NULL */
	void *to;
};

/* Executions of one case that are wrong in the same way. */
struct linear_finding {
	size_t of_case;
	size_t execution; /* the first */
	uint64_t count;	  /* of schedules */
};

struct linear_result {
	VEC(struct linear_case) cases;
	VEC(struct linear_finding) findings;
	uint64_t made;	   /* concurrent executions, now */
	uint64_t runs;	   /* of the program, now, serial ones included */
	uint64_t recorded; /* executions that were read */
	uint64_t unknown;  /* executions without a verdict */
	double seconds;
	int stopped_by;
	bool is_fresh;	 /* each run was started afresh */
	char *why_early; /* runs do not begin where it is ready; or NULL */
};

MUST_USE int linear_campaign_run(const struct linear_options *o,
				 struct linear_result *result, struct err *err);
void linear_campaign_done(struct linear_result *result);

/* Groups what is wrong into findings. */
void linear_findings_make(struct linear_result *result);

/* Where the record of a case is; the caller frees. NULL without records. */
char *linear_record_path(const struct linear_options *o, size_t of_case);

#endif
