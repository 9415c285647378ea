/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/code_flow.h"

#include <stdlib.h>

#include "base/bisect.h"

enum step_kind {
	STEP_PLAIN,
	STEP_HOOK,
	STEP_BRANCH, /* or on */
	STEP_JUMP,
	STEP_INDIRECT, /* a jump to nobody knows where */
	STEP_END,
};

/* An instruction. */
struct step {
	uint64_t from, to;
	uint64_t target; /* of a branch or jump, 0: unknown */
	enum step_kind kind;
	bool is_leader; /* a block begins here */
};

struct reading {
	csh disassembler;
	enum code_callee (*callee)(const cs_insn *in, void *with);
	void *with;
	VEC(struct step) steps;
};

static bool is_last(const cs_insn *in)
{
	return in->id == X86_INS_UD2 || in->id == X86_INS_HLT ||
	       in->id == X86_INS_INT3;
}

static struct step step_of(const struct reading *r, const cs_insn *in)
{
	const cs_x86_op *op = &in->detail->x86.operands[0];
	bool has_target = in->detail->x86.op_count == 1 &&
			  op->type == X86_OP_IMM;
	struct step s = { .from = in->address, .to = in->address + in->size };

	if (cs_insn_group(r->disassembler, in, CS_GRP_RET) || is_last(in)) {
		s.kind = STEP_END;
	} else if (cs_insn_group(r->disassembler, in, CS_GRP_CALL)) {
		enum code_callee callee = r->callee(in, r->with);

		if (callee == CALLEE_HOOK)
			s.kind = STEP_HOOK;
		else if (callee == CALLEE_NO_RETURN)
			s.kind = STEP_END;
	} else if (cs_insn_group(r->disassembler, in, CS_GRP_JUMP)) {
		if (!has_target)
			s.kind = STEP_INDIRECT;
		else
			s.kind = in->id == X86_INS_JMP ? STEP_JUMP :
							 STEP_BRANCH;
		s.target = has_target ? (uint64_t)op->imm : 0;
	}
	return s;
}

static void read_steps(struct reading *r, const uint8_t *code, size_t size,
		       uint64_t address)
{
	cs_insn *in = cs_malloc(r->disassembler);

	/* Where data is passed over, there are no details. */
	while (in &&
	       cs_disasm_iter(r->disassembler, &code, &size, &address, in))
		if (in->id)
			vec_push(&r->steps, step_of(r, in));
	if (in)
		cs_free(in, 1);
}

static struct step *step_at(struct reading *r, uint64_t address)
{
	size_t n = bisect(i, 0, r->steps.count, r->steps.at[i].from < address);

	return n < r->steps.count && r->steps.at[n].from == address ?
		       &r->steps.at[n] :
		       NULL;
}

static void find_leaders(struct reading *r)
{
	for (size_t i = 0; i < r->steps.count; i++) {
		struct step *s = &r->steps.at[i], *target;

		if (!i || s->kind == STEP_HOOK)
			s->is_leader = true;
		if (s->kind < STEP_BRANCH)
			continue;
		if (i + 1 < r->steps.count)
			r->steps.at[i + 1].is_leader = true;
		target = s->target ? step_at(r, s->target) : NULL;
		if (target)
			target->is_leader = true;
	}
}

static void make_blocks(struct code_flow *c, const struct reading *r)
{
	for (size_t i = 0; i < r->steps.count; i++) {
		const struct step *s = &r->steps.at[i];

		if (s->is_leader)
			vec_push(&c->blocks,
				 (struct code_block){ .from = s->from });
		c->blocks.at[c->blocks.count - 1].to = s->to;
		if (s->kind == STEP_HOOK)
			c->blocks.at[c->blocks.count - 1].hook = s->to;
	}
	c->flow.count = (uint32_t)c->blocks.count;
}

uint32_t code_flow_at(const struct code_flow *c, uint64_t address)
{
	size_t n = bisect(i, 0, c->blocks.count, c->blocks.at[i].to <= address);

	return n < c->blocks.count && c->blocks.at[n].from <= address ?
		       (uint32_t)n :
		       FLOW_NONE;
}

static void edge_add(struct code_flow *c, uint32_t from, uint64_t address)
{
	uint32_t to = address ? code_flow_at(c, address) : FLOW_NONE;

	if (to != FLOW_NONE)
		vec_push(&c->flow.edges,
			 (struct flow_edge){ .from = from, .to = to });
}

/* The last instruction of each block tells where it leads. */
static void make_edges(struct code_flow *c, const struct reading *r)
{
	for (size_t i = 0; i < r->steps.count; i++) {
		const struct step *s = &r->steps.at[i];
		uint32_t block = code_flow_at(c, s->from);

		if (c->blocks.at[block].to != s->to)
			continue;
		if (s->kind == STEP_BRANCH || s->kind == STEP_JUMP)
			edge_add(c, block, s->target);
		if (s->kind <= STEP_BRANCH)
			edge_add(c, block, s->to);
	}
}

static void indirect_edges(struct code_flow *c, const struct reading *r)
{
	bool *has_edge = xcalloc((size_t)c->flow.count + 1, sizeof(*has_edge));

	for (size_t i = 0; i < c->flow.edges.count; i++)
		has_edge[c->flow.edges.at[i].to] = true;
	for (size_t i = 0; i < r->steps.count; i++) {
		const struct step *s = &r->steps.at[i];

		if (s->kind != STEP_INDIRECT)
			continue;
		for (uint32_t b = 1; b < c->flow.count; b++)
			if (!has_edge[b])
				edge_add(c, code_flow_at(c, s->from),
					 c->blocks.at[b].from);
	}
	free(has_edge);
}

void code_flow_init(struct code_flow *c, csh disassembler, const uint8_t *code,
		    size_t size, uint64_t address,
		    enum code_callee (*callee)(const cs_insn *in, void *with),
		    void *with)
{
	struct reading r = { .disassembler = disassembler,
			     .callee = callee,
			     .with = with };

	*c = (struct code_flow){ 0 };
	read_steps(&r, code, size, address);
	find_leaders(&r);
	make_blocks(c, &r);
	make_edges(c, &r);
	indirect_edges(c, &r);
	vec_free(&r.steps);
}

void code_flow_done(struct code_flow *c)
{
	vec_free(&c->blocks);
	vec_free(&c->flow.edges);
}
