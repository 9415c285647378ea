/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CODE_LOOPS_H
#define HEDDLE_CODE_LOOPS_H

/*
 * The loops of a program, from its file: functions by the symbol table, their
 * flow graphs (code_flow.h), loops by dominators (analysis/loop_nest.h). A
 * program built with heddle cc --loops calls a hook at every basic block; here
 * it is found out at which of them an iteration begins, or a loop has ended,
 * for the guest to follow (format/pair_block.h).
 *
 * The hook of a loop is that of its header or, where the compiler has left it
 * without, of the next block that every iteration passes. A loop without such a
 * block has no iterations, and counts as no loop. Functions without a symbol
 * have no loops, nor have other modules than the program itself.
 */

#include "base/err.h"
#include "base/vec.h"
#include "format/pair_block.h"

#include <stdbool.h>

struct code_loop_range {
	uint64_t from, to; /* of addresses in the file */
	uint16_t loop;	   /* the innermost there */
};

struct code_loops {
	uint32_t count;	     /* loops; their numbers are from 1 */
	VEC(uint16_t) outer; /* by loop */
	VEC(struct code_loop_range) ranges; /* by address */
	VEC(struct loop_hook) hooks;
	bool has_hooks; /* the program was built for it */
};

/* A file that cannot be read has no loops. */
void code_loops_init(struct code_loops *l, const char *path);
void code_loops_done(struct code_loops *l);

/* The innermost loop at an address; 0: none. */
uint16_t code_loops_at(const struct code_loops *l, uint64_t address);

/* Tells the guest, if there is anything to tell. */
void code_loops_fill(const struct code_loops *l, struct pair_block *pairs);

#endif
