/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CODE_FLOW_H
#define HEDDLE_CODE_FLOW_H

/*
 * The flow graph of one function, from its machine code.
 *
 * A block ends at a jump, at an end, before the target of a jump, and before a
 * call of the basic-block hook. Where a jump through a table leads cannot be
 * seen; it is taken to lead to all blocks that nothing else leads to. Jumps out
 * of the function, and exceptions, have no edges.
 */

#include "analysis/loop_nest.h"

#include <capstone/capstone.h>

/* What a call leads to, as far as it matters here. */
enum code_callee {
	CALLEE_OTHER,
	CALLEE_HOOK, /* the hook of basic blocks */
	CALLEE_NO_RETURN,
};

struct code_block {
	uint64_t from, to; /* addresses; `to` is the first behind it */
	uint64_t hook;	   /* where its call of the hook returns to, or 0 */
};

struct code_flow {
	VEC(struct code_block) blocks; /* by address; the first is the entry */
	struct flow flow;
};

/* The disassembler must tell details. `callee` says what an instruction that
 * calls or jumps leads to. */
void code_flow_init(struct code_flow *c, csh disassembler, const uint8_t *code,
		    size_t size, uint64_t address,
		    enum code_callee (*callee)(const cs_insn *in, void *with),
		    void *with);
void code_flow_done(struct code_flow *c);

/* The block at an address, FLOW_NONE: none. */
uint32_t code_flow_at(const struct code_flow *c, uint64_t address);

#endif
