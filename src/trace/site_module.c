/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_module.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

static void segments_load(struct site_module *m, Elf *elf)
{
	size_t count = 0;

	if (elf_getphdrnum(elf, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) ||
		    header.p_type != PT_LOAD)
			continue;
		spans_add(
			&m->segments,
			(struct span){ .low = header.p_vaddr,
				       .high = header.p_vaddr + header.p_memsz,
				       .item = header.p_flags & PF_X ?
						       SEGMENT_CODE :
						       SEGMENT_DATA });
	}
	spans_sort(&m->segments);
}

static bool is_in(const struct site_module *m, uint64_t addr,
		  enum segment segment)
{
	const struct span *span = spans_find(&m->segments, addr);

	return span && span->item == segment;
}

/* Of several names for one place, the one a person would use: the public one
 * with the fewest underscores before it. */
static uint32_t symbol_rank(const GElf_Sym *sym, const char *name)
{
	static const uint32_t by_binding[] = {
		[STB_LOCAL] = 0, [STB_GLOBAL] = 2, [STB_WEAK] = 1
	};
	uint32_t binding = GELF_ST_BIND(sym->st_info);
	uint32_t underscores = (uint32_t)strspn(name, "_");

	binding = binding < 3 ? by_binding[binding] : 0;
	return binding * 16 + (underscores < 15 ? 15 - underscores : 0);
}

static void symbol_add(struct site_module *m, const GElf_Sym *sym,
		       const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	bool is_code = is_in(m, sym->st_value, SEGMENT_CODE);
	bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC ||
			   (type == STT_NOTYPE && is_code &&
			    GELF_ST_BIND(sym->st_info) != STB_LOCAL);
	bool is_object = type == STT_OBJECT || type == STT_COMMON;

	if (sym->st_shndx == SHN_UNDEF || !name || !*name ||
	    !(is_function || is_object))
		return;
	spans_add(is_function ? &m->functions : &m->objects,
		  (struct span){ .low = sym->st_value,
				 .high = sym->st_value + sym->st_size +
					 (is_function && !sym->st_size),
				 .item = (uint32_t)m->symbols.count,
				 .rank = symbol_rank(sym, name) });
	vec_push(&m->symbols, (struct site_symbol){ name });
}

static bool symbols_load(struct site_module *m, Elf *elf, uint32_t type)
{
	Elf_Scn *scn = NULL;
	size_t before = m->symbols.count;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		GElf_Sym sym;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_type != type ||
		    !(data = elf_getdata(scn, NULL)))
			continue;
		for (int i = 1; gelf_getsym(data, i, &sym); i++)
			symbol_add(m, &sym,
				   elf_strptr(elf, header.sh_link,
					      sym.st_name));
	}
	return m->symbols.count > before;
}

/* Labels of assembly have no size: they reach to the next one. */
static void functions_stretch(struct spans *s)
{
	for (size_t i = 0; i + 1 < s->count; i++) {
		struct span *span = &s->at[i];

		if (span->high == span->low + 1 && s->at[i + 1].low > span->low)
			span->high = s->at[i + 1].low;
	}
	spans_sort(s);
}

static int unit_compare(const void *pa, const void *pb)
{
	const struct unit *a = pa, *b = pb;

	return ((uintptr_t)a->root.addr > (uintptr_t)b->root.addr) -
	       ((uintptr_t)a->root.addr < (uintptr_t)b->root.addr);
}

static void units_load(struct site_module *m, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die,
					&split) == 0) {
		bool is_split = type == DW_UT_skeleton && split.addr;

		vec_push(&m->units,
			 (struct unit){ .cu = die,
					.root = is_split ? split : die,
					.is_code = type == DW_UT_compile ||
						   type == DW_UT_skeleton });
	}
}

/* The linker leaves the ranges of functions it threw away at 0 or 1. */
static bool code_add(struct site_module *m, uint64_t low, uint64_t high,
		     uint32_t unit)
{
	if (low <= 1 || !is_in(m, low, SEGMENT_CODE))
		return false;
	spans_add(&m->code,
		  (struct span){ .low = low, .high = high, .item = unit });
	return true;
}

/* A unit that does not say where its code is still has functions that do. */
static void unit_code_load(struct site_module *m, uint32_t number)
{
	struct unit *u = &m->units.at[number];
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	bool has_ranges = false;

	if (!u->is_code)
		return;
	while ((at = dwarf_ranges(&u->cu, at, &base, &low, &high)) > 0) {
		has_ranges = true;
		code_add(m, low, high, number);
	}
	if (has_ranges)
		return;
	unit_index(u);
	for (size_t i = 0; i < u->code.count; i++)
		code_add(m, u->code.at[i].low, u->code.at[i].high, number);
}

