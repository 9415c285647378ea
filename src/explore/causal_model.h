/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CAUSAL_MODEL_H
#define HEDDLE_CAUSAL_MODEL_H

/*
 * The parts of the causal model: causal.c asks and answers, causal_reads.c
 * says where values come from, causal_locks.c, causal_waits.c,
 * causal_semaphores.c, causal_barriers.c and causal_tries.c say what
 * synchronisation allows, causal_steps.c what happens in one step;
 * causal_state.c and causal_stuck.c ask for states in place of values.
 *
 * Two Booleans for each event: `present`, it takes place as in the trace;
 * `there`, it takes place, perhaps as the read that gets another value. They
 * are one and the same but for what varies: reads, arrivals at barriers, and
 * tries.
 * What is not there counts as being after everything that is; so a clause about
 * the place of an event needs to mention its presence only where being late
 * would not fulfil it.
 */

#include "explore/causal.h"
#include "explore/order_graph.h"

/* A write as reads see it. */
struct causal_source {
	uint32_t event;
	uint64_t value;
};

struct causal_sources {
	struct causal_source *at;
	size_t count, room;
};

struct causal_values {
	uint64_t *at;
	size_t count, room;
};

/* A signal that ends a wait, in a solution where l holds. */
struct causal_match {
	uint32_t signal, wait;
	literal l;
};

/* What a semaphore's waits may take: of a post, or from the beginning. */
struct causal_token {
	uint32_t semaphore, post;
	size_t first, takers; /* in the model's takers */
};

/* A wait that takes a token, in a solution where l holds. */
struct causal_taker {
	uint32_t wait;
	literal l;
};

/* From where a thread has a lock to where it lets it go: events. */
struct causal_section {
	uint32_t thread, lock;
	bool shared;
	uint32_t enter, leave; /* leave may be CAUSAL_NOBODY */
};

/* A bound event. Where l holds, it need not have the result that it had. */
struct causal_bound {
	uint32_t event;
	literal l;
};

/* An event before which a thread may stop. */
struct causal_stop {
	uint32_t event;
	literal l;
};

struct causal {
	const struct causal_trace *trace;
	struct solver *solver;
	struct order_graph must;  /* what is before what in every schedule */
	literal *present, *there; /* by event */
	struct causal_sources *sources; /* by location times threads, thread */
	struct literals *kept;		/* by part: the writes it may read */
	/* By event times threads, thread: so many events of it take place, and
	 * earlier, where that one does; the second, whatever it reads. */
	uint32_t *needs, *before; /* causal_reads.c */
	VEC(struct causal_match) matches;
	VEC(struct causal_token) tokens;
	VEC(struct causal_taker) takers;
	VEC(struct causal_section) sections;
	VEC(struct causal_bound) bound; /* causal_steps.c */
	VEC(struct causal_stop) stops;	/* causal_stuck.c */
	literal stuck;
	bool has_stops;
	VEC(struct causal_target) targets;
	bool has_targets;
	struct literals scratch;
	struct causal_counts counts;
};

static inline bool must_be_before(const struct causal *m, uint32_t a,
				  uint32_t b)
{
	return order_graph_is_before(&m->must, a, b);
}

/* Does `event` take place, and earlier, wherever `other` does? False where that
 * is not known. */
static inline bool causal_is_needed(const struct causal *m, uint32_t event,
				    uint32_t other)
{
	const struct causal_event *e = &m->trace->events.at[event];

	return m->needs[(size_t)other * m->trace->threads + e->thread] >
	       e->position;
}

/* The literal "a is before b"; the order of the trace is tried first. */
literal causal_before(struct causal *m, uint32_t a, uint32_t b);

/* Both orders, for the solver and for `must`. */
void causal_edge(struct causal *m, uint32_t a, uint32_t b);

/* At most one of them holds. */
void causal_at_most_one(struct causal *m, const struct literals *l);

#define causal_clause(m, ...)                                                  \
	solver_clause((m)->solver, (const literal[]){ __VA_ARGS__ },           \
		      sizeof((const literal[]){ __VA_ARGS__ }) /               \
			      sizeof(literal))

/* Whom a signal wakes in the solution. */
uint32_t causal_woken_by(const struct causal *m, uint32_t signal);

/* Solves under q. Of all bound events `target` alone, which may be
 * CAUSAL_NOBODY, may have another result. */
enum solver_answer causal_solve(struct causal *m, literal q, uint32_t target,
				uint64_t limit);

/* After a solution: what takes place in it, in order, up to the event
 * `target`, or all for CAUSAL_NOBODY; steps in one piece. `turned` takes place
 * though it has another result. */
void causal_take(const struct causal *m, uint32_t target, uint32_t turned,
		 struct causal_schedule *out);

/* The same, of all, tried by the simulator. */
enum solver_answer causal_take_state(struct causal *m,
				     struct causal_schedule *out);

/* Adds to `out` a literal for each write that may give that value to a part of
 * a read; each says all that follows from it. */
void causal_add_sources(struct causal *m, uint32_t event,
			const struct causal_part *part, uint64_t value,
			struct literals *out);

/* Adds the values that a part may get, as far as a look can tell and if they
 * are not there yet. */
void causal_add_values(const struct causal *m, uint32_t event,
		       const struct causal_part *part,
		       struct causal_values *out);

/* Under q: that arrival at a barrier is the last of its round. */
void causal_add_arrival(struct causal *m, uint32_t event, literal q);

/* Before anything is added that looks at them. */
void causal_find_needs(struct causal *m);

/* Under q: the try fails where it succeeded, or the other way round; literals
 * made for it are added to `made`. */
void causal_add_try(struct causal *m, uint32_t event, literal q,
		    struct literals *made);

/* Can it ever, as a look can tell? */
bool causal_may_turn(const struct causal *m, uint32_t event);

void causal_add_reads(struct causal *m);
void causal_add_locks(struct causal *m);
void causal_add_waits(struct causal *m);
void causal_add_semaphores(struct causal *m);
void causal_add_barriers(struct causal *m);
void causal_add_tries(struct causal *m); /* after locks and semaphores */
void causal_add_steps(struct causal *m);

#endif
