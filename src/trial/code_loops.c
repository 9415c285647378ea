/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/code_loops.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "trial/code_flow.h"
#include "trial/code_functions.h"
#include "trial/imports.h"

struct looking {
	struct code_loops *loops;
	Elf *elf;
	struct imports imports;
	csh disassembler;
};

/* ---- what is called ---- */

static uint32_t callee_of(const char *name)
{
	static const char *const ends[] = {
		"abort",
		"exit",
		"_exit",
		"quick_exit",
		"pthread_exit",
		"thrd_exit",
		"longjmp",
		"siglongjmp",
		"__longjmp_chk",
		"__assert_fail",
		"__cxa_throw",
		"__cxa_rethrow",
		"__stack_chk_fail",
		"_Unwind_Resume",
		"_ZSt9terminatev",
	};

	if (strcmp(name, "__sanitizer_cov_trace_pc") == 0)
		return CALLEE_HOOK;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(name, ends[i]) == 0)
			return CALLEE_NO_RETURN;
	return CALLEE_OTHER;
}

static enum code_callee callee_at(const cs_insn *in, void *with)
{
	struct looking *k = with;
	enum import_call how;

	return (enum code_callee)imports_called(&k->imports, in->bytes,
						in->size, in->address, &how);
}

/* ---- hooks of loops ---- */

static void hook_add(struct code_loops *l, uint64_t address, uint32_t loop,
		     bool is_header)
{
	vec_push(&l->hooks, (struct loop_hook){ .address = (uint32_t)address,
						.loop = (uint16_t)loop,
						.is_header = is_header });
}

/* Does every iteration of the loop pass the block, once? */
static bool is_in_each(const struct code_flow *c, const struct loop_nest *n,
		       uint32_t loop, uint32_t block)
{
	uint32_t header = n->loops.at[loop].header;

	if (n->innermost[block] != loop)
		return false;
	for (size_t i = 0; i < c->flow.edges.count; i++) {
		const struct flow_edge *e = &c->flow.edges.at[i];

		if (e->to == header &&
		    flow_dominates(n->idom, header, e->from) &&
		    !flow_dominates(n->idom, block, e->from))
			return false;
	}
	return true;
}

/* The block whose hook begins an iteration: the nearest to the header. */
static uint32_t beginning_of(const struct code_flow *c,
			     const struct loop_nest *n, uint32_t loop)
{
	uint32_t best = FLOW_NONE;

	for (uint32_t b = 0; b < c->flow.count; b++)
		if (c->blocks.at[b].hook && is_in_each(c, n, loop, b) &&
		    (best == FLOW_NONE || flow_dominates(n->idom, b, best)))
			best = b;
	return best;
}

/* ---- a function ---- */

/* Loops of the function become loops of the program: its numbers for them, 0
 * for those without iterations, whose blocks belong to the next outer one. */
static void number_loops(struct code_loops *l, const struct code_flow *c,
			 const struct loop_nest *n, uint32_t *numbers,
			 uint32_t *beginnings)
{
	for (uint32_t k = 1; k < n->loops.count; k++) {
		uint32_t outer = numbers[n->loops.at[k].outer];

		beginnings[k] = beginning_of(c, n, k);
		if (beginnings[k] == FLOW_NONE || l->count == LOOPS_MOST) {
			numbers[k] = outer;
			beginnings[k] = FLOW_NONE;
			continue;
		}
		numbers[k] = ++l->count;
		vec_push(&l->outer, (uint16_t)outer);
		hook_add(l, c->blocks.at[beginnings[k]].hook, numbers[k], true);
	}
}

static bool begins_loop(const uint32_t *beginnings, size_t count, uint32_t b)
{
	for (size_t k = 1; k < count; k++)
		if (beginnings[k] == b)
			return true;
	return false;
}

