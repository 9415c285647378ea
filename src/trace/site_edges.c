/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_edges.h"

#include <dwarf.h>
#include <stdlib.h>

static void edges_of_spans(const struct spans *s, struct edges *out)
{
	for (size_t i = 0; i < s->count; i++) {
		vec_push(out, s->at[i].low);
		vec_push(out, s->at[i].high);
	}
}

static void edges_of_lines(struct unit *u, struct edges *out)
{
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(&u->cu, &lines, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Addr addr;

		if (dwarf_lineaddr(dwarf_onesrcline(lines, i), &addr) == 0)
			vec_push(out, addr);
	}
}

static void edges_of_unit(struct unit *u, struct edges *out)
{
	if (!u->is_code)
		return;
	unit_index(u);
	edges_of_spans(&u->code, out);
	for (size_t i = 0; i < u->inlines.count; i++) {
		vec_push(out, u->inlines.at[i].low);
		vec_push(out, u->inlines.at[i].high);
	}
	edges_of_lines(u, out);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void module_edges(struct site_module *m, struct edges *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->units.count; i++)
		edges_of_unit(&m->units.at[i], out);
	edges_of_spans(&m->functions, out);
	if (!out->count)
		return;
	qsort(out->at, out->count, sizeof(*out->at), by_value);
	for (size_t i = 0; i < out->count; i++)
		if (!kept || out->at[i] != out->at[kept - 1])
			out->at[kept++] = out->at[i];
	out->count = kept;
}
