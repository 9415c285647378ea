/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way into a type. At each level the first member that holds the whole
 * access is followed; if none does, the one in which it begins, except that an
 * access from the very beginning of an object belongs to the object.
 */
#include "trace/site_global.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

enum { DEPTH_MAX = 64, DIMENSIONS_MAX = 16 };

struct access {
	FILE *out;
	uint64_t offset;   /* in the object in hand */
	uint64_t nameless; /* of that in what was written last */
	uint64_t size;
	int depth;
};

struct member {
	Dwarf_Die die;
	Dwarf_Die type;
	uint64_t low, high; /* in the object, whole bytes */
	bool is_bits;
};

static bool attr_number(Dwarf_Die *die, unsigned int name, Dwarf_Word *value)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) &&
	       dwarf_formudata(&attr, value) == 0;
}

static bool attr_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) &&
	       dwarf_formref_die(&attr, type);
}

/* Where a member begins: a number, or in old files an expression that adds a
 * number to the address of the object. Virtual bases have neither. */
static bool member_offset(Dwarf_Die *die, uint64_t *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Op *ops;
	size_t count;

	*offset = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
		return true;
	if (dwarf_formudata(&attr, &value) == 0) {
		*offset = value;
		return true;
	}
	if (dwarf_getlocation(&attr, &ops, &count) != 0 || count != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = ops[0].number;
	return true;
}

/* DWARF 4 counts the bits of a bit-field from the top of a storage unit of
 * byte_size bytes, DWARF 5 from the beginning of the object. */
static bool bits_find(struct member *m)
{
	Dwarf_Word bits, first, storage;

	if (!attr_number(&m->die, DW_AT_bit_size, &bits))
		return false;
	if (!attr_number(&m->die, DW_AT_data_bit_offset, &first)) {
		if (!attr_number(&m->die, DW_AT_byte_size, &storage) &&
		    dwarf_aggregate_size(&m->type, &storage) != 0)
			return false;
		if (!attr_number(&m->die, DW_AT_bit_offset, &first))
			return false;
		first = 8 * (m->low + storage) - first - bits;
	}
	m->is_bits = true;
	m->low = first / 8;
	m->high = (first + bits + 7) / 8;
	return true;
}

static bool type_is_array(Dwarf_Die type)
{
	return dwarf_peel_type(&type, &type) == 0 &&
	       dwarf_tag(&type) == DW_TAG_array_type;
}

static bool member_read(struct member *m)
{
	int tag = dwarf_tag(&m->die);
	Dwarf_Word size = 0;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    dwarf_hasattr(&m->die, DW_AT_declaration) ||
	    dwarf_hasattr(&m->die, DW_AT_external) ||
	    !attr_type(&m->die, &m->type) || !member_offset(&m->die, &m->low))
		return false;
	m->is_bits = false;
	if (bits_find(m))
		return true;
	if (dwarf_aggregate_size(&m->type, &size) != 0)
		size = 0;
	/* A flexible array goes on to the end of the object. */
	m->high = size || !type_is_array(m->type) ? m->low + size : UINT64_MAX;
	return true;
}

/* Bit-fields are accessed by whole storage units: they hold what begins in
 * them. */
static bool member_holds(const struct member *m, const struct access *a,
			 bool whole)
{
	if (a->offset < m->low || a->offset >= m->high)
		return false;
	return !whole || m->is_bits || a->size <= m->high - a->offset;
}

static bool member_find(Dwarf_Die *type, const struct access *a, bool whole,
			struct member *found)
{
	if (dwarf_child(type, &found->die) != 0)
		return false;
	do {
		if (member_read(found) && member_holds(found, a, whole))
			return true;
	} while (dwarf_siblingof(&found->die, &found->die) == 0);
	return false;
}

static void rest_write(const struct access *a)
{
	uint64_t rest = a->nameless + a->offset;

	if (rest)
		fprintf(a->out, "+%llu", (unsigned long long)rest);
}

