/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CAUSAL_H
#define HEDDLE_CAUSAL_H

/*
 * The maximal causal model of one trace: all that any program can do which can
 * do what the trace says. A read that gets a value it did not get is the end
 * of what the trace knows about its thread; so the question is always: can
 * this read get that value?
 *
 * Finds: for each read and each other value, a schedule in which it gets that
 * value, whenever the trace implies that there is one.
 * Misses: barriers whose threads change their rounds. Who arrives last in a
 * round, and what becomes of a try, is asked for as the values of reads are.
 * Wrong when: threads depend on something that is not in the trace.
 *
 * Luo, Huang and Rosu, Systematic Concurrency Testing with Maximal Causality;
 * Serbanuta, Chen and Rosu, Maximal Causal Models for Sequentially Consistent
 * Systems (2012). One change: each event has a Boolean "takes place". Locks,
 * reads and waits bind only what takes place, so that a schedule may end
 * anywhere, inside a critical section for instance; the published constraint
 * orders every two sections and loses those schedules. And with it all
 * questions about one trace share one formula.
 *
 * The model keeps a pointer to the trace, which must outlive it.
 */

#include "explore/causal_trace.h"
#include "explore/solver.h"

/* A question: can that read get these values, one for each part? Or can this
 * arrival at a barrier be the last one (one value, 1)? Or can this try succeed
 * (one value, 0), or fail (1)? */
struct causal_target {
	uint32_t event;
	uint64_t *values;
};

struct causal_schedule {
	struct causal_step *at;
	size_t count, room;
};

/* Runs in which the read has got the values already. For each run and each
 * thread: with how many of its events in this trace the thread began in that
 * run, results included. Asking again with one more run each time, until the
 * answer is no, brings the read together with everything that the other
 * threads can have done by then. */
struct causal_known {
	const uint32_t *shared; /* runs times threads */
	size_t runs;
};

/* What questions have cost so far. */
struct causal_counts {
	uint64_t asked, yes, no, unknown;
	uint64_t wrong; /* solutions that the simulator refused */
	uint64_t cut;	/* reads with too many combinations of values */
};

struct causal;

/* Fails only where there is no such solver. */
MUST_USE struct causal *causal_new(const struct causal_trace *t,
				   enum solver_kind kind, struct err *err);
void causal_free(struct causal *m);

/* All questions that are left when the hopeless ones are gone: values that
 * nobody writes, or only after the read, or that another write must cover. */
size_t causal_targets(struct causal *m, const struct causal_target **targets);

/* Answers one. On SOLVER_YES the schedule, which is emptied first, ends with
 * the read; the simulator has seen it. No run in `known`, which may be NULL,
 * goes through all of it. `limit` as for solver_solve. */
enum solver_answer causal_ask(struct causal *m, const struct causal_target *t,
			      const struct causal_known *known, uint64_t limit,
			      struct causal_schedule *out);

/* Is there a schedule after which every thread waits, the main thread among
 * them? Asked again, for one in which threads wait elsewhere. */
enum solver_answer causal_ask_stuck(struct causal *m, uint64_t limit,
				    struct causal_schedule *out);

/* A state: these events have taken place, and those are what their threads, of
 * which each is there once, do next. */
struct causal_state {
	const uint32_t *done, *next;
	size_t done_count, next_count;
};

/* Can no schedule lead there, as a look can tell? */
bool causal_is_hopeless(const struct causal *m, const struct causal_state *s);

/* A schedule that leads there, without what is next. Two accesses that can be
 * next together can be made one right after the other, in either order. */
enum solver_answer causal_ask_state(struct causal *m,
				    const struct causal_state *s,
				    uint64_t limit,
				    struct causal_schedule *out);

const struct causal_counts *causal_counts(const struct causal *m);

#endif
