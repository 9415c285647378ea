/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/callsites.h"

#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/keymap.h"
#include "base/vec.h"
#include "trial/imports.h"

/* A module that is looked at: for patches, or for a list. */
struct look {
	struct force *force; /* NULL: a list is wanted */
	struct callsites *list;
	const struct region_module *module;
	Elf *elf;
	struct imports imports; /* enum hook */
	struct keymap *planned;
};

/* HOOK_OTHER: another module's function, a hook that stays or none at all. */
enum hook { HOOK_NONE, HOOK_ACCESS, HOOK_FRAME, HOOK_OTHER };

static uint32_t hook_of(const char *name)
{
	static const char *const accesses[] = {
		"read", "write", "unaligned_", "volatile_", "vptr_",
	};

	if (strncmp(name, "__tsan_", 7) != 0)
		return HOOK_OTHER;
	name += 7;
	if (strcmp(name, "func_entry") == 0 || strcmp(name, "func_exit") == 0)
		return HOOK_FRAME;
	for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++)
		if (strncmp(name, accesses[i], strlen(accesses[i])) == 0)
			return HOOK_ACCESS;
	return HOOK_OTHER;
}

/* ---- calls ---- */

static void patch_add(struct look *l, uint32_t site, enum force_patch_how how,
		      uint32_t hook)
{
	struct force *f = l->force;

	if (hook == HOOK_OTHER || f->patch_count >= FORCE_PATCHES ||
	    *keymap_at(l->planned, site, 0))
		return;
	f->patches[f->patch_count++] =
		(struct force_patch){ .site = site,
				      .how = (uint8_t)how,
				      .is_frame = hook == HOOK_FRAME };
}

static void call_add(struct look *l, uint64_t end, enum force_patch_how how,
		     uint32_t hook)
{
	const struct region_module *m = l->module;
	uint64_t k = end + m->bias - m->base;
	uint32_t site = m->site + (uint32_t)k;

	if (k >= m->size)
		return;
	if (l->force)
		patch_add(l, site, how, hook);
	else if (hook != HOOK_FRAME)
		vec_push(&l->list->all, site);
}

static void look_at(struct look *l, const cs_insn *in)
{
	static const enum force_patch_how hows[] = {
		[IMPORT_CALL5] = PATCH_CALL5,
		[IMPORT_JUMP5] = PATCH_JUMP5,
		[IMPORT_CALL6] = PATCH_CALL6,
	};
	enum import_call how;
	uint32_t hook = imports_called(&l->imports, in->bytes, in->size,
				       in->address, &how);

	if (hook)
		call_add(l, in->address + in->size, hows[how], hook);
}

static void calls_of(struct look *l, const GElf_Shdr *header,
		     const Elf_Data *data, csh disassembler)
{
	const uint8_t *code = data->d_buf;
	size_t left = data->d_size;
	uint64_t address = header->sh_addr;
	cs_insn *in = cs_malloc(disassembler);

	while (in && cs_disasm_iter(disassembler, &code, &left, &address, in))
		look_at(l, in);
	if (in)
		cs_free(in, 1);
}

/* ---- a module ---- */

static void sections_of(struct look *l, csh disassembler)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(l->elf, &names) != 0)
		return;
	while ((section = elf_nextscn(l->elf, section))) {
		GElf_Shdr h;
		Elf_Data *data;

		if (!gelf_getshdr(section, &h) || h.sh_type != SHT_PROGBITS ||
		    !(h.sh_flags & SHF_EXECINSTR) ||
		    imports_is_stubs(l->elf, names, h.sh_name))
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf)
			calls_of(l, &h, data, disassembler);
	}
}

static void module_look(struct look *l, csh disassembler)
{
	int fd = open(l->module->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	l->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (l->elf && elf_kind(l->elf) == ELF_K_ELF) {
		imports_init(&l->imports, l->elf, hook_of);
		sections_of(l, disassembler);
		imports_done(&l->imports);
	}
	elf_end(l->elf);
	close(fd);
}

static void planned_add(struct keymap *planned, const struct force *f)
{
	for (uint32_t i = 0; i < f->rule_count; i++)
		for (uint32_t e = 0; e < f->rules[i].count; e++)
			*keymap_at(planned, f->rules[i].events[e].site, 0) = 1;
}

/* Looks at every module that has hooks, as `how` says. */
static void modules_look(const struct region *region, const struct look *how)
{
	csh disassembler;

	elf_version(EV_CURRENT);
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler) != CS_ERR_OK)
		return;
	/* What is no instruction is passed over, byte by byte. */
	cs_option(disassembler, CS_OPT_SKIPDATA, CS_OPT_ON);
	for (uint32_t i = 0; i < atomic_load(&region->module_count); i++) {
		struct look l = *how;

		l.module = &region->modules[i];
		if (l.module->instrumented)
			module_look(&l, disassembler);
	}
	cs_close(&disassembler);
}

void callsites_fill(struct region *region)
{
	struct keymap planned = { 0 };
	struct look how = { .force = &region->force, .planned = &planned };

	region->force.patch_count = 0;
	planned_add(&planned, &region->force);
	modules_look(region, &how);
	keymap_done(&planned);
}

void callsites_list(const struct region *region, struct callsites *out)
{
	struct look how = { .list = out };

	modules_look(region, &how);
}
