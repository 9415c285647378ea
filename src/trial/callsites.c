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

/* A module that is looked at: for patches, or for a list. */
struct look {
	struct force *force; /* NULL: a list is wanted */
	struct callsites *list;
	const struct region_module *module;
	Elf *elf;
	struct keymap slots; /* address of a slot of the GOT: enum hook */
	struct keymap stubs; /* address of its stub in the PLT */
	struct keymap *planned;
};

/* HOOK_OTHER: another module's function, a hook that stays or none at all. */
enum hook { HOOK_NONE, HOOK_ACCESS, HOOK_FRAME, HOOK_OTHER };

static enum hook hook_of(const char *name)
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

/* ---- slots: what the dynamic linker fills in ---- */

static void slots_of(struct look *l, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *linked = elf_getscn(l->elf, header->sh_link);
	Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
	GElf_Shdr symbol_header;
	size_t count =
		header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	if (!data || !symbols || !gelf_getshdr(linked, &symbol_header))
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Rela r;
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getrela(data, (int)i, &r) ||
		    (GELF_R_TYPE(r.r_info) != R_X86_64_JUMP_SLOT &&
		     GELF_R_TYPE(r.r_info) != R_X86_64_GLOB_DAT) ||
		    !gelf_getsym(symbols, (int)GELF_R_SYM(r.r_info), &symbol))
			continue;
		name = elf_strptr(l->elf, symbol_header.sh_link,
				  symbol.st_name);
		if (name)
			*keymap_at(&l->slots, r.r_offset, 0) =
				(uint32_t)hook_of(name);
	}
}

/* ---- stubs: jumps through a slot ---- */

static uint64_t relative(const uint8_t *at, uint64_t end)
{
	int32_t offset;

	memcpy(&offset, at, sizeof(offset));
	return end + (uint64_t)(int64_t)offset;
}

/* A stub is "jmp *slot(%rip)" within 16 bytes, perhaps with a prefix and a mark
 * for the processor in front. */
static void stubs_of(struct look *l, const GElf_Shdr *header,
		     const Elf_Data *data)
{
	const uint8_t *code = data->d_buf;
	uint64_t step = header->sh_entsize == 8 ? 8 : 16;

	for (uint64_t at = 0; at + step <= data->d_size; at += step)
		for (uint64_t i = at; i + 6 <= at + step; i++) {
			uint64_t slot;
			uint32_t hook;

			if (code[i] != 0xff || code[i + 1] != 0x25)
				continue;
			slot = relative(code + i + 2, header->sh_addr + i + 6);
			hook = *keymap_at(&l->slots, slot, 0);
			if (hook)
				*keymap_at(&l->stubs, header->sh_addr + at, 0) =
					hook;
			break;
		}
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

	if (!hook || k >= m->size)
		return;
	if (l->force)
		patch_add(l, site, how, hook);
	else if (hook != HOOK_FRAME)
		vec_push(&l->list->all, site);
}

static void look_at(struct look *l, const cs_insn *in)
{
	uint64_t end = in->address + in->size;
	const uint8_t *b = in->bytes;
	uint32_t hook;

	if (in->size == 5 && (b[0] == 0xe8 || b[0] == 0xe9)) {
		hook = *keymap_at(&l->stubs, relative(b + 1, end), 0);
		call_add(l, end, b[0] == 0xe8 ? PATCH_CALL5 : PATCH_JUMP5,
			 hook);
	} else if (in->size == 6 && b[0] == 0xff && b[1] == 0x15) {
		hook = *keymap_at(&l->slots, relative(b + 2, end), 0);
		call_add(l, end, PATCH_CALL6, hook);
	}
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

static bool is_stubs(const struct look *l, size_t names, const GElf_Shdr *h)
{
	const char *name = elf_strptr(l->elf, names, h->sh_name);

	return name && strncmp(name, ".plt", 4) == 0;
}

/* Sections of one kind after the other, because each needs the one before. */
static void sections_of(struct look *l, csh disassembler)
{
	enum { SLOTS, STUBS, CALLS, PASSES };
	size_t names;

	if (elf_getshdrstrndx(l->elf, &names) != 0)
		return;
	for (int pass = 0; pass < PASSES; pass++) {
		Elf_Scn *section = NULL;

		while ((section = elf_nextscn(l->elf, section))) {
			GElf_Shdr h;
			Elf_Data *data;
			bool is_code;

			if (!gelf_getshdr(section, &h))
				continue;
			if (pass == SLOTS && h.sh_type == SHT_RELA &&
			    h.sh_flags & SHF_ALLOC)
				slots_of(l, section, &h);
			is_code = h.sh_type == SHT_PROGBITS &&
				  h.sh_flags & SHF_EXECINSTR;
			if (pass == SLOTS || !is_code)
				continue;
			data = elf_getdata(section, NULL);
			if (!data || !data->d_buf)
				continue;
			if (pass == STUBS && is_stubs(l, names, &h))
				stubs_of(l, &h, data);
			else if (pass == CALLS && !is_stubs(l, names, &h))
				calls_of(l, &h, data, disassembler);
		}
	}
}

static void module_look(struct look *l, csh disassembler)
{
	int fd = open(l->module->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	l->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (l->elf && elf_kind(l->elf) == ELF_K_ELF)
		sections_of(l, disassembler);
	elf_end(l->elf);
	close(fd);
	keymap_done(&l->slots);
	keymap_done(&l->stubs);
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