/* Names kept for the implementation: _M_i in std::atomic, __data in a mutex. */
static bool name_is_reserved(const char *name)
{
	return name[0] == '_' &&
	       (name[1] == '_' || isupper((unsigned char)name[1]));
}

/* An access to the whole of a std::atomic is one to the variable. */
static bool member_is_the_whole(Dwarf_Die *type, const struct access *a,
				const char *name)
{
	Dwarf_Word size;

	return name && name_is_reserved(name) && a->offset == 0 &&
	       dwarf_aggregate_size(type, &size) == 0 && a->size == size;
}

static void type_write(struct access *a, Dwarf_Die *type);

static void struct_write(struct access *a, Dwarf_Die *type)
{
	struct member member;
	const char *name;

	if (!member_find(type, a, true, &member) &&
	    (a->offset == 0 || !member_find(type, a, false, &member))) {
		rest_write(a);
		return;
	}
	name = dwarf_diename(&member.die);
	if (member_is_the_whole(type, a, name))
		return;
	if (name)
		fprintf(a->out, ".%s", name);
	a->nameless = name ? 0 : a->nameless + member.low;
	a->offset -= member.low;
	if (!member.is_bits)
		type_write(a, &member.type);
}

/* The number of elements in one dimension; 0 if it is open. */
static uint64_t dimension(Dwarf_Die *range)
{
	Dwarf_Word count, first = 0;

	if (attr_number(range, DW_AT_count, &count))
		return count;
	if (!attr_number(range, DW_AT_upper_bound, &count))
		return 0;
	attr_number(range, DW_AT_lower_bound, &first);
	return count + 1 - first;
}

/* The bytes from one element of each dimension to the next, outermost first. */
static int strides_find(Dwarf_Die *type, uint64_t element, uint64_t *strides)
{
	uint64_t counts[DIMENSIONS_MAX];
	Dwarf_Die range;
	int n = 0;

	if (dwarf_child(type, &range) != 0)
		return 0;
	do {
		if (dwarf_tag(&range) == DW_TAG_subrange_type)
			counts[n++] = dimension(&range);
	} while (n < DIMENSIONS_MAX && dwarf_siblingof(&range, &range) == 0);
	for (int i = n; i-- > 0;) {
		strides[i] = element;
		element *= counts[i];
	}
	return n;
}

static void array_write(struct access *a, Dwarf_Die *type)
{
	uint64_t strides[DIMENSIONS_MAX];
	Dwarf_Word size = 0;
	Dwarf_Die element;
	int n;

	if (!attr_type(type, &element) ||
	    dwarf_aggregate_size(&element, &size) != 0 || size == 0) {
		rest_write(a);
		return;
	}
	n = strides_find(type, size, strides);
	for (int i = 0; i < n; i++) {
		if (strides[i] == 0 || (a->offset == 0 && a->size > strides[i]))
			return;
		fprintf(a->out, "[%llu]",
			(unsigned long long)(a->offset / strides[i]));
		a->offset %= strides[i];
		a->nameless = 0;
	}
	type_write(a, &element);
}

/* A type that stands in a unit of its own is known here by its signature. */
static void type_complete(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die whole;

	if (dwarf_attr(type, DW_AT_signature, &attr) &&
	    dwarf_formref_die(&attr, &whole))
		*type = whole;
}

static void type_write(struct access *a, Dwarf_Die *outer)
{
	Dwarf_Die type;

	if (a->depth++ == DEPTH_MAX || dwarf_peel_type(outer, &type) != 0) {
		rest_write(a);
		return;
	}
	type_complete(&type);
	switch (dwarf_tag(&type)) {
	case DW_TAG_array_type:
		array_write(a, &type);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		struct_write(a, &type);
		break;
	default:
		rest_write(a);
	}
}

void member_write(FILE *out, Dwarf_Die *type, uint64_t offset, uint64_t size)
{
	struct access a = { .out = out, .offset = offset, .size = size };

	type_write(&a, type);
}
