/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/imports.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

/* ---- slots: what the dynamic linker fills in ---- */

static void slots_of(struct imports *im, Elf *elf, Elf_Scn *section,
		     const GElf_Shdr *header,
		     uint32_t (*number_of)(const char *name))
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *linked = elf_getscn(elf, header->sh_link);
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
		name = elf_strptr(elf, symbol_header.sh_link, symbol.st_name);
		if (name && number_of(name))
			*keymap_at(&im->slots, r.r_offset, 0) = number_of(name);
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
static void stubs_of(struct imports *im, const GElf_Shdr *header,
		     const Elf_Data *data)
{
	const uint8_t *code = data->d_buf;
	uint64_t step = header->sh_entsize == 8 ? 8 : 16;

	for (uint64_t at = 0; at + step <= data->d_size; at += step)
		for (uint64_t i = at; i + 6 <= at + step; i++) {
			uint64_t slot;
			uint32_t number;

			if (code[i] != 0xff || code[i + 1] != 0x25)
				continue;
			slot = relative(code + i + 2, header->sh_addr + i + 6);
			number = *keymap_at(&im->slots, slot, 0);
			if (number)
				*keymap_at(&im->stubs, header->sh_addr + at,
					   0) = number;
			break;
		}
}

bool imports_is_stubs(Elf *elf, size_t names, uint32_t name)
{
	const char *text = elf_strptr(elf, names, name);

	return text && strncmp(text, ".plt", 4) == 0;
}

/* Sections of one kind after the other, because stubs need slots. */
void imports_init(struct imports *im, Elf *elf,
		  uint32_t (*number_of)(const char *name))
{
	size_t names;

	*im = (struct imports){ 0 };
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	for (int is_stubs = 0; is_stubs < 2; is_stubs++) {
		Elf_Scn *section = NULL;

		while ((section = elf_nextscn(elf, section))) {
			GElf_Shdr h;
			Elf_Data *data;

			if (!gelf_getshdr(section, &h))
				continue;
			if (!is_stubs && h.sh_type == SHT_RELA &&
			    h.sh_flags & SHF_ALLOC)
				slots_of(im, elf, section, &h, number_of);
			if (!is_stubs || h.sh_type != SHT_PROGBITS ||
			    !(h.sh_flags & SHF_EXECINSTR) ||
			    !imports_is_stubs(elf, names, h.sh_name))
				continue;
			data = elf_getdata(section, NULL);
			if (data && data->d_buf)
				stubs_of(im, &h, data);
		}
	}
}

void imports_done(struct imports *im)
{
	keymap_done(&im->slots);
	keymap_done(&im->stubs);
}

uint32_t imports_called(struct imports *im, const uint8_t *bytes, size_t size,
			uint64_t address, enum import_call *how)
{
	uint64_t end = address + size;

	if (size == 5 && (bytes[0] == 0xe8 || bytes[0] == 0xe9)) {
		*how = bytes[0] == 0xe8 ? IMPORT_CALL5 : IMPORT_JUMP5;
		return *keymap_at(&im->stubs, relative(bytes + 1, end), 0);
	}
	if (size == 6 && bytes[0] == 0xff && bytes[1] == 0x15) {
		*how = IMPORT_CALL6;
		return *keymap_at(&im->slots, relative(bytes + 2, end), 0);
	}
	return 0;
}
