/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/solver.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "explore/solver_kind.h"

struct solver {
	const struct solver_kind_ops *ops;
	void *self;
	uint32_t events, chains;
};

static const struct solver_kind_ops *kind_ops(enum solver_kind kind)
{
	switch (kind) {
	case SOLVER_ORDER:
		return &solver_order_ops;
	case SOLVER_Z3:
#ifdef HEDDLE_Z3
		return &solver_z3_ops;
#else
		break;
#endif
	}
	return NULL;
}

struct solver *solver_new(enum solver_kind kind, uint32_t chains,
			  struct err *err)
{
	const struct solver_kind_ops *ops = kind_ops(kind);
	struct solver *s;

	if (!ops) {
		err_set(err, "heddle was built without Z3: install libz3-dev "
			     "and build it again, or leave the solver out");
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->ops = ops;
	s->chains = chains;
	s->self = ops->new (chains);
	return s;
}

void solver_free(struct solver *s)
{
	if (s)
		s->ops->free(s->self);
	free(s);
}

uint32_t solver_event(struct solver *s, uint32_t chain, literal present)
{
	CHECK(chain < s->chains);
	s->ops->event(s->self, chain, present);
	return s->events++;
}

void solver_edge(struct solver *s, uint32_t a, uint32_t b)
{
	CHECK(a < s->events && b < s->events && a != b);
	s->ops->edge(s->self, a, b);
}

literal solver_variable(struct solver *s, literal need)
{
	return s->ops->variable(s->self, need);
}

literal solver_before(struct solver *s, uint32_t a, uint32_t b)
{
	CHECK(a < s->events && b < s->events && a != b);
	return s->ops->before(s->self, a, b);
}

void solver_prefer(struct solver *s, literal l)
{
	s->ops->prefer(s->self, l);
}

void solver_clause(struct solver *s, const literal *literals, size_t count)
{
	s->ops->clause(s->self, literals, count);
}

enum solver_answer solver_solve(struct solver *s, const literal *assumptions,
				size_t count, uint64_t limit)
{
	return s->ops->solve(s->self, assumptions, count, limit);
}

bool solver_value(const struct solver *s, literal l)
{
	return s->ops->value(s->self, l);
}

const uint32_t *solver_sequence(const struct solver *s)
{
	return s->ops->sequence(s->self);
}

uint32_t solver_events(const struct solver *s)
{
	return s->events;
}
