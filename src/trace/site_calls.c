/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_calls.h"

#include <capstone/capstone.h>
#include <gelf.h>

/* The bytes of [low, high) in a section of code, or NULL. */
static const uint8_t *bytes_at(Elf *elf, uint64_t low, uint64_t high)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr h;
		Elf_Data *data;

		if (!gelf_getshdr(section, &h) || h.sh_type != SHT_PROGBITS ||
		    low < h.sh_addr || high > h.sh_addr + h.sh_size)
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf && high - h.sh_addr <= data->d_size)
			return (const uint8_t *)data->d_buf + (low - h.sh_addr);
	}
	return NULL;
}

static void calls_add(csh disassembler, const uint8_t *code,
		      const struct span *span, struct addresses *out)
{
	cs_insn *in = cs_malloc(disassembler);
	size_t left = span->high - span->low;
	uint64_t address = span->low;

	while (in && cs_disasm_iter(disassembler, &code, &left, &address, in))
		if (in->id == X86_INS_CALL)
			vec_push(out, in->address + in->size);
	if (in)
		cs_free(in, 1);
}

uint64_t module_calls(struct site_module *m, const char *symbol,
		      struct addresses *out)
{
	const struct span *span = module_symbol_named(m, symbol);
	const uint8_t *code;
	csh disassembler;

	if (!span || !m->files.own.elf)
		return UINT64_MAX;
	code = bytes_at(m->files.own.elf, span->low, span->high);
	if (!code || cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler))
		return UINT64_MAX;
	/* What is no instruction is passed over, byte by byte. */
	cs_option(disassembler, CS_OPT_SKIPDATA, CS_OPT_ON);
	calls_add(disassembler, code, span, out);
	cs_close(&disassembler);
	return span->low;
}
