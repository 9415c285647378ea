/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/rng.h"
#include "locate/suspect.h"
#include "locate/together.h"

/*
 * The procedures of LOCON against the definitions, read literally: all pairs
 * with all pairs, run by run; and the examples of the paper.
 */

enum { R = PAIR_READ, W = PAIR_WRITE, RUNS = 12 };

/* ---- runs ---- */

static void push(struct pair_run *run, uint32_t head, uint8_t head_kind,
		 uint16_t from, uint32_t tail, uint8_t tail_kind, uint16_t to,
		 uint64_t addr)
{
	uint64_t now = run->pairs.count + 1;

	vec_push(&run->pairs, (struct pair_line){ .head = { .place = head,
							    .way = head,
							    .thread = from,
							    .kind = head_kind,
							    .count = head },
						  .tail = { .place = tail,
							    .way = tail,
							    .thread = to,
							    .kind = tail_kind,
							    .count = tail },
						  .addr = addr,
						  .first = now,
						  .last = now,
						  .times = 1 });
}

static struct pair_run *random_run(struct rng *rng, int pairs)
{
	struct pair_run *run = pair_run_new();

	for (int i = 0; i < pairs; i++) {
		uint32_t x = rng_below(rng, 6);
		uint16_t from = (uint16_t)rng_below(rng, 3);
		uint16_t to = (uint16_t)((from + 1 + rng_below(rng, 2)) % 3);
		struct pair_line *p;

		push(run, 1 + x, x % 2 ? R : W, from, 10 + rng_below(rng, 4), W,
		     to, 64 * (x / 2));
		p = &run->pairs.at[run->pairs.count - 1];
		p->head.count = 1 + rng_below(rng, 30);
		p->tail.count = 1 + rng_below(rng, 30);
		p->head.loop = (uint16_t)rng_below(rng, 3);
		p->tail.loop = (uint16_t)rng_below(rng, 2);
		p->head.began = p->head.loop ? rng_below(rng, 3) : 0;
		p->tail.began = p->tail.loop ? rng_below(rng, 3) : 0;
	}
	return run;
}

struct world {
	struct pair_run *failing, *passing[RUNS];
	int count;
};

static void world_make(struct world *w, struct rng *rng)
{
	w->count = 1 + (int)rng_below(rng, RUNS);
	w->failing = random_run(rng, (int)rng_below(rng, 14));
	for (int i = 0; i < w->count; i++)
		w->passing[i] = random_run(rng, (int)rng_below(rng, 9));
}

static void world_done(struct world *w)
{
	pair_run_free(w->failing);
	for (int i = 0; i < w->count; i++)
		pair_run_free(w->passing[i]);
}

static struct spectrum *spectrum_make(const struct world *w, bool keeps)
{
	struct spectrum *s = spectrum_new(LEVEL_PC, RUNS, keeps);

	spectrum_fail(s, w->failing);
	for (int i = 0; i < w->count; i++)
		spectrum_pass(s, w->passing[i]);
	return s;
}

/* ---- the definitions ---- */

static bool is_same(const struct pair_line *p, const struct pair_line *q)
{
	return p->head.place == q->head.place &&
	       p->tail.place == q->tail.place && p->head.kind == q->head.kind &&
	       p->tail.kind == q->tail.kind;
}

static const struct pair_line *find(const struct pair_run *run,
				    const struct pair_line *p)
{
	for (size_t i = 0; i < run->pairs.count; i++)
		if (is_same(&run->pairs.at[i], p))
			return &run->pairs.at[i];
	return NULL;
}

static bool in_any(const struct world *w, const struct pair_line *p)
{
	for (int i = 0; i < w->count; i++)
		if (find(w->passing[i], p))
			return true;
	return false;
}

static bool in_all(const struct world *w, const struct pair_line *p)
{
	for (int i = 0; i < w->count; i++)
		if (!find(w->passing[i], p))
			return false;
	return true;
}

static bool always_together(const struct world *w, const struct pair_line *p,
			    const struct pair_line *q)
{
	for (int i = 0; i < w->count; i++)
		if (!find(w->passing[i], p) != !find(w->passing[i], q))
			return false;
	return true;
}

static bool is_first_of_its_kind(const struct pair_run *run, size_t i)
{
	return find(run, &run->pairs.at[i]) == &run->pairs.at[i];
}

static size_t times_in(const struct suspects *s, const struct pair_line *p)
{
	size_t n = 0;

	for (size_t i = 0; i < s->all.count; i++)
		n += is_same(&s->all.at[i].pairs[0], p);
	return n;
}

/* ---- I ---- */

