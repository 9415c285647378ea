/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SOLVER_KIND_H
#define HEDDLE_SOLVER_KIND_H

/*
 * What a solver behind solver.h must do. The front (solver.c) keeps the
 * numbering of events; each kind keeps the rest. For the solvers only.
 */

#include "explore/solver.h"

struct solver_kind_ops {
	void *(*new)(uint32_t chains);
	void (*free)(void *self);
	void (*event)(void *self, uint32_t chain, literal present);
	void (*edge)(void *self, uint32_t a, uint32_t b);
	literal (*variable)(void *self, literal need);
	literal (*before)(void *self, uint32_t a, uint32_t b);
	void (*prefer)(void *self, literal l);
	void (*clause)(void *self, const literal *literals, size_t count);
	enum solver_answer (*solve)(void *self, const literal *assumptions,
				    size_t count, uint64_t limit);
	bool (*value)(const void *self, literal l);
	const uint32_t *(*sequence)(const void *self);
};

extern const struct solver_kind_ops solver_order_ops;
#ifdef HEDDLE_Z3
extern const struct solver_kind_ops solver_z3_ops;
#endif

#endif
