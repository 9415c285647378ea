/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference behind solver.h: Z3, with one integer for each event. It
 * decides every Boolean, needed or not, and knows no preferences.
 */
#ifdef HEDDLE_Z3

#include <stdlib.h>
#include <string.h>
#include <z3.h>

#include "analysis/keymap.h"
#include "base/vec.h"
#include "explore/solver_kind.h"

struct z3_solver {
	Z3_context context;
	Z3_solver solver;
	Z3_model model;
	VEC(Z3_ast) variables; /* by number: Booleans */
	VEC(Z3_ast) places;    /* by event: integers */
	VEC(uint32_t) chain;   /* by event */
	VEC(uint32_t) last;    /* by chain: its last event plus 1 */
	struct keymap pairs;
	VEC(uint32_t) sequence;
	VEC(int64_t) order; /* by event, of the last solution */
	VEC(Z3_ast) scratch;
};

static void *z3_new(uint32_t chains)
{
	struct z3_solver *z = xcalloc(1, sizeof(*z));
	Z3_config config = Z3_mk_config();
	Z3_params params;

	z->context = Z3_mk_context(config);
	Z3_del_config(config);
	z->solver = Z3_mk_simple_solver(z->context);
	Z3_solver_inc_ref(z->context, z->solver);
	params = Z3_mk_params(z->context);
	Z3_params_inc_ref(z->context, params);
	Z3_params_set_uint(z->context, params,
			   Z3_mk_string_symbol(z->context, "smt.arith.solver"),
			   3);
	Z3_solver_set_params(z->context, z->solver, params);
	Z3_params_dec_ref(z->context, params);
	vec_push(&z->variables, Z3_mk_true(z->context));
	for (uint32_t c = 0; c < chains; c++)
		vec_push(&z->last, 0);
	return z;
}

static void forget_model(struct z3_solver *z)
{
	if (z->model)
		Z3_model_dec_ref(z->context, z->model);
	z->model = NULL;
}

static void z3_free(void *self)
{
	struct z3_solver *z = self;

	forget_model(z);
	Z3_solver_dec_ref(z->context, z->solver);
	Z3_del_context(z->context);
	keymap_done(&z->pairs);
	vec_free(&z->variables);
	vec_free(&z->places);
	vec_free(&z->chain);
	vec_free(&z->last);
	vec_free(&z->sequence);
	vec_free(&z->order);
	vec_free(&z->scratch);
	free(z);
}

static Z3_ast ast_of(const struct z3_solver *z, literal l)
{
	Z3_ast variable = z->variables.at[l >> 1];

	return l & 1 ? Z3_mk_not(z->context, variable) : variable;
}

static void z3_edge(void *self, uint32_t a, uint32_t b)
{
	struct z3_solver *z = self;

	Z3_solver_assert(z->context, z->solver,
			 Z3_mk_lt(z->context, z->places.at[a],
				  z->places.at[b]));
}

static void z3_event(void *self, uint32_t chain, literal present)
{
	struct z3_solver *z = self;
	uint32_t event = (uint32_t)z->places.count;

	(void)present;
	vec_push(&z->places, Z3_mk_fresh_const(z->context, "e",
					       Z3_mk_int_sort(z->context)));
	vec_push(&z->chain, chain);
	if (z->last.at[chain])
		z3_edge(z, z->last.at[chain] - 1, event);
	z->last.at[chain] = event + 1;
}

static literal z3_variable(void *self, literal need)
{
	struct z3_solver *z = self;

	(void)need;
	vec_push(&z->variables, Z3_mk_fresh_const(z->context, "b",
						  Z3_mk_bool_sort(z->context)));
	return (literal)(2 * (z->variables.count - 1));
}

static literal new_pair(struct z3_solver *z, uint32_t a, uint32_t b)
{
	literal l = z3_variable(z, LITERAL_TRUE);
	Z3_ast one = z->places.at[a], other = z->places.at[b];
	Z3_context c = z->context;

	Z3_solver_assert(c, z->solver,
			 Z3_mk_iff(c, ast_of(z, l), Z3_mk_lt(c, one, other)));
	Z3_solver_assert(c, z->solver,
			 Z3_mk_iff(c, Z3_mk_not(c, ast_of(z, l)),
				   Z3_mk_lt(c, other, one)));
	return l;
}

