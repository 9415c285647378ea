/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names as people write them, with what stands around the declaration before
 * them: "queue::push", "serve::hits" for a static variable of the function
 * serve. Linkage names are not needed for that, nor a demangler.
 */
#include "trace/site_module.h"

#include <dwarf.h>

enum { QUALIFIERS_MAX = 32 };

/* The unit an entry lies in: the last one that begins at it or before. */
static struct unit *unit_of(struct site_module *m, const Dwarf_Die *die)
{
	size_t from = 0, to = m->units.count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if ((uintptr_t)m->units.at[middle].root.addr <=
		    (uintptr_t)die->addr)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == 0)
		return NULL;
	unit_index(&m->units.at[from - 1]);
	return &m->units.at[from - 1];
}

static const char *own_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	if (name)
		return name;
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		return "(anonymous namespace)";
	case DW_TAG_class_type:
		return "(anonymous class)";
	case DW_TAG_structure_type:
		return "(anonymous struct)";
	case DW_TAG_union_type:
		return "(anonymous union)";
	default:
		return NULL;
	}
}

static const char *name_of(struct site_module *m, Dwarf_Die die, int depth)
{
	const struct unit_scope *scope = NULL;
	const char *name, *outer;
	struct unit *unit;

	die = die_declaration(die);
	name = memo_get(&m->names, (uintptr_t)die.addr);
	if (name)
		return name;
	name = own_name(&die);
	if (!name)
		return NULL;
	unit = unit_of(m, &die);
	if (unit && depth < QUALIFIERS_MAX)
		scope = unit_scope_of(unit, &die);
	outer = scope ? name_of(m, scope->die, depth + 1) : NULL;
	if (outer) {
		vec_push(&m->kept, xasprintf("%s::%s", outer, name));
		name = m->kept.at[m->kept.count - 1];
	}
	memo_put(&m->names, (uintptr_t)die.addr, name);
	return name;
}

const char *module_name(struct site_module *m, Dwarf_Die die)
{
	return name_of(m, die, 0);
}
