/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/bind.h"

#include "runtime/runtime.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

static const struct link_map *program;

/* What the dynamic section of a module says. */
struct dynamic {
	const Elf64_Rela *slots;
	size_t slots_size;
	const Elf64_Sym *symbols;
	const char *strings;
	const Elf64_Half *versions; /* by symbol */
	const Elf64_Verneed *needs;
	bool is_rela;
	bool is_apart; /* bound already, or looks first in itself */
};

/* Where the linker could write to the section, it has made addresses of the
 * offsets in it. */
static const void *pointer_of(const struct link_map *m, const Elf64_Dyn *e)
{
	uintptr_t at = e->d_un.d_ptr;

	return (const void *)(at < m->l_addr ? at + m->l_addr : at);
}

static struct dynamic dynamic_read(const struct link_map *m)
{
	struct dynamic d = { 0 };

	for (const Elf64_Dyn *e = m->l_ld; e->d_tag != DT_NULL; e++) {
		const void *at = pointer_of(m, e);

		switch (e->d_tag) {
		case DT_JMPREL:
			d.slots = at;
			break;
		case DT_PLTRELSZ:
			d.slots_size = e->d_un.d_val;
			break;
		case DT_PLTREL:
			d.is_rela = e->d_un.d_val == DT_RELA;
			break;
		case DT_SYMTAB:
			d.symbols = at;
			break;
		case DT_STRTAB:
			d.strings = at;
			break;
		case DT_VERSYM:
			d.versions = at;
			break;
		case DT_VERNEED:
			d.needs = at;
			break;
		case DT_BIND_NOW:
		case DT_SYMBOLIC:
			d.is_apart = true;
			break;
		case DT_FLAGS:
			d.is_apart |= e->d_un.d_val &
				      (DF_BIND_NOW | DF_SYMBOLIC);
			break;
		case DT_FLAGS_1:
			d.is_apart |= e->d_un.d_val & DF_1_NOW;
			break;
		default:
			break;
		}
	}
	return d;
}

/* The name of a version the module needs, NULL when it is its own. */
static const char *version_name(const struct dynamic *d, Elf64_Half index)
{
	const char *at = (const char *)d->needs;

	while (at) {
		const Elf64_Verneed *need = (const void *)at;
		const char *aux = at + need->vn_aux;

		for (unsigned int i = 0; i < need->vn_cnt; i++) {
			const Elf64_Vernaux *v = (const void *)aux;

			if (v->vna_other == index)
				return d->strings + v->vna_name;
			aux += v->vna_next;
		}
		at = need->vn_next ? at + need->vn_next : NULL;
	}
	return NULL;
}

/* Has the program's own file anything at that address? */
static bool is_of_program(uintptr_t address)
{
	const ElfW(Phdr) *header = (const void *)getauxval(AT_PHDR);
	size_t count = getauxval(AT_PHNUM);

	for (size_t i = 0; header && i < count; i++)
		if (header[i].p_type == PT_LOAD &&
		    address - program->l_addr - header[i].p_vaddr <
			    header[i].p_memsz)
			return true;
	return false;
}

/* Where a program that is bound to its addresses takes that of a library's
 * function, it gets a stub of its own, and all modules take the stub for the
 * function. The stub jumps to what its slot says: bound to what everybody
 * finds, it would jump to itself. */
static bool is_stub(void *found)
{
	const Elf64_Sym *symbol = NULL;
	Dl_info info;

	return is_of_program((uintptr_t)found) &&
	       dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) &&
	       symbol && symbol->st_shndx == SHN_UNDEF;
}

/* The linker takes the first definition that has the version or has none;
 * asked for the newest and asked for that version, which leaves out those that
 * have none, it must find the same. The guest's have none and come first. */
static void *symbol_find(const struct dynamic *d, uint32_t index)
{
	const Elf64_Sym *symbol = &d->symbols[index];
	const char *name = d->strings + symbol->st_name;
	Elf64_Half version = d->versions ? d->versions[index] & 0x7fff : 0;
	const char *version_text = NULL;
	void *newest;

	if (ELF64_ST_VISIBILITY(symbol->st_other) != STV_DEFAULT)
		return NULL;
	newest = dlsym(RTLD_DEFAULT, name);
	if (!newest || module_is_guest((uintptr_t)newest))
		return newest;
	if (is_stub(newest))
		return NULL;
	if (version > VER_NDX_GLOBAL)
		version_text = version_name(d, version);
	if (version_text && newest == dlvsym(RTLD_DEFAULT, name, version_text))
		return newest;
	return NULL;
}

static void module_bind(const struct link_map *m)
{
	struct dynamic d = dynamic_read(m);
	size_t count = d.slots_size / sizeof(*d.slots);

	if (d.is_apart || !d.is_rela || !d.slots || !d.symbols || !d.strings)
		return;
	for (size_t i = 0; i < count; i++) {
		void **slot = (void **)(m->l_addr + d.slots[i].r_offset);
		void *found;

		if (ELF64_R_TYPE(d.slots[i].r_info) != R_X86_64_JUMP_SLOT)
			continue;
		found = symbol_find(&d, ELF64_R_SYM(d.slots[i].r_info));
		if (found && *slot != found)
			*slot = found;
	}
}

void bind_all(void)
{
	program = _r_debug.r_map;
	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		module_bind(m);
	/* What was not found is not the program's to hear of. */
	dlerror();
}
