/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/code_checks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trial/code_flow.h"
#include "trial/code_functions.h"
#include "trial/imports.h"

enum {
	BLOCKS_BACK = 1,     /* from the failure to what is checked */
	CODE_MOST = 8 << 20, /* files larger than that are not looked at */
};

enum called { CALLED_OTHER, CALLED_FAILURE, CALLED_END, CALLED_HOOK };

struct call {
	uint64_t from, to; /* addresses of the instruction */
	enum called called;
};

struct looking {
	const struct region_module *module;
	struct keymap *sites;
	struct imports imports;
	csh disassembler;
	VEC(struct call) calls; /* of the function */
};

static uint32_t called_of(const char *name)
{
	static const char *const failures[] = { "__assert_fail", "abort",
						"__assert_perror_fail",
						"_ZSt9terminatev" };
	static const char *const ends[] = { "exit", "_exit", "pthread_exit",
					    "__cxa_throw", "__stack_chk_fail" };

	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++)
		if (strcmp(name, failures[i]) == 0)
			return CALLED_FAILURE;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(name, ends[i]) == 0)
			return CALLED_END;
	if (strncmp(name, "__tsan_", 7) == 0)
		return CALLED_HOOK;
	return CALLED_OTHER;
}

static enum code_callee callee_at(const cs_insn *in, void *with)
{
	struct looking *k = with;
	enum import_call how;
	enum called called = (enum called)imports_called(
		&k->imports, in->bytes, in->size, in->address, &how);

	if (called != CALLED_OTHER)
		vec_push(&k->calls,
			 (struct call){ in->address, in->address + in->size,
					called });
	return called == CALLED_FAILURE || called == CALLED_END ?
		       CALLEE_NO_RETURN :
		       CALLEE_OTHER;
}

/* Every block at most so many edges before this one. */
static void mark_back(const struct code_flow *c, uint32_t block, int depth,
		      uint8_t *marked)
{
	if (marked[block] > depth)
		return;
	marked[block] = (uint8_t)(depth + 1);
	for (size_t i = 0; depth && i < c->flow.edges.count; i++)
		if (c->flow.edges.at[i].to == block)
			mark_back(c, c->flow.edges.at[i].from, depth - 1,
				  marked);
}

static void site_add(struct looking *k, uint64_t address)
{
	uint64_t offset = address + k->module->bias - k->module->base;

	if (offset < k->module->size)
		*keymap_at(k->sites, k->module->site + offset, 0) = 1;
}

static void function_look(void *with, const uint8_t *code, size_t size,
			  uint64_t address)
{
	struct looking *k = with;
	struct code_flow c;
	uint8_t *marked;

	k->calls.count = 0;
	code_flow_init(&c, k->disassembler, code, size, address, callee_at, k);
	marked = xcalloc(c.blocks.count + 1, sizeof(*marked));
	for (size_t i = 0; i < k->calls.count; i++) {
		uint32_t b = code_flow_at(&c, k->calls.at[i].from);

		if (k->calls.at[i].called == CALLED_FAILURE && b != FLOW_NONE)
			mark_back(&c, b, BLOCKS_BACK, marked);
	}
	for (size_t i = 0; i < k->calls.count; i++) {
		uint32_t b = code_flow_at(&c, k->calls.at[i].from);

		if (k->calls.at[i].called == CALLED_HOOK && b != FLOW_NONE &&
		    marked[b])
			site_add(k, k->calls.at[i].to);
	}
	free(marked);
	code_flow_done(&c);
}

static void module_look(struct looking *k)
{
	int fd = open(k->module->path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		imports_init(&k->imports, elf, called_of);
		code_functions(elf, function_look, k);
		imports_done(&k->imports);
	}
	elf_end(elf);
	close(fd);
}

void code_checks_find(const struct region *region, struct keymap *sites)
{
	struct looking k = { .sites = sites };

	elf_version(EV_CURRENT);
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &k.disassembler) != CS_ERR_OK)
		return;
	cs_option(k.disassembler, CS_OPT_DETAIL, CS_OPT_ON);
	cs_option(k.disassembler, CS_OPT_SKIPDATA, CS_OPT_ON);
	for (uint32_t i = 0; i < atomic_load(&region->module_count); i++) {
		k.module = &region->modules[i];
		if (k.module->instrumented && k.module->size <= CODE_MOST)
			module_look(&k);
	}
	cs_close(&k.disassembler);
	vec_free(&k.calls);
}