static literal z3_before(void *self, uint32_t a, uint32_t b)
{
	struct z3_solver *z = self;
	bool turned = a > b;
	uint32_t *place;

	if (z->chain.at[a] == z->chain.at[b])
		return turned ? LITERAL_FALSE : LITERAL_TRUE;
	place = keymap_at(&z->pairs, turned ? b : a, turned ? a : b);
	if (!*place)
		*place = new_pair(z, turned ? b : a, turned ? a : b) + 1;
	return (*place - 1) ^ turned;
}

static void z3_prefer(void *self, literal l)
{
	(void)self;
	(void)l;
}

static Z3_ast *asts_of(struct z3_solver *z, const literal *l, size_t count)
{
	z->scratch.count = 0;
	vec_reserve(&z->scratch, count + 1);
	for (size_t i = 0; i < count; i++)
		vec_push(&z->scratch, ast_of(z, l[i]));
	return z->scratch.at;
}

static void z3_clause(void *self, const literal *literals, size_t count)
{
	struct z3_solver *z = self;
	Z3_ast *asts = asts_of(z, literals, count);

	Z3_solver_assert(z->context, z->solver,
			 Z3_mk_or(z->context, (unsigned int)count, asts));
}

static int compare_places(const void *a, const void *b, void *order)
{
	const int64_t *by = order;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (by[x] != by[y])
		return by[x] < by[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void keep_solution(struct z3_solver *z)
{
	Z3_context c = z->context;

	z->model = Z3_solver_get_model(c, z->solver);
	Z3_model_inc_ref(c, z->model);
	z->order.count = z->sequence.count = 0;
	for (uint32_t e = 0; e < z->places.count; e++) {
		Z3_ast number;
		int64_t value = 0;

		CHECK(Z3_model_eval(c, z->model, z->places.at[e], true,
				    &number));
		CHECK(Z3_get_numeral_int64(c, number, &value));
		vec_push(&z->order, value);
		vec_push(&z->sequence, e);
	}
	qsort_r(z->sequence.at, z->sequence.count, sizeof(uint32_t),
		compare_places, z->order.at);
}

static enum solver_answer z3_solve(void *self, const literal *assumptions,
				   size_t count, uint64_t limit)
{
	struct z3_solver *z = self;
	Z3_ast *asts = asts_of(z, assumptions, count);
	Z3_params params = Z3_mk_params(z->context);
	Z3_lbool answer;

	Z3_params_inc_ref(z->context, params);
	Z3_params_set_uint(z->context, params,
			   Z3_mk_string_symbol(z->context, "max_conflicts"),
			   limit && limit < 0xffffffff ? (unsigned int)limit :
							 0xffffffff);
	Z3_solver_set_params(z->context, z->solver, params);
	Z3_params_dec_ref(z->context, params);
	forget_model(z);
	answer = Z3_solver_check_assumptions(z->context, z->solver,
					     (unsigned int)count, asts);
	if (answer == Z3_L_UNDEF)
		return SOLVER_UNKNOWN;
	if (answer == Z3_L_FALSE)
		return SOLVER_NO;
	keep_solution(z);
	return SOLVER_YES;
}

static bool z3_value(const void *self, literal l)
{
	const struct z3_solver *z = self;
	Z3_ast value;

	CHECK(Z3_model_eval(z->context, z->model, ast_of(z, l), true, &value));
	return Z3_get_bool_value(z->context, value) == Z3_L_TRUE;
}

static const uint32_t *z3_sequence(const void *self)
{
	const struct z3_solver *z = self;

	return z->sequence.at;
}

const struct solver_kind_ops solver_z3_ops = {
	.new = z3_new,
	.free = z3_free,
	.event = z3_event,
	.edge = z3_edge,
	.variable = z3_variable,
	.before = z3_before,
	.prefer = z3_prefer,
	.clause = z3_clause,
	.solve = z3_solve,
	.value = z3_value,
	.sequence = z3_sequence,
};

#else
/* A file of C must hold something. */
typedef int solver_z3_is_left_out;
#endif