static void add_exits(struct code_loops *l, const struct code_flow *c,
		      const struct loop_nest *n, const uint32_t *numbers,
		      const uint32_t *beginnings)
{
	bool *is_done = xcalloc((size_t)c->flow.count + 1, sizeof(*is_done));

	for (size_t i = 0; i < c->flow.edges.count; i++) {
		const struct flow_edge *e = &c->flow.edges.at[i];
		uint32_t from = n->innermost[e->from];
		uint32_t to = n->innermost[e->to];

		if (!from || loop_nest_lies_in(n, to, from) || is_done[e->to] ||
		    !c->blocks.at[e->to].hook ||
		    begins_loop(beginnings, n->loops.count, e->to))
			continue;
		is_done[e->to] = true;
		hook_add(l, c->blocks.at[e->to].hook, numbers[to], false);
	}
	free(is_done);
}

static void add_ranges(struct code_loops *l, const struct code_flow *c,
		       const struct loop_nest *n, const uint32_t *numbers)
{
	for (uint32_t b = 0; b < c->flow.count; b++) {
		const struct code_block *block = &c->blocks.at[b];
		uint32_t loop = numbers[n->innermost[b]];

		if (loop)
			vec_push(&l->ranges, (struct code_loop_range){
						     .from = block->from,
						     .to = block->to,
						     .loop = (uint16_t)loop });
	}
}

static void function_look(void *with, const uint8_t *code, size_t size,
			  uint64_t address)
{
	struct looking *k = with;
	struct code_loops *l = k->loops;
	struct code_flow c;
	struct loop_nest n;
	uint32_t *numbers, *beginnings;

	code_flow_init(&c, k->disassembler, code, size, address, callee_at, k);
	for (uint32_t b = 0; b < c.flow.count; b++)
		l->has_hooks |= c.blocks.at[b].hook != 0;
	loop_nest_init(&n, &c.flow);
	numbers = xcalloc(n.loops.count, sizeof(*numbers));
	beginnings = xcalloc(n.loops.count, sizeof(*beginnings));
	number_loops(l, &c, &n, numbers, beginnings);
	add_exits(l, &c, &n, numbers, beginnings);
	add_ranges(l, &c, &n, numbers);
	free(numbers);
	free(beginnings);
	loop_nest_done(&n);
	code_flow_done(&c);
}

/* ---- a file ---- */

static void file_look(struct looking *k)
{
	imports_init(&k->imports, k->elf, callee_of);
	code_functions(k->elf, function_look, k);
	imports_done(&k->imports);
}

void code_loops_init(struct code_loops *l, const char *path)
{
	struct looking k = { .loops = l };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*l = (struct code_loops){ 0 };
	vec_push(&l->outer, 0);
	if (fd < 0)
		return;
	elf_version(EV_CURRENT);
	k.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (k.elf && elf_kind(k.elf) == ELF_K_ELF &&
	    cs_open(CS_ARCH_X86, CS_MODE_64, &k.disassembler) == CS_ERR_OK) {
		cs_option(k.disassembler, CS_OPT_DETAIL, CS_OPT_ON);
		cs_option(k.disassembler, CS_OPT_SKIPDATA, CS_OPT_ON);
		file_look(&k);
		cs_close(&k.disassembler);
	}
	elf_end(k.elf);
	close(fd);
}

void code_loops_done(struct code_loops *l)
{
	vec_free(&l->outer);
	vec_free(&l->ranges);
	vec_free(&l->hooks);
}

uint16_t code_loops_at(const struct code_loops *l, uint64_t address)
{
	size_t n = bisect(i, 0, l->ranges.count, l->ranges.at[i].to <= address);

	return n < l->ranges.count && l->ranges.at[n].from <= address ?
		       l->ranges.at[n].loop :
		       0;
}

void code_loops_fill(const struct code_loops *l, struct pair_block *pairs)
{
	struct pair_loops *to = &pairs->loops;

	/* No more than half full, or looking for what is not there would take
	 * long. */
	if (!l->has_hooks || l->hooks.count > LOOP_HOOKS / 2)
		return;
	for (size_t i = 0; i < l->hooks.count; i++) {
		uint32_t at = loop_hook_slot(l->hooks.at[i].address);

		while (to->hooks[at].address &&
		       to->hooks[at].address != l->hooks.at[i].address)
			at = (at + 1) & (LOOP_HOOKS - 1);
		to->hooks[at] = l->hooks.at[i];
	}
	for (size_t i = 0; i < l->outer.count; i++)
		to->outer[i] = l->outer.at[i];
	pairs->flags |= PAIRS_LOOPS;
}
