/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/unused_reads.h"

#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "trial/imports.h"

enum {
	STEPS = 300, /* instructions that are looked at for one read */
	DEPTH = 16,  /* ways that branch off each other */
};

enum hook { HOOK_READ = 1, HOOK_LOAD };

static uint32_t hook_of(const char *name)
{
	if (strncmp(name, "__tsan_", 7) != 0)
		return 0;
	name += 7;
	if (strncmp(name, "volatile_", 9) == 0)
		name += 9;
	if (strncmp(name, "read", 4) == 0 && name[4] >= '1' && name[4] <= '8')
		return HOOK_READ;
	if (strncmp(name, "atomic", 6) == 0 && strstr(name, "_load") &&
	    !strstr(name, "128"))
		return HOOK_LOAD;
	return 0;
}

/* A section of code, and what is asked about it. */
struct code {
	csh disassembler;
	const uint8_t *bytes;
	uint64_t begin, end;
	int left; /* of STEPS */
};

static bool decode(const struct code *c, uint64_t *address, cs_insn *in)
{
	const uint8_t *at = c->bytes + (*address - c->begin);
	size_t size = c->end - *address;

	return *address >= c->begin && *address < c->end &&
	       cs_disasm_iter(c->disassembler, &at, &size, address, in) &&
	       in->detail;
}

/* ---- registers ---- */

/* Its 64 bits, or 0 where it is not one of those that loads fill. `whole`:
 * does writing it leave nothing of them? */