static bool is_suspect_one(const struct world *w, const struct pair_line *p)
{
	const struct pair_run *f = w->failing;

	if (in_any(w, p))
		return false;
	for (size_t i = 0; i < f->pairs.count; i++)
		if (is_first_of_its_kind(f, i) && !in_any(w, &f->pairs.at[i]) &&
		    pair_is_predictable(&f->pairs.at[i], p))
			return false;
	return true;
}

static void test_one(void **state)
{
	struct rng rng = rng_fork(1, 7);

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct suspects found = { 0 };
		struct world w;
		struct spectrum *s;
		size_t wanted = 0;

		world_make(&w, &rng);
		s = spectrum_make(&w, false);
		procedure_one(s, &found);
		for (size_t i = 0; i < w.failing->pairs.count; i++) {
			const struct pair_line *p = &w.failing->pairs.at[i];
			bool is_it = is_first_of_its_kind(w.failing, i) &&
				     is_suspect_one(&w, p);

			wanted += is_it;
			if (is_it)
				assert_int_equal(times_in(&found, p), 1);
		}
		assert_int_equal(found.all.count, wanted);
		for (size_t i = 1; i < wanted; i++)
			assert_true(found.all.at[i - 1].pairs[0].first <=
				    found.all.at[i].pairs[0].first);
		suspects_done(&found);
		spectrum_free(s);
		world_done(&w);
	}
}

/* ---- II ---- */

/* Some pair that the failing run has always comes with p, on other memory. */
static bool has_partner(const struct world *w, struct spectrum *s,
			const struct pair_line *p)
{
	uint64_t addr = s->pairs.at[spectrum_find(s, p)].line.addr;

	for (int r = 0; r < w->count; r++)
		for (size_t i = 0; i < w->passing[r]->pairs.count; i++) {
			const struct pair_line *q = &w->passing[r]->pairs.at[i];
			uint32_t n = spectrum_find(s, q);

			if (!in_all(w, q) && find(w->failing, q) &&
			    s->pairs.at[n].line.addr != addr &&
			    always_together(w, p, q))
				return true;
		}
	return false;
}

static void test_two(void **state)
{
	struct rng rng = rng_fork(2, 7);

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct suspects found = { 0 };
		struct world w;
		struct spectrum *s;
		size_t wanted = 0;

		world_make(&w, &rng);
		s = spectrum_make(&w, false);
		procedure_two(s, &found);
		for (uint32_t i = 0; i < s->pairs.count; i++) {
			const struct pair_line *p = &s->pairs.at[i].line;
			struct pair_line reversed = pair_reversed(p);
			bool is_it = in_any(&w, p) && !find(w.failing, p) &&
				     !find(w.failing, &reversed) &&
				     (in_all(&w, p) || has_partner(&w, s, p));

			wanted += is_it;
			if (is_it)
				assert_int_equal(times_in(&found, &reversed),
						 1);
		}
		assert_int_equal(found.all.count, wanted);
		suspects_done(&found);
		spectrum_free(s);
		world_done(&w);
	}
}

/* ---- III ---- */

static struct spectrum_instance instance(const struct pair_line *p)
{
	return (struct spectrum_instance){ .head_thread = p->head.thread,
					   .tail_thread = p->tail.thread,
					   .head_loop = p->head.loop,
					   .tail_loop = p->tail.loop,
					   .head_began = p->head.began,
					   .tail_began = p->tail.began };
}

/* Do two occurrences in the run show both together? */
static bool shows(const struct pair_run *run, const struct pair_line *p,
		  const struct pair_line *q, enum level level)
{
	for (size_t i = 0; i < run->pairs.count; i++)
		for (size_t j = 0; j < run->pairs.count; j++) {
			struct spectrum_instance x, y;

			if (!is_same(&run->pairs.at[i], p) ||
			    !is_same(&run->pairs.at[j], q))
				continue;
			x = instance(&run->pairs.at[i]);
			y = instance(&run->pairs.at[j]);
			if (together_is(&x, &y, level))
				return true;
		}
	return false;
}

/* What is told of couples before any is dropped: compare through a world in
 * which none is predictable. */
static void unrelate(struct pair_run *run)
{
	for (size_t i = 0; i < run->pairs.count; i++)
		run->pairs.at[i].head.count = run->pairs.at[i].tail.count = 5;
}

static size_t couples_wanted(const struct world *w, enum level level)
{
	const struct pair_run *f = w->failing;
	size_t wanted = 0;

	for (size_t i = 0; i < f->pairs.count; i++)
		for (size_t j = i + 1; j < f->pairs.count; j++) {
			const struct pair_line *p = &f->pairs.at[i];
			const struct pair_line *q = &f->pairs.at[j];
			bool known = false;

			if (!is_first_of_its_kind(f, i) ||
			    !is_first_of_its_kind(f, j) || p->addr == q->addr ||
			    !in_any(w, p) || !in_any(w, q) ||
			    !shows(f, p, q, level))
				continue;
			for (int r = 0; r < w->count; r++)
				known |= shows(w->passing[r], p, q, level);
			wanted += !known;
		}
	return wanted;
}

