/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/rng.h"
#include "locate/cycle.h"
#include "locate/table_row.h"

/*
 * Cycles of random runs of two threads against the definition, and what they
 * stand for: two regions that conflict both ways are not equivalent to either
 * serial order, and those for which no cycle is found are.
 */

enum { MOST = 6, VARIABLES = 3 };

/* ---- random runs ---- */

static void push(struct deeds *d, int side, uint64_t when, struct rng *rng)
{
	uint32_t kind = rng_below(rng, 5);

	vec_push(&d->by[side],
		 (struct deed){ .when = when,
				.offset = 8 * rng_below(rng, VARIABLES),
				.size = 8,
				.place = 1 + (uint32_t)when,
				.count = 1 + (uint32_t)d->by[side].count,
				.thread = (uint16_t)side,
				.reads = kind != 1 && kind != 3,
				.writes = kind == 1 || kind == 3 ||
					  kind == 4 });
}

static struct deeds random_deeds(struct rng *rng)
{
	struct deeds d = { .thread = { 0, 1 } };

	for (uint64_t when = 1; when <= 2 * MOST; when++)
		push(&d, (int)rng_below(rng, 2), when, rng);
	return d;
}

static struct pair_names *names_for(void)
{
	struct pair_names *n = pair_names_new();

	for (uint64_t i = 1; i <= 2 * MOST + 1; i++)
		pair_place_number(n, 0, i);
	return n;
}

/* ---- the definition ---- */

/* Does region A come before region B in the run somewhere, by a conflict? */
static bool leads(const struct deeds *d, int side, const size_t low[2],
		  const size_t high[2])
{
	for (size_t i = low[side]; i <= high[side]; i++)
		for (size_t k = low[!side]; k <= high[!side]; k++) {
			const struct deed *a = &d->by[side].at[i];
			const struct deed *b = &d->by[!side].at[k];

			if (a->when < b->when && deeds_conflict(a, b))
				return true;
		}
	return false;
}

static bool has(const cycles *all, size_t low0, size_t high0, size_t low1,
		size_t high1)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].low[0] >= low0 && all->at[i].high[0] <= high0 &&
		    all->at[i].low[1] >= low1 && all->at[i].high[1] <= high1)
			return true;
	return false;
}

/* Two accesses of one region and one of the other between them. */
static bool is_triple(const struct deed *a, const struct deed *b,
		      const struct deed *c)
{
	return a->thread == c->thread && a->thread != b->thread &&
	       a->when < b->when && b->when < c->when &&
	       ((a->reads && b->writes) ||
		(a->writes && b->writes && c->reads) ||
		(a->writes && b->reads && c->writes));
}

/* W W W is in conflict both ways, but only the last write counts: at these
 * bytes, is there anything else between the regions? */
static bool is_harmless(const struct deed *const *all, size_t count,
			uint64_t offset)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++)
			for (size_t n = 0; n < count; n++)
				if (all[i]->offset == offset &&
				    all[k]->offset == offset &&
				    all[n]->offset == offset &&
				    is_triple(all[i], all[k], all[n]))
					return false;
	return true;
}

/* Do the regions conflict both ways at one variable only, and harmlessly? */
static bool is_one_variable(const struct deeds *d, const size_t low[2],
			    const size_t high[2])
{
	const struct deed *all[4 * MOST];
	bool there[VARIABLES] = { 0 }, back[VARIABLES] = { 0 };
	size_t count = 0;
	int ways[2] = { 0 }, both = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = low[side]; i <= high[side]; i++)
			all[count++] = &d->by[side].at[i];
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++)
			if (all[i]->thread != all[k]->thread &&
			    all[i]->when < all[k]->when &&
			    deeds_conflict(all[i], all[k]))
				(all[i]->thread ?
					 back :
					 there)[all[i]->offset / 8] = true;
	for (int v = 0; v < VARIABLES; v++) {
		ways[0] += there[v];
		ways[1] += back[v];
		both += there[v] && back[v] &&
			is_harmless(all, count, 8 * (uint64_t)v);
	}
	return ways[0] == 1 && ways[1] == 1 && both == 1;
}

static void find_all(const struct pair_names *n, const struct deeds *d,
		     cycles *all)
{
	for (size_t i = 0; i < d->by[0].count; i++)
		for (size_t k = 0; k < d->by[1].count; k++)
			if (d->by[0].at[i].when < d->by[1].at[k].when &&
			    deeds_conflict(&d->by[0].at[i], &d->by[1].at[k]))
				cycles_find(n, d, i, k, all);
}

static void check_regions(const struct deeds *d, const cycles *all,
			  const size_t low[2], const size_t high[2])
{
	bool both = leads(d, 0, low, high) && leads(d, 1, low, high);
	bool found = has(all, low[0], high[0], low[1], high[1]);

	if (found && !both)
		fail_msg("a cycle where there is none");
	if (both && !found && !is_one_variable(d, low, high))
		fail_msg("no cycle where there is one");
}

