/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SEARCH_H
#define HEDDLE_SEARCH_H

/*
 * Clause learning over Booleans and an order graph. Decide a variable, follow
 * what the clauses force (two literals of each are watched) and what the graph
 * forces; where that ends in a contradiction, learn the clause that forbids
 * its cause (at the first point where all its paths meet), go back as far as
 * that clause allows, and go on. Marques-Silva and Sakallah 1999; Moskewicz et
 * al. 2001; Eén and Sörensson 2003 for incremental solving by assumptions.
 *
 * Values are kept by literal, clauses in one array of words: size and whether
 * it was learnt, its glue (how many levels it spans), then the literals, of
 * which the first two are watched. Where a clause is the reason of a value,
 * that literal is its first.
 *
 * What the graph forces carries no clause: its reason is made when it is asked
 * for. Between two searches nothing is decided: level 0.
 */

#include "explore/activity.h"
#include "explore/order_graph.h"

enum search_value { VALUE_FALSE, VALUE_TRUE, VALUE_OPEN };

enum {
	REASON_NONE = 0xffffffff,
	REASON_ORDER = 0xfffffffe,
	CLAUSE_WORDS = 2, /* before the literals */
	CLAUSE_LEARNT = 1,
	CLAUSE_DEAD = 2,
	CLAUSE_SHIFT = 2,
};

struct search_variable {
	uint32_t reason, level;
	literal need[2];   /* it matters only where both hold */
	uint32_t from, to; /* the events it orders, or ORDER_NONE */
	bool phase;	   /* true: try the negative literal */
	bool keeps_phase;  /* whatever value it had */
	bool seen;
};

struct search_watch {
	uint32_t clause;
	literal other; /* where it holds the clause need not be looked at */
};

struct search_watches {
	struct search_watch *at;
	size_t count, room;
};

/* Where a level begins. */
struct search_level {
	size_t trail, skipped;
	struct order_mark graph;
};

struct search {
	struct order_graph graph;
	struct activity activity;
	VEC(struct search_variable) variables;
	VEC(uint8_t) value;		    /* by literal */
	VEC(struct search_watches) watches; /* by literal: when it is false */
	VEC(uint32_t) words;		    /* of the clauses */
	VEC(uint32_t) learnt;		    /* clauses */
	struct literals trail;
	size_t clauses_done, graph_done; /* of the trail */
	VEC(struct search_level) levels;
	VEC(uint32_t) skipped;	   /* variables that did not matter */
	struct literals conflict;  /* the clause that was broken */
	struct literals lesson;	   /* the clause to be learnt */
	struct literals reason;	   /* scratch for one reason */
	VEC(uint32_t) marked;	   /* variables seen, to be cleared */
	VEC(uint32_t) level_stamp; /* by level, for counting them */
	uint32_t stamp;
	size_t words_cleaned; /* of the clauses after the last cleaning */
	size_t learnt_most;
	bool broken; /* the clauses contradict each other */
};

void search_init(struct search *s, uint32_t chains);
void search_done(struct search *s);

uint32_t search_variable(struct search *s);

/* At level 0 only. The literals are reordered. */
void search_clause(struct search *s, literal *literals, size_t count);
void search_edge(struct search *s, uint32_t a, uint32_t b);

/* On SOLVER_YES everything is left as it was found; search_back(s, 0) before
 * anything else is done. */
enum solver_answer search_run(struct search *s, const literal *assumptions,
			      size_t count, uint64_t limit);

void search_back(struct search *s, size_t level);

/* Follows everything that is forced; false: `conflict` says why not. */
bool search_propagate(struct search *s);

void search_set(struct search *s, literal l, uint32_t reason);

/* Stores and watches a clause of two or more literals. */
uint32_t search_attach(struct search *s, const literal *literals, size_t count,
		       uint32_t flags, uint32_t glue);

/* Makes `lesson` out of `conflict`, the literal that it forces in front;
 * returns the level to go back to. (search_learn.c) */
size_t search_learn(struct search *s, uint32_t *glue);

/* Throws away what is fulfilled at level 0, and the worse half of the learnt
 * clauses when there are too many. At level 0. (search_clean.c) */
void search_clean(struct search *s, bool halve);

#endif