static void test_three(void **state)
{
	struct rng rng = rng_fork(3, 7);
	size_t all = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		enum level level = round % 2 ? LEVEL_THREAD : LEVEL_LOOP;
		struct suspects found = { 0 };
		struct world w;
		struct spectrum *s;

		world_make(&w, &rng);
		unrelate(w.failing);
		s = spectrum_make(&w, true);
		procedure_three(s, level, &found);
		assert_int_equal(found.all.count, couples_wanted(&w, level));
		all += found.all.count;
		suspects_done(&found);
		spectrum_free(s);
		world_done(&w);
	}
	assert_true(all > 1000);
}

static bool is_implied(const struct suspect *c, const struct suspect *d)
{
	for (int i = 0; i < 4; i++)
		if (pair_is_predictable(&c->pairs[i / 2], &d->pairs[i % 2]))
			return true;
	return false;
}

/* Of two couples, one of which is a predictor of the other, one is gone; but
 * never all. */
static void test_three_predictors(void **state)
{
	struct rng rng = rng_fork(4, 7);
	size_t fewer = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct suspects found = { 0 };
		struct world w;
		struct spectrum *s;
		size_t n, all;

		world_make(&w, &rng);
		s = spectrum_make(&w, true);
		procedure_three(s, LEVEL_THREAD, &found);
		n = found.all.count;
		all = couples_wanted(&w, LEVEL_THREAD);
		assert_true(n <= all && !n == !all);
		fewer += n < all;
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				assert_false(i != j &&
					     is_implied(&found.all.at[i],
							&found.all.at[j]));
		suspects_done(&found);
		spectrum_free(s);
		world_done(&w);
	}
	assert_true(fewer > 100);
}

/* ---- the paper's examples ---- */

/* Figure 3: T1: 1 W x, 2 R y; T2: 3 W y, 4 R x. y must be read before. */
static void test_figure_three(void **state)
{
	enum { X = 64, Y = 128 };
	struct world w = { .failing = pair_run_new(), .count = 1 };
	struct suspects found = { 0 };
	struct spectrum *s;

	(void)state;
	w.passing[0] = pair_run_new();
	push(w.passing[0], 1, W, 1, 4, R, 2, X);
	push(w.passing[0], 2, R, 1, 3, W, 2, Y);
	/* 3, 4, 1, 2 */
	push(w.failing, 4, R, 2, 1, W, 1, X);
	push(w.failing, 3, W, 2, 2, R, 1, Y);
	s = spectrum_make(&w, false);
	procedure_one(s, &found);
	assert_int_equal(found.all.count, 1);
	assert_int_equal(found.all.at[0].pairs[0].head.place, 3);
	assert_int_equal(found.all.at[0].pairs[0].tail.place, 2);
	suspects_done(&found);
	spectrum_free(s);
	world_done(&w);
}

/* Figure 1: the write that comes too late is missing, its reverse is in all
 * passing runs. */
static void test_figure_one(void **state)
{
	struct world w = { .failing = pair_run_new(), .count = 2 };
	struct suspects found = { 0 };
	struct spectrum *s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		w.passing[i] = pair_run_new();
		push(w.passing[i], 1, W, 1, 2, R, 2, 64);
	}
	push(w.passing[1], 5, W, 1, 6, R, 2, 128);
	s = spectrum_make(&w, false);
	procedure_two(s, &found);
	assert_int_equal(found.all.count, 1);
	assert_true(found.all.at[0].is_missing);
	assert_int_equal(found.all.at[0].pairs[0].head.place, 2);
	assert_int_equal(found.all.at[0].pairs[0].tail.place, 1);
	suspects_done(&found);
	spectrum_free(s);
	world_done(&w);
}

/* Row 10, partially missing: W x, then R x, R y, dead; W y does not come. */
static void test_partner(void **state)
{
	enum { X = 64, Y = 128, A = 1, B, C, D };
	struct world w = { .failing = pair_run_new(), .count = 2 };
	struct suspects found = { 0 };
	struct spectrum *s;

	(void)state;
	w.passing[0] = pair_run_new();
	push(w.passing[0], A, W, 1, B, R, 2, X);
	push(w.passing[0], D, W, 1, C, R, 2, Y);
	w.passing[1] = pair_run_new();
	push(w.passing[1], B, R, 2, A, W, 1, X);
	push(w.passing[1], C, R, 2, D, W, 1, Y);
	push(w.failing, A, W, 1, B, R, 2, X);
	s = spectrum_make(&w, false);
	procedure_two(s, &found);
	assert_int_equal(found.all.count, 1);
	assert_int_equal(found.all.at[0].pairs[0].head.place, C);
	assert_int_equal(found.all.at[0].pairs[0].tail.place, D);
	assert_true(found.all.at[0].has_partner);
	suspects_done(&found);
	spectrum_free(s);
	world_done(&w);
}