static void test_definition(void **state)
{
	struct pair_names *n = names_for();
	struct rng rng = rng_seeded(7);
	size_t low[2], high[2];

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct deeds d = random_deeds(&rng);
		cycles all = { 0 };

		find_all(n, &d, &all);
		for (low[0] = 0; low[0] < d.by[0].count; low[0]++)
			for (high[0] = low[0]; high[0] < d.by[0].count;
			     high[0]++)
				for (low[1] = 0; low[1] < d.by[1].count;
				     low[1]++)
					for (high[1] = low[1];
					     high[1] < d.by[1].count; high[1]++)
						check_regions(&d, &all, low,
							      high);
		vec_free(&all);
		deeds_done(&d);
	}
	pair_names_free(n);
}

/* ---- rows ---- */

static struct effect effect_of(char c)
{
	return (struct effect){ .reads = c == 'R', .writes = c == 'W' };
}

/* "Rx Wy" */
static struct steps steps_of(const char *text)
{
	bool y_first = text[1] == 'y';

	return (struct steps){ .x = effect_of(text[y_first ? 3 : 0]),
			       .y = effect_of(text[y_first ? 0 : 3]),
			       .y_first = y_first };
}

/* As the paper prints them, whoever is called the first, and x. */
static void test_rows(void **state)
{
	static const struct {
		int row;
		const char *one, *two, *renamed_one, *renamed_two;
	} rows[] = {
		{ 8, "Rx Wy", "Wx Ry", "Ry Wx", "Wy Rx" },
		{ 9, "Rx Wy", "Ry Wx", "Ry Wx", "Rx Wy" },
		{ 10, "Wx Wy", "Rx Ry", "Wy Wx", "Ry Rx" },
		{ 11, "Wx Wy", "Wx Ry", "Wy Wx", "Wy Rx" },
		{ 12, "Wx Wy", "Wx Wy", "Wy Wx", "Wy Wx" },
		{ 13, "Wx Wy", "Ry Rx", "Wy Wx", "Rx Ry" },
		{ 14, "Wx Wy", "Ry Wx", "Wy Wx", "Rx Wy" },
		{ 15, "Wx Wy", "Wy Wx", "Wy Wx", "Wx Wy" },
		{ 0, "Wx Ry", "Wy Rx", "Wy Rx", "Wx Ry" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct steps a = steps_of(rows[i].one);
		struct steps b = steps_of(rows[i].two);
		struct steps c = steps_of(rows[i].renamed_one);
		struct steps d = steps_of(rows[i].renamed_two);

		assert_int_equal(row_of_steps(a, b), rows[i].row);
		assert_int_equal(row_of_steps(b, a), rows[i].row);
		assert_int_equal(row_of_steps(c, d), rows[i].row);
		assert_int_equal(row_of_steps(d, c), rows[i].row);
	}
}

/* Of the eight that three accesses can be, four are not serializable. */
static void test_single_rows(void **state)
{
	static const char *const all[] = { "RRR", "RRW", "RWR", "RWW",
					   "WRR", "WRW", "WWR", "WWW" };
	static const int rows[] = { 0, 0, 6, 5, 0, 7, 4, 0 };

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_int_equal(row_of_single(effect_of(all[i][0]),
					       effect_of(all[i][1]),
					       effect_of(all[i][2])),
				 rows[i]);
}

/* ---- a run that is continued ---- */

static struct deed deed_at(uint32_t place, uint32_t count, uint64_t when)
{
	return (struct deed){ .place = place,
			      .count = count,
			      .when = when,
			      .size = 8,
			      .reads = true };
}

/* The thread was at place 2 twice when it died; the other run goes on from
 * there, and not from the first time. */
static void test_continued(void **state)
{
	static const uint32_t way[] = { 1, 2, 3, 2, 4, 2 };
	struct deeds d = { 0 }, whole = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		vec_push(&whole.by[0], deed_at(way[i], i + 1, i + 1));
		if (i < 4)
			vec_push(&d.by[0], deed_at(way[i], i + 1, i + 1));
	}
	vec_push(&whole.by[1], deed_at(9, 1, 20));
	deeds_continue(&d, &whole);
	assert_int_equal(d.by[0].count, 6);
	assert_int_equal(d.by[0].at[4].place, 4);
	assert_true(d.by[0].at[4].is_next);
	assert_true(d.by[0].at[4].when == DEED_NEVER);
	assert_int_equal(d.by[1].count, 1);
	deeds_done(&d);
	deeds_done(&whole);
}

/* Bytes that nobody writes, or only one thread touches, are of no interest;
 * another object at the same offset is another thing. */
static void test_shared(void **state)
{
	struct deeds d = { 0 };
	struct deed write = deed_at(1, 1, 1), read = deed_at(2, 1, 2);

	(void)state;
	write.writes = true;
	vec_push(&d.by[0], write);
	write.object = 1;
	vec_push(&d.by[0], write);
	read.offset = 4;
	read.size = 2;
	vec_push(&d.by[1], read);
	read.offset = 8;
	vec_push(&d.by[1], read);
	deeds_keep_shared(&d);
	assert_int_equal(d.by[0].count, 1);
	assert_int_equal(d.by[0].at[0].object, 0);
	assert_int_equal(d.by[1].count, 1);
	assert_int_equal(d.by[1].at[0].offset, 4);
	deeds_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_single_rows),
		cmocka_unit_test(test_continued),
		cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
