/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which steps are shown first, against all triples of a run tried one by one.
 */
#include "report/culprit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "format/rng.h"

/* "1R 2W 1w": thread and access, to x or, in small letters, to y. */
static struct witness *witness_of(const char *text)
{
	struct witness *w = xcalloc(1, sizeof(*w));

	for (int i = 0; i < 2; i++)
		vec_push(&w->locations, (struct witness_location){
						.name = xstrdup(i ? "y" : "x"),
						.kind = LOCATION_GLOBAL,
						.is_shared = true });
	vec_push(&w->places, (struct witness_place){ .file = "/a/b.c",
						     .line = 7,
						     .outer = WITNESS_NONE });
	for (; *text; text += 2 + (text[2] == ' ')) {
		bool is_y = text[1] == 'r' || text[1] == 'w';
		bool is_write = text[1] == 'W' || text[1] == 'w';
		struct witness_step s = {
			.thread = (uint32_t)(text[0] - '0'),
			.kind = is_write ? EVENT_WRITE : EVENT_READ,
			.location = is_y,
			.address = is_y ? 128 : 64,
			.size = 4,
			.place = 0,
		};
		size_t n = w->steps.count;

		if (n && w->steps.at[n - 1].thread != s.thread)
			vec_push(&w->switches,
				 (struct witness_switch){
					 (uint32_t)n, w->steps.at[n - 1].thread,
					 s.thread, STEP_PREEMPT });
		vec_push(&w->steps, s);
	}
	return w;
}

static void done(struct witness *w)
{
	for (size_t i = 0; i < w->locations.count; i++)
		free(w->locations.at[i].name);
	vec_free(&w->locations);
	vec_free(&w->places);
	vec_free(&w->steps);
	vec_free(&w->switches);
	free(w);
}

static struct culprit found(const char *text)
{
	struct witness *w = witness_of(text);
	struct culprit c = culprit_find(w);

	done(w);
	return c;
}

static void is_triple(const char *text, uint32_t p, uint32_t r, uint32_t c)
{
	struct culprit f = found(text);

	assert_int_equal(f.kind, CULPRIT_ATOMICITY);
	assert_int_equal(f.first, p);
	assert_int_equal(f.between, r);
	assert_int_equal(f.last, c);
}

static void the_four_patterns_are_found(void **state)
{
	(void)state;
	is_triple("1R 2W 1R", 0, 1, 2);
	is_triple("1W 2W 1R", 0, 1, 2);
	is_triple("1W 2R 1W", 0, 1, 2);
	is_triple("1R 2R 2W 1W", 0, 2, 3);
}

static void what_is_serializable_is_an_order(void **state)
{
	struct culprit c;

	(void)state;
	assert_int_equal(found("1R 2R 1R").kind, CULPRIT_NONE);
	c = found("1W 2W 1W");
	assert_int_equal(c.kind, CULPRIT_ORDER);
	assert_int_equal(c.first, WITNESS_NONE);
	c = found("1W 2R");
	assert_int_equal(c.kind, CULPRIT_ORDER);
	assert_int_equal(c.between, 0);
	assert_int_equal(c.last, 1);
}

/* A pointer was read, then what it points to went away: the use is what went
 * wrong, not the next reading of the pointer. */
static void an_access_right_behind_a_switch_comes_first(void **state)
{
	struct culprit c = found("1R 2W 2w 1r 1R");

	(void)state;
	assert_int_equal(c.kind, CULPRIT_ORDER);
	assert_int_equal(c.between, 2);
	assert_int_equal(c.last, 3);
	is_triple("1R 1r 2W 2w 1r 1R", 1, 3, 4);
}

static bool is_wrong(const char *text, size_t p, size_t r, size_t c)
{
	char word[4] = { text[3 * p + 1], text[3 * r + 1], text[3 * c + 1] };

	return strcmp(word, "RWR") == 0 || strcmp(word, "WWR") == 0 ||
	       strcmp(word, "WRW") == 0 || strcmp(word, "RWW") == 0;
}

/* Is there a triple around a switch: neighbours in their thread, and another
 * thread between them? */
static bool has_triple(const char *text, size_t count)
{
	for (size_t c = 0; c < count; c++)
		for (size_t p = c; p-- > 0;) {
			if (text[3 * p] != text[3 * c])
				continue;
			for (size_t r = p + 1; r < c; r++)
				if (text[3 * r] != text[3 * c] &&
				    is_wrong(text, p, r, c))
					return true;
			break;
		}
	return false;
}

static void nothing_wrong_is_told_of_random_runs(void **state)
{
	struct rng rng = rng_seeded(1);
	char text[40];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t count = 2 + rng_below(&rng, 8);
		struct culprit f;

		for (size_t k = 0; k < count; k++)
			sprintf(text + 3 * k, "%d%c ",
				1 + (int)rng_below(&rng, 3),
				rng_below(&rng, 2) ? 'W' : 'R');
		text[3 * count - 1] = '\0';
		f = found(text);
		if (f.kind == CULPRIT_ATOMICITY) {
			assert_true(f.first < f.between && f.between < f.last);
			assert_true(text[3 * f.first] == text[3 * f.last]);
			assert_true(text[3 * f.first] != text[3 * f.between]);
			assert_true(is_wrong(text, f.first, f.between, f.last));
		} else {
			assert_false(has_triple(text, count));
		}
	}
}

static void it_is_told_in_words(void **state)
{
	struct witness *w = witness_of("1R 2W 1W");
	struct culprit c = culprit_find(w);
	char *title = culprit_title(w, &c), *advice;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		w->steps.at[i].place = 0;
	advice = culprit_advice(w, &c);
	assert_string_equal(title, "atomicity violation on `x` (b.c:7)");
	assert_string_equal(advice, "the read at b.c:7 and the write at b.c:7 "
				    "must be atomic");
	free(title);
	free(advice);
	done(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_four_patterns_are_found),
		cmocka_unit_test(what_is_serializable_is_an_order),
		cmocka_unit_test(an_access_right_behind_a_switch_comes_first),
		cmocka_unit_test(nothing_wrong_is_told_of_random_runs),
		cmocka_unit_test(it_is_told_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
