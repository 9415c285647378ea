/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_global.h"

#include <dwarf.h>
#include <stdlib.h>

enum { DEPTH_MAX = 400 };

/* A variable at a fixed place has an expression of one operation, or of two
 * when the compiler put several variables under one symbol. Longer ones
 * compute a value, or name pieces of a variable that was taken apart. */
static bool variable_address(Dwarf_Die *die, uint64_t *addr)
{
	Dwarf_Attribute attr, target;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocation(&attr, &ops, &count) != 0 || count == 0 ||
	    count > 2 || (count == 2 && ops[1].atom != DW_OP_plus_uconst))
		return false;
	if (ops[0].atom == DW_OP_addr)
		*addr = ops[0].number;
	else if (dwarf_getlocation_attr(&attr, &ops[0], &target) != 0 ||
		 dwarf_formaddr(&target, addr) != 0)
		return false;
	if (count == 2)
		*addr += ops[1].number;
	return true;
}

static bool variable_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) &&
	       dwarf_formref_die(&attr, type);
}

static uint64_t variable_size(struct site_module *m, Dwarf_Die *die,
			      uint64_t addr)
{
	const struct span *object = spans_find(&m->objects, addr);
	Dwarf_Word size = 0;
	Dwarf_Die type;

	if (variable_type(die, &type) &&
	    dwarf_aggregate_size(&type, &size) != 0)
		size = 0;
	/* Initialised flexible arrays reach beyond their type. */
	if (object && object->low == addr && object->high - addr > size)
		size = object->high - addr;
	return size ? size : 1;
}

static void variable_add(struct site_module *m, Dwarf_Die *die)
{
	uint64_t addr;

	if (!variable_address(die, &addr) || addr <= 1 ||
	    !spans_find(&m->segments, addr))
		return;
	spans_add(&m->data,
		  (struct span){ .low = addr,
				 .high = addr + variable_size(m, die, addr),
				 .item = (uint32_t)m->variables.count });
	vec_push(&m->variables, (struct site_variable){ *die });
}

static void variables_below(struct site_module *m, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable)
			variable_add(m, &die);
		else if (tag_is_container(tag))
			variables_below(m, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void variables_load(struct site_module *m)
{
	if (m->has_variables)
		return;
	m->has_variables = true;
	for (size_t i = 0; i < m->units.count; i++) {
		if (m->units.at[i].is_code)
			variables_below(m, &m->units.at[i].root, 0);
	}
	spans_sort(&m->data);
}

static char *variable_text(struct site_module *m, const struct span *span,
			   uint64_t offset, uint64_t size)
{
	Dwarf_Die *die = &m->variables.at[span->item].die, type;
	const char *name = module_name(m, *die);
	char *text = NULL;
	size_t length;
	FILE *out;

	if (!name)
		return NULL;
	out = open_memstream(&text, &length);
	CHECK(out);
	fputs(name, out);
	if (variable_type(die, &type))
		member_write(out, &type, offset, size);
	else if (offset)
		fprintf(out, "+%llu", (unsigned long long)offset);
	fclose(out);
	return text;
}

const char *module_copied(struct site_module *m, uint64_t addr,
			  uint64_t *offset)
{
	variables_load(m);
	if (spans_find(&m->data, addr))
		return NULL;
	return module_object(m, addr, offset);
}

char *module_variable(struct site_module *m, uint64_t addr, uint64_t size)
{
	const struct span *span;
	const char *symbol;
	uint64_t offset;
	char *text;

	variables_load(m);
	span = spans_find(&m->data, addr);
	text = span ? variable_text(m, span, addr - span->low, size) : NULL;
	if (text)
		return text;
	symbol = module_object(m, addr, &offset);
	if (!symbol)
		return NULL;
	symbol = module_demangle(m, symbol, false);
	return offset ? xasprintf("%s+%llu", symbol,
				  (unsigned long long)offset) :
			xstrdup(symbol);
}
