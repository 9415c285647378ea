/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/code_functions.h"

#include <gelf.h>
#include <stdlib.h>

#include "base/vec.h"

struct seeking {
	Elf *elf;
	void (*look)(void *with, const uint8_t *code, size_t size,
		     uint64_t address);
	void *with;
};

static void symbol_look(const struct seeking *k, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(k->elf, symbol->st_shndx);
	Elf_Data *data;
	GElf_Shdr h;
	uint64_t offset;

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_size ||
	    !section || !gelf_getshdr(section, &h) ||
	    !(h.sh_flags & SHF_EXECINSTR))
		return;
	data = elf_getdata(section, NULL);
	offset = symbol->st_value - h.sh_addr;
	if (!data || !data->d_buf || offset > data->d_size ||
	    symbol->st_size > data->d_size - offset)
		return;
	k->look(k->with, (const uint8_t *)data->d_buf + offset, symbol->st_size,
		symbol->st_value);
}

static int compare_symbols(const void *a, const void *b)
{
	const GElf_Sym *p = a, *q = b;

	return (p->st_value > q->st_value) - (p->st_value < q->st_value);
}

/* By address, and each function once, by whatever names it has. */
static void symbols_look(const struct seeking *k, Elf_Scn *section,
			 const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = h->sh_entsize ? h->sh_size / h->sh_entsize : 0;
	VEC(GElf_Sym) all = { 0 };
	GElf_Sym symbol;

	for (size_t i = 0; data && i < count; i++)
		if (gelf_getsym(data, (int)i, &symbol))
			vec_push(&all, symbol);
	if (all.count)
		qsort(all.at, all.count, sizeof(*all.at), compare_symbols);
	for (size_t i = 0; i < all.count; i++)
		if (!i || all.at[i].st_value != all.at[i - 1].st_value ||
		    !all.at[i - 1].st_size)
			symbol_look(k, &all.at[i]);
	vec_free(&all);
}

void code_functions(Elf *elf,
		    void (*look)(void *with, const uint8_t *code, size_t size,
				 uint64_t address),
		    void *with)
{
	const struct seeking k = { elf, look, with };
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &h) && h.sh_type == SHT_SYMTAB)
			symbols_look(&k, section, &h);
}
