/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SOLVER_H
#define HEDDLE_SOLVER_H

/*
 * Orders of events under clauses. Events stand in chains, each of which is a
 * fixed order; Booleans say of two events which comes first, or mean whatever
 * the caller likes; clauses tie them together. A solution is an order of all
 * events, in which every chain is kept, and a value for every Boolean, such
 * that every clause holds and every Boolean about two events agrees with the
 * order.
 *
 * Two solvers stand behind this header: our own (solver_order.c) and Z3 with
 * one integer for each event (solver_z3.c), as the reference.
 *
 * A Boolean may be told where it matters: as long as one of its `needs` is
 * false, a solver may leave it open. The caller answers for it that the
 * clauses can still be fulfilled then. So events that do not take place cost
 * next to nothing.
 *
 * A solver is grown and asked again and again; what it learnt it keeps. It is
 * not shared between threads.
 */

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A Boolean or its opposite. */
typedef uint32_t literal;

enum { LITERAL_TRUE = 0, LITERAL_FALSE = 1 };

static inline literal literal_not(literal l)
{
	return l ^ 1;
}

enum solver_kind { SOLVER_ORDER, SOLVER_Z3 };

enum solver_answer {
	SOLVER_NO,
	SOLVER_YES,
	SOLVER_UNKNOWN, /* the limit was reached */
};

struct solver;

/* Fails only where the kind was not compiled in. */
MUST_USE struct solver *solver_new(enum solver_kind kind, uint32_t chains,
				   struct err *err);
void solver_free(struct solver *s);

/* The next event of a chain; events are numbered from 0. Booleans about it
 * matter only where `present` holds. */
uint32_t solver_event(struct solver *s, uint32_t chain, literal present);

/* From now on a is before b. They must not be known to be the other way. */
void solver_edge(struct solver *s, uint32_t a, uint32_t b);

/* A Boolean that matters only where `need` holds. */
literal solver_variable(struct solver *s, literal need);

/* The Boolean "a is before b", of two different events. Where edges and chains
 * settle it, it is LITERAL_TRUE or LITERAL_FALSE. */
literal solver_before(struct solver *s, uint32_t a, uint32_t b);

/* The value to try first. */
void solver_prefer(struct solver *s, literal l);

/* At least one of them holds. */
void solver_clause(struct solver *s, const literal *literals, size_t count);

/* Is there a solution in which all the assumptions hold? `limit` conflicts
 * may be met on the way; 0: as many as it takes. */
enum solver_answer solver_solve(struct solver *s, const literal *assumptions,
				size_t count, uint64_t limit);

/* After SOLVER_YES: the value of a Boolean, and all events in their order.
 * Both are valid until the solver is used again. */
bool solver_value(const struct solver *s, literal l);
const uint32_t *solver_sequence(const struct solver *s);

/* The number of events. */
uint32_t solver_events(const struct solver *s);

#endif