static void at_iteration(struct pair_run *run, uint32_t head, uint32_t tail)
{
	struct pair_line *p = &run->pairs.at[run->pairs.count - 1];

	p->head.loop = head ? 1 : 0;
	p->head.began = head;
	p->tail.loop = tail ? 1 : 0;
	p->tail.began = tail;
}

/* Figure 4: T1 writes x (2) and y (3) in a loop, T2 reads x (5) and y (6). */
static void test_figure_four(void **state)
{
	enum { X = 64, Y = 128 };
	struct world w = { .failing = pair_run_new(), .count = 1 };
	struct suspects found = { 0 };
	struct spectrum *s;

	(void)state;
	/* Between the iterations: the writes are of different ones. */
	w.passing[0] = pair_run_new();
	push(w.passing[0], 5, R, 2, 2, W, 1, X);
	at_iteration(w.passing[0], 0, 8);
	push(w.passing[0], 3, W, 1, 6, R, 2, Y);
	at_iteration(w.passing[0], 4, 0);
	push(w.failing, 5, R, 2, 2, W, 1, X);
	at_iteration(w.failing, 0, 4);
	push(w.failing, 3, W, 1, 6, R, 2, Y);
	at_iteration(w.failing, 4, 0);
	s = spectrum_make(&w, true);
	procedure_three(s, LEVEL_PC, &found);
	procedure_three(s, LEVEL_THREAD, &found);
	assert_int_equal(found.all.count, 0);
	procedure_three(s, LEVEL_LOOP, &found);
	assert_int_equal(found.all.count, 1);
	assert_int_equal(found.all.at[0].count, 2);
	suspects_done(&found);
	spectrum_free(s);
	world_done(&w);
}

static void test_falcon(void **state)
{
	struct pair_run *f = pair_run_new(), *p = pair_run_new();
	const struct pair_run *passing[] = { p };
	struct suspects found = { 0 };

	(void)state;
	push(f, 1, R, 1, 2, W, 2, 64);
	push(f, 2, W, 2, 3, W, 1, 64);
	f->pairs.at[1].before = 1;
	f->pairs.at[1].before_kind = R;
	push(p, 1, R, 1, 2, W, 2, 64);
	procedure_falcon(f, passing, 1, &found);
	assert_int_equal(found.all.count, 3);
	assert_true(found.all.at[0].score == 1.0);
	assert_true(found.all.at[2].score == 0.5);
	suspects_done(&found);
	pair_run_free(f);
	pair_run_free(p);
}

/* ---- files ---- */

static void test_text(void **state)
{
	struct pair_names *n = pair_names_new();
	struct pair_run *run = pair_run_new(), *again;
	char *text = NULL;
	size_t size;
	struct err err;
	FILE *out = open_memstream(&text, &size);
	uint32_t m = pair_module(n, "a \"b\"");

	(void)state;
	for (uint64_t i = 1; i < 20; i++)
		pair_way_number(n, pair_place_number(n, m, 0x1000 + i), 0);
	pair_thread_number(n, "0");
	pair_thread_number(n, "0.1");
	push(run, 3, R, 0, 4, W, 1, 0x7fff12345678);
	at_iteration(run, 2, 0);
	run->command = xstrdup("./a 'b c'");
	run->failure = xstrdup("assertion");
	run->is_exact = true;
	pair_run_write(run, n, out);
	fclose(out);
	again = pair_run_read(n, text, size, "file", &err);
	assert_non_null(again);
	assert_int_equal(again->pairs.count, 1);
	assert_memory_equal(&again->pairs.at[0], &run->pairs.at[0],
			    sizeof(struct pair_line));
	assert_string_equal(again->command, run->command);
	assert_string_equal(again->failure, run->failure);
	assert_null(
		pair_run_read(n, "heddle-pairs 1\npair 1 2", 23, "x", &err));
	assert_null(pair_run_read(n, "", 0, "x", &err));
	assert_null(pair_run_read(n, "heddle-pairs 9\n", 15, "x", &err));
	pair_run_free(again);
	pair_run_free(run);
	pair_names_free(n);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_three),
		cmocka_unit_test(test_three_predictors),
		cmocka_unit_test(test_figure_one),
		cmocka_unit_test(test_figure_three),
		cmocka_unit_test(test_figure_four),
		cmocka_unit_test(test_partner),
		cmocka_unit_test(test_falcon),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