static void debug_info_load(struct site_module *m)
{
	Elf *elf = m->files.debug.elf ? m->files.debug.elf : m->files.own.elf;

	m->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!m->dwarf)
		return;
	units_load(m, m->dwarf);
	units_load(m, dwarf_getalt(m->dwarf));
	if (m->units.count)
		qsort(m->units.at, m->units.count, sizeof(*m->units.at),
		      unit_compare);
	for (uint32_t i = 0; i < m->units.count; i++)
		unit_code_load(m, i);
	spans_sort(&m->code);
}

int module_open(struct site_module *m, struct err *err)
{
	struct build_id id = { m->run->build_id, m->run->build_id_size };
	Elf *own, *debug;

	if (m->is_open)
		return 0;
	m->is_open = true;
	if (module_files_open(&m->files, m->run->path, id, DEBUG_ROOT, err))
		return -1;
	m->is_known = true;
	own = m->files.own.elf;
	debug = m->files.debug.elf;
	segments_load(m, own ? own : debug);
	if (!symbols_load(m, debug, SHT_SYMTAB) &&
	    !symbols_load(m, own, SHT_SYMTAB))
		symbols_load(m, own, SHT_DYNSYM);
	spans_sort(&m->functions);
	functions_stretch(&m->functions);
	spans_sort(&m->objects);
	debug_info_load(m);
	return 0;
}

void module_close(struct site_module *m)
{
	for (size_t i = 0; i < m->units.count; i++)
		unit_done(&m->units.at[i]);
	vec_free(&m->units);
	vec_free(&m->symbols);
	vec_free(&m->variables);
	spans_done(&m->segments);
	spans_done(&m->functions);
	spans_done(&m->objects);
	spans_done(&m->code);
	spans_done(&m->data);
	memo_done(&m->names);
	for (size_t i = 0; i < m->kept.count; i++)
		free(m->kept.at[i]);
	vec_free(&m->kept);
	dwarf_end(m->dwarf);
	module_files_close(&m->files);
}

const char *module_keep(struct site_module *m, char *made)
{
	vec_push(&m->kept, made);
	return made;
}

/* Cuts the version off: "memcpy@@GLIBC_2.14". Kept, like all names. */
static const char *symbol_name(struct site_module *m, uint32_t number)
{
	struct site_symbol *symbol = &m->symbols.at[number];
	const char *version = strchr(symbol->name, '@');

	if (version && version != symbol->name)
		symbol->name = module_keep(
			m, xasprintf("%.*s", (int)(version - symbol->name),
				     symbol->name));
	return symbol->name;
}

const char *module_function(struct site_module *m, uint64_t addr)
{
	const struct span *span = spans_find(&m->functions, addr);

	if (!span)
		return NULL;
	return module_demangle(m, symbol_name(m, span->item), true);
}

const char *module_object(struct site_module *m, uint64_t addr,
			  uint64_t *offset)
{
	const struct span *span = spans_find(&m->objects, addr);

	if (!span)
		return NULL;
	*offset = addr - span->low;
	return symbol_name(m, span->item);
}

const char *module_symbol(struct site_module *m, uint64_t addr)
{
	const struct span *span = spans_find(&m->functions, addr);

	return span ? symbol_name(m, span->item) : NULL;
}

static const struct span *span_named(struct site_module *m,
				     const struct spans *spans,
				     const char *name)
{
	for (size_t i = 0; i < spans->count; i++)
		if (strcmp(symbol_name(m, spans->at[i].item), name) == 0)
			return &spans->at[i];
	return NULL;
}

const struct span *module_symbol_named(struct site_module *m, const char *name)
{
	return span_named(m, &m->functions, name);
}

const struct span *module_object_named(struct site_module *m, const char *name)
{
	return span_named(m, &m->objects, name);
}

bool module_object_find(struct site_module *m, const char *name, uint64_t *addr)
{
	const struct span *span = module_object_named(m, name);

	if (span)
		*addr = span->low;
	return span;
}

struct unit *module_unit(struct site_module *m, uint64_t addr)
{
	const struct span *span = spans_find(&m->code, addr);

	if (!span)
		return NULL;
	unit_index(&m->units.at[span->item]);
	return &m->units.at[span->item];
}
