/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_unit.h"

#include <dwarf.h>

#include "base/bisect.h"

/* Deeper nesting than any compiler writes: a damaged file. */
enum { DEPTH_MAX = 400, REFERENCES_MAX = 16 };

/* Where the walk through a unit is. */
struct walk {
	struct unit *unit;
	const void *last; /* the entry visited last */
	uint32_t scope;	  /* the innermost ones around it, or NO_ENTRY */
	uint32_t function;
	uint32_t inlined;
	uint32_t inline_depth;
	uint32_t depth;
};

bool tag_is_container(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	default:
		return false;
	}
}

static bool tag_is_scope(int tag)
{
	return tag_is_container(tag) && tag != DW_TAG_inlined_subroutine &&
	       tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
	       tag != DW_TAG_catch_block;
}

static void function_add(struct walk *w, Dwarf_Die *die)
{
	struct unit *u = w->unit;
	uint32_t number = (uint32_t)u->functions.count;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	bool has_code = false;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		has_code = true;
		spans_add(&u->code, (struct span){ .low = low,
						   .high = high,
						   .item = number });
	}
	if (!has_code)
		return;
	vec_push(&u->functions,
		 (struct unit_function){
			 .die = *die, .inlines = (uint32_t)u->inlines.count });
	w->function = number;
	w->inlined = NO_ENTRY;
	w->inline_depth = 0;
}

static void inline_add(struct walk *w, Dwarf_Die *die)
{
	struct unit *u = w->unit;
	uint32_t number = (uint32_t)u->inlines.count;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	if (w->function == NO_ENTRY)
		return;
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		vec_push(&u->inlines,
			 (struct unit_inline){ .low = low,
					       .high = high,
					       .die = *die,
					       .function = w->function,
					       .parent = w->inlined,
					       .depth = w->inline_depth + 1 });
	if (u->inlines.count == number)
		return;
	w->inlined = number;
	w->inline_depth++;
}

static void walk_children(struct walk *w, Dwarf_Die *parent);

static void walk_container(struct walk *outer, Dwarf_Die *die, int tag)
{
	struct walk w = *outer;
	struct unit *u = w.unit;

	if (tag_is_scope(tag)) {
		w.scope = (uint32_t)u->scopes.count;
		vec_push(&u->scopes,
			 (struct unit_scope){ .die = *die,
					      .parent = outer->scope });
	}
	if (tag == DW_TAG_subprogram)
		function_add(&w, die);
	else if (tag == DW_TAG_inlined_subroutine)
		inline_add(&w, die);
	walk_children(&w, die);
	if (w.scope != outer->scope)
		u->scopes.at[w.scope].last = w.last;
	if (w.function != outer->function)
		u->functions.at[w.function].inlines_end =
			(uint32_t)u->inlines.count;
	outer->last = w.last;
}

static void walk_children(struct walk *w, Dwarf_Die *parent)
{
	Dwarf_Die die;

	if (w->depth == DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	w->depth++;
	do {
		int tag = dwarf_tag(&die);

		w->last = die.addr;
		if (tag_is_container(tag))
			walk_container(w, &die, tag);
	} while (dwarf_siblingof(&die, &die) == 0);
	w->depth--;
}

void unit_index(struct unit *u)
{
	struct walk w = { .unit = u,
			  .last = u->root.addr,
			  .scope = NO_ENTRY,
			  .function = NO_ENTRY,
			  .inlined = NO_ENTRY };

	if (u->indexed)
		return;
	u->indexed = true;
	walk_children(&w, &u->root);
	spans_sort(&u->code);
}

void unit_done(struct unit *u)
{
	spans_done(&u->code);
	vec_free(&u->functions);
	vec_free(&u->inlines);
	vec_free(&u->scopes);
}

const struct unit_function *unit_function_find(const struct unit *u,
					       uint64_t addr)
{
	const struct span *span = spans_find(&u->code, addr);

	return span ? &u->functions.at[span->item] : NULL;
}

const struct unit_inline *unit_inline_find(const struct unit *u,
					   const struct unit_function *f,
					   uint64_t addr)
{
	uint32_t number = (uint32_t)(f - u->functions.at);
	const struct unit_inline *found = NULL;

	for (uint32_t i = f->inlines; i < f->inlines_end; i++) {
		const struct unit_inline *in = &u->inlines.at[i];

		if (in->low <= addr && addr < in->high &&
		    in->function == number &&
		    (!found || in->depth > found->depth))
			found = in;
	}
	return found;
}

/* How many scopes begin before an entry. */
static size_t scopes_before(const struct unit *u, const void *entry)
{
	const struct unit_scope *scopes = u->scopes.at;

	return bisect(i, 0, u->scopes.count,
		      (uintptr_t)scopes[i].die.addr < (uintptr_t)entry);
}

const struct unit_scope *unit_scope_of(const struct unit *u,
				       const Dwarf_Die *die)
{
	size_t before = scopes_before(u, die->addr);
	uint32_t i = before ? (uint32_t)before - 1 : NO_ENTRY;

	while (i != NO_ENTRY &&
	       (uintptr_t)u->scopes.at[i].last < (uintptr_t)die->addr)
		i = u->scopes.at[i].parent;
	return i == NO_ENTRY ? NULL : &u->scopes.at[i];
}

Dwarf_Die die_declaration(Dwarf_Die die)
{
	Dwarf_Attribute attr;

	for (int i = 0; i < REFERENCES_MAX; i++) {
		Dwarf_Die next;

		if (!dwarf_attr(&die, DW_AT_abstract_origin, &attr) &&
		    !dwarf_attr(&die, DW_AT_specification, &attr))
			break;
		if (!dwarf_formref_die(&attr, &next))
			break;
		die = next;
	}
	return die;
}