static x86_reg family_of(uint16_t r, bool *whole)
{
	static const uint16_t names[][5] = {
		{ X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL,
		  X86_REG_AH },
		{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL,
		  X86_REG_CH },
		{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL,
		  X86_REG_DH },
		{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL },
		{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t k = 0; k < 5; k++)
			if (r && names[i][k] == r) {
				*whole = k < 2;
				return names[i][0];
			}
	return X86_REG_INVALID;
}

static bool has(const uint16_t *list, uint8_t count, x86_reg reg, bool whole)
{
	for (uint8_t i = 0; i < count; i++) {
		bool all = false;

		if (family_of(list[i], &all) == reg && (all || !whole))
			return true;
	}
	return false;
}

/* `xor r, r` reads nothing. */
static bool is_zeroing(const cs_insn *in)
{
	const cs_x86 *x = &in->detail->x86;

	return (in->id == X86_INS_XOR || in->id == X86_INS_SUB) &&
	       x->op_count == 2 && x->operands[0].type == X86_OP_REG &&
	       x->operands[1].type == X86_OP_REG &&
	       x->operands[0].reg == x->operands[1].reg;
}

/* ---- ways ---- */

enum use { USE_NONE, USE_READ, USE_FILLED };

static enum use use_of(const struct code *c, const cs_insn *in, x86_reg reg)
{
	cs_regs read, written;
	uint8_t reads, writes;

	/* A result may be the caller's. */
	if (cs_insn_group(c->disassembler, in, CS_GRP_RET))
		return USE_READ;
	/* Only rax carries no argument; a call with any number of them has
	 * filled it before. What a call leaves there is not ours, but then
	 * the value is taken for used, at worst. */
	if (cs_insn_group(c->disassembler, in, CS_GRP_CALL))
		return reg == X86_REG_RAX ? USE_NONE : USE_READ;
	if (in->id == X86_INS_SYSCALL || in->id == X86_INS_INT ||
	    strncmp(in->mnemonic, "cmov", 4) == 0)
		return USE_READ;
	if (cs_regs_access(c->disassembler, in, read, &reads, written, &writes))
		return USE_READ;
	if (!is_zeroing(in) && has(read, reads, reg, false))
		return USE_READ;
	return has(written, writes, reg, true) ? USE_FILLED : USE_NONE;
}

/* Is the register filled on all ways from here before it is read? */
static bool is_dropped(struct code *c, uint64_t address, x86_reg reg, int depth)
{
	cs_insn *in = cs_malloc(c->disassembler);
	bool result = false;

	while (in && depth < DEPTH && c->left-- > 0 &&
	       decode(c, &address, in)) {
		const cs_x86_op *op = &in->detail->x86.operands[0];
		enum use use = use_of(c, in, reg);

		result = use == USE_FILLED;
		if (use != USE_NONE)
			break;
		if (!cs_insn_group(c->disassembler, in, CS_GRP_JUMP))
			continue;
		if (op->type != X86_OP_IMM)
			break;
		if (in->id != X86_INS_JMP &&
		    !is_dropped(c, address, reg, depth + 1))
			break;
		address = (uint64_t)op->imm;
	}
	if (in)
		cs_free(in, 1);
	return result;
}

/* ---- reads ---- */

/* The register that the load behind a hook fills, or 0: the first instruction
 * that touches memory, which must not be the stack. */
static x86_reg filled_by_load(const struct code *c, uint64_t *address)
{
	cs_insn *in = cs_malloc(c->disassembler);
	x86_reg reg = X86_REG_INVALID;
	bool whole;

	for (int i = 0; in && i < 8 && decode(c, address, in); i++) {
		const cs_x86 *x = &in->detail->x86;
		const cs_x86_op *to = &x->operands[0], *from = &x->operands[1];

		if (cs_insn_group(c->disassembler, in, CS_GRP_JUMP) ||
		    cs_insn_group(c->disassembler, in, CS_GRP_CALL) ||
		    cs_insn_group(c->disassembler, in, CS_GRP_RET) ||
		    in->id == X86_INS_PUSH || in->id == X86_INS_POP)
			break;
		if (in->id == X86_INS_LEA || in->id == X86_INS_NOP)
			continue;
		if (x->op_count && to->type == X86_OP_MEM)
			break;
		if (x->op_count < 2 || from->type != X86_OP_MEM)
			continue;
		if ((in->id == X86_INS_MOV || in->id == X86_INS_MOVZX ||
		     in->id == X86_INS_MOVSX || in->id == X86_INS_MOVSXD) &&
		    x->op_count == 2 && from->mem.base != X86_REG_RSP &&
		    from->mem.base != X86_REG_RBP)
			reg = family_of((uint16_t)to->reg, &whole);
		break;
	}
	if (in)
		cs_free(in, 1);
	return reg;
}

static bool is_unused(struct code *c, uint64_t address, uint32_t hook)
{
	x86_reg reg = hook == HOOK_LOAD ? X86_REG_RAX :
					  filled_by_load(c, &address);

	c->left = STEPS;
	return reg != X86_REG_INVALID && is_dropped(c, address, reg, 0);
}

/* ---- modules ---- */

static void section_look(struct code *c, const struct region_module *m,
			 struct imports *im, struct keymap *sites)
{
	cs_insn *in = cs_malloc(c->disassembler);
	uint64_t address = c->begin;

	while (in && decode(c, &address, in)) {
		enum import_call how;
		uint32_t hook = imports_called(im, in->bytes, in->size,
					       in->address, &how);
		uint64_t k = address + m->bias - m->base;

		if (hook && how != IMPORT_JUMP5 && k < m->size &&
		    is_unused(c, address, hook))
			*keymap_at(sites, m->site + (uint32_t)k, 0) = 1;
	}
	if (in)
		cs_free(in, 1);
}

static void module_look(const struct region_module *m, Elf *elf,
			csh disassembler, struct keymap *sites)
{
	Elf_Scn *section = NULL;
	struct imports im;

	imports_init(&im, elf, hook_of);
	while ((section = elf_nextscn(elf, section))) {
		struct code c = { .disassembler = disassembler };
		GElf_Shdr h;
		Elf_Data *data;

		if (!gelf_getshdr(section, &h) || h.sh_type != SHT_PROGBITS ||
		    !(h.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			continue;
		c.bytes = data->d_buf;
		c.begin = h.sh_addr;
		c.end = h.sh_addr + data->d_size;
		section_look(&c, m, &im, sites);
	}
	imports_done(&im);
}

void unused_reads_find(const struct region *r, struct keymap *sites)
{
	csh disassembler;

	elf_version(EV_CURRENT);
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler) != CS_ERR_OK)
		return;
	cs_option(disassembler, CS_OPT_DETAIL, CS_OPT_ON);
	for (uint32_t i = 0; i < atomic_load(&r->module_count); i++) {
		const struct region_module *m = &r->modules[i];
		int fd = m->instrumented ? open(m->path, O_RDONLY | O_CLOEXEC) :
					   -1;
		Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);

		if (elf && elf_kind(elf) == ELF_K_ELF)
			module_look(m, elf, disassembler, sites);
		elf_end(elf);
		if (fd >= 0)
			close(fd);
	}
	cs_close(&disassembler);
}
