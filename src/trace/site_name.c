/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names as people write them, with what stands around the declaration before
 * them: "queue::push", "serve::hits" for a static variable of the function
 * serve. Linkage names are not needed for that, nor a demangler.
 */
#include "trace/site_module.h"

#include <dwarf.h>
#include <string.h>

#include "base/bisect.h"

enum { QUALIFIERS_MAX = 32 };

/* The unit an entry lies in: the last one that begins at it or before. */
static struct unit *unit_of(struct site_module *m, const Dwarf_Die *die)
{
	const struct unit *units = m->units.at;
	size_t after =
		bisect(i, 0, m->units.count,
		       (uintptr_t)units[i].root.addr <= (uintptr_t)die->addr);

	if (after == 0)
		return NULL;
	unit_index(&m->units.at[after - 1]);
	return &m->units.at[after - 1];
}

/* A lambda is an object of a class without a name that can be called. */
static bool class_is_lambda(Dwarf_Die *die)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		const char *name = dwarf_diename(&child);

		if (name && strcmp(name, "operator()") == 0)
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static const char *class_name(Dwarf_Die *die)
{
	return class_is_lambda(die) ? "(lambda)" : "(anonymous class)";
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
	case DW_TAG_structure_type:
		return class_name(die);
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
	if (outer)
		name = module_keep(m, xasprintf("%s::%s", outer, name));
	memo_put(&m->names, (uintptr_t)die.addr, name);
	return name;
}

const char *module_name(struct site_module *m, Dwarf_Die die)
{
	return name_of(m, die, 0);
}
