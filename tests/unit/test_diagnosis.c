/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "locate/diagnosis.h"

/*
 * Every row of LOCON's Table 1, from the accesses of its two threads: the
 * interleaving that fails and those that pass become runs of pairs, a procedure
 * names the suspect, and its diagnosis is the row.
 */

enum { STEPS = 4, X = 64, Y = 128 };

/* What a thread does: "Rx Wy". */
struct row {
	int number;
	const char *first, *second;
	/* Whose step comes next, "1221"; one or two orders that pass. */
	const char *fails, *passes[2];
	enum bug_kind kind;
};

static const struct row rows[] = {
	{ 1, "Wx", "Rx", "12", { "21" }, BUG_ORDER },
	{ 2, "Rx", "Wx", "12", { "21" }, BUG_ORDER },
	{ 3, "Wx", "Wx", "12", { "21" }, BUG_ORDER },
	{ 4, "Wx Rx", "Wx", "121", { "112", "211" }, BUG_SINGLE },
	{ 5, "Rx Wx", "Wx", "121", { "112", "211" }, BUG_SINGLE },
	{ 6, "Rx Rx", "Wx", "121", { "112", "211" }, BUG_SINGLE },
	{ 7, "Wx Wx", "Rx", "121", { "112", "211" }, BUG_SINGLE },
	{ 8, "Rx Wy", "Wx Ry", "1221", { "1122", "2211" }, BUG_MULTI },
	{ 9, "Rx Wy", "Ry Wx", "1221", { "1122", "2211" }, BUG_MULTI },
	{ 10, "Wx Wy", "Rx Ry", "1221", { "1122", "2211" }, BUG_MULTI },
	{ 11, "Wx Wy", "Wx Ry", "1221", { "1122", "2211" }, BUG_MULTI },
	{ 12, "Wx Wy", "Wx Wy", "1221", { "1122", "2211" }, BUG_MULTI },
	{ 13, "Wx Wy", "Ry Rx", "1221", { "1122", "2211" }, BUG_MULTI },
	{ 14, "Wx Wy", "Ry Wx", "1221", { "1122", "2211" }, BUG_MULTI },
	{ 15, "Wx Wy", "Wy Wx", "1221", { "1122", "2211" }, BUG_MULTI },
};

/* ---- runs ---- */

static struct pair_end end_of(const struct row *row, uint16_t thread,
			      uint32_t step)
{
	const char *what = (thread == 1 ? row->first : row->second) + 3 * step;

	return (struct pair_end){ .place = 10U * thread + step,
				  .thread = thread,
				  .count = step + 1,
				  .kind = *what == 'R' ? PAIR_READ :
							 PAIR_WRITE };
}

static uint64_t address_of(const struct row *row, const struct pair_end *e)
{
	const char *what = e->thread == 1 ? row->first : row->second;

	return what[3 * (e->count - 1) + 1] == 'x' ? X : Y;
}

/* Between the two of a pair nobody writes there, nor do their threads read
 * there; and two writes are none if anybody reads. */
static bool is_between_fine(const struct pair_end *a, const struct pair_end *b,
			    const struct pair_end *between)
{
	return !pair_is_write(between->kind) && between->thread != a->thread &&
	       between->thread != b->thread &&
	       !(pair_is_write(a->kind) && pair_is_write(b->kind));
}

static bool is_pair(const struct row *row, const struct pair_end *all,
		    uint32_t i, uint32_t j)
{
	uint64_t addr = address_of(row, &all[i]);
	bool is_written = pair_is_write(all[i].kind) ||
			  pair_is_write(all[j].kind);

	if (all[i].thread == all[j].thread || !is_written ||
	    address_of(row, &all[j]) != addr)
		return false;
	for (uint32_t k = i + 1; k < j; k++)
		if (address_of(row, &all[k]) == addr &&
		    !is_between_fine(&all[i], &all[j], &all[k]))
			return false;
	return true;
}

static struct pair_run *run_of(const struct row *row, const char *order)
{
	struct pair_run *run = pair_run_new();
	struct pair_end all[STEPS];
	uint32_t done[3] = { 0 }, count = (uint32_t)strlen(order);

	for (uint32_t i = 0; i < count; i++) {
		uint16_t thread = (uint16_t)(order[i] - '0');

		all[i] = end_of(row, thread, done[thread]++);
	}
	for (uint32_t j = 0; j < count; j++)
		for (uint32_t i = 0; i < j; i++)
			if (is_pair(row, all, i, j))
				vec_push(&run->pairs,
					 (struct pair_line){
						 .head = all[i],
						 .tail = all[j],
						 .times = 1,
						 .addr = address_of(row,
								    &all[i]),
						 .first = j + 1,
						 .last = j + 1 });
	run->is_exact = true;
	return run;
}

/* ---- one row ---- */

static void world_make(const struct row *row, struct gathered *g)
{
	*g = (struct gathered){ .names = pair_names_new() };
	pair_module(g->names, "program");
	for (uint64_t place = 1; place < 30; place++)
		pair_place_number(g->names, 0, place);
	g->failing = run_of(row, row->fails);
	for (int i = 0; i < 2 && row->passes[i]; i++) {
		vec_push(&g->passing, run_of(row, row->passes[i]));
		vec_push(&g->plans, NULL);
	}
}

static void suspect_find(const struct gathered *g, struct suspects *found)
{
	struct spectrum *s = spectrum_new(LEVEL_PC, 2, true);

	spectrum_fail(s, g->failing);
	for (size_t i = 0; i < g->passing.count; i++)
		spectrum_pass(s, g->passing.at[i]);
	procedure_one(s, found);
	if (!found->all.count)
		procedure_two(s, found);
	if (!found->all.count)
		procedure_three(s, LEVEL_THREAD, found);
	spectrum_free(s);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct suspects found = { 0 };
		struct diagnosis d;
		struct gathered g;

		world_make(&rows[i], &g);
		suspect_find(&g, &found);
		if (!found.all.count)
			fail_msg("row %d: no suspect", rows[i].number);
		d = diagnose(&g, &found.all.at[0], true);
		if (d.row != rows[i].number || d.kind != rows[i].kind)
			fail_msg("row %d is told as %d, kind %d",
				 rows[i].number, d.row, (int)d.kind);
		suspects_done(&found);
		gathered_done(&g);
	}
}

/* The reader dies with what it reads too early; the write does not come. */
static void test_dead(void **state)
{
	static const struct row late = {
		2, "Rx", "Wx", "1", { "21" }, BUG_ORDER
	};
	struct suspects found = { 0 };
	struct diagnosis d;
	struct gathered g;

	(void)state;
	world_make(&late, &g);
	suspect_find(&g, &found);
	assert_int_equal(found.all.count, 1);
	assert_true(found.all.at[0].is_missing);
	d = diagnose(&g, &found.all.at[0], true);
	assert_int_equal(d.row, 2);
	assert_int_equal(d.kind, BUG_ORDER);
	suspects_done(&found);
	gathered_done(&g);
}

/* A cycle where one order is never seen, and does harm: an order violation. */
static void test_order(void **state)
{
	static const struct row late = { 6,	"Rx Rx",   "Wx",
					 "121", { "112" }, BUG_ORDER };
	struct suspects found = { 0 };
	struct diagnosis d;
	struct gathered g;

	(void)state;
	world_make(&late, &g);
	suspect_find(&g, &found);
	d = diagnose(&g, &found.all.at[0], false);
	assert_int_equal(d.kind, BUG_ORDER);
	suspects_done(&found);
	gathered_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_dead),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
