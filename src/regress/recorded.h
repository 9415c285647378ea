/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RECORDED_H
#define HEDDLE_RECORDED_H

/*
 * A run under control with its events in memory, and what signatures say of
 * them.
 *
 * Under control the order of events is the order in which they happened. Behind
 * the last one stand the waits of a deadlock: what threads stood before and
 * never came to.
 */

#include "regress/candidate.h"
#include "regress/code_map.h"
#include "regress/signature.h"
#include "trial/follower.h"

/* The zero value is none. */
struct recorded {
	struct captured *captured;
	struct trace *trace;
	VEC(struct event) events;
};

/* A run that follows a plan strictly; or one as the request says, which has
 * CONTROL_RECORD. recorded_done in any case. */
MUST_USE int recorded_follow(struct recorded *r, struct follower *f,
			     const struct plan *plan, struct err *err);
MUST_USE int recorded_run(struct recorded *r, struct worker *w,
			  const struct control_ask *ask, struct err *err);
void recorded_done(struct recorded *r);

/* Fills in what the map knows of the code at a site: all of an event but its
 * kind, labels, variable and calls. False: it knows nothing. */
bool recorded_place(struct code_map *m, uint32_t site,
		    struct signature_event *to);

/* Where an event happened; 0: nobody knows. */
uint32_t recorded_site(const struct recorded *r, const struct event *e);

/* The events of a candidate as a signature has them. False: some of them
 * happened where nothing is known of the code. The map is of the program that
 * ran. */
bool recorded_signature(const struct recorded *r, struct code_map *m,
			const struct candidate *c, struct signature *s);

#endif
