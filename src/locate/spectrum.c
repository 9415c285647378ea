/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/spectrum.h"

#include <stdlib.h>
#include <string.h>

struct spectrum *spectrum_new(enum level level, uint32_t runs,
			      bool keeps_instances)
{
	struct spectrum *s = xcalloc(1, sizeof(*s));

	s->level = level;
	s->words = runs / 64 + 1;
	s->keeps_instances = keeps_instances;
	return s;
}

void spectrum_free(struct spectrum *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->runs.count; i++)
		vec_free(&s->runs.at[i].instances);
	vec_free(&s->runs);
	vec_free(&s->pairs);
	vec_free(&s->rows);
	vec_free(&s->failing);
	vec_free(&s->failing_instances);
	keymap_done(&s->map);
	keymap_done(&s->positions.first);
	free(s);
}

/* ---- what makes two pairs the same ---- */

/* Two words of a key: places or ways with kinds, and threads if they count.
 * Numbers of places and ways stay below 2^30, of threads below 2^16; three
 * bits are left over. */
static void key_of(const struct spectrum *s, const struct pair_line *p,
		   uint64_t *a, uint64_t *b)
{
	bool by_way = s->level == LEVEL_CONTEXT;
	bool by_thread = (s->level == LEVEL_THREAD || s->level == LEVEL_LOOP) &&
			 !s->keeps_instances;
	uint64_t head = by_way ? p->head.way : p->head.place;
	uint64_t tail = by_way ? p->tail.way : p->tail.place;

	*a = head << 2 | p->head.kind;
	*b = tail << 2 | p->tail.kind;
	if (by_thread) {
		*a |= (uint64_t)(p->head.thread + 1) << 40;
		*b |= (uint64_t)(p->tail.thread + 1) << 40;
	}
}

uint32_t spectrum_find(const struct spectrum *s, const struct pair_line *line)
{
	uint64_t a, b;

	key_of(s, line, &a, &b);
	return keymap_find(&s->map, a, b) - 1;
}

static uint32_t pair_number(struct spectrum *s, const struct pair_line *line,
			    bool *is_new)
{
	uint64_t a, b;
	uint32_t *number;

	key_of(s, line, &a, &b);
	number = keymap_at(&s->map, a, b);
	*is_new = !*number;
	if (*is_new) {
		*number = (uint32_t)s->pairs.count + 1;
		vec_push(&s->pairs, (struct spectrum_pair){
					    .line = *line, .run = UINT32_MAX });
		for (size_t i = 0; i < s->words; i++)
			vec_push(&s->rows, 0);
	}
	return *number - 1;
}

static struct spectrum_instance instance_of(uint32_t pair,
					    const struct pair_line *p)
{
	return (struct spectrum_instance){ .pair = pair,
					   .head_thread = p->head.thread,
					   .tail_thread = p->tail.thread,
					   .head_loop = p->head.loop,
					   .tail_loop = p->tail.loop,
					   .head_count = p->head.count,
					   .head_began = p->head.began,
					   .tail_count = p->tail.count,
					   .tail_began = p->tail.began };
}

void spectrum_fail(struct spectrum *s, const struct pair_run *run)
{
	s->has_failing = true;
	for (size_t i = 0; i < run->pairs.count; i++) {
		const struct pair_line *line = &run->pairs.at[i];
		bool is_new;
		uint32_t n = pair_number(s, line, &is_new);

		if (is_new)
			vec_push(&s->failing, n);
		s->pairs.at[n].in_failing = true;
		if (!s->keeps_instances)
			continue;
		vec_push(&s->failing_instances, instance_of(n, line));
		position_see_pair(&s->positions, line);
	}
}

/* Lines are taken some at a time, in three steps, because each needs memory
 * from all over the place: the next step finds what the one before has asked
 * for. */
enum { BATCH = 64 };

static void expect_lines(const struct spectrum *s,
			 const struct pair_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t a, b;

		key_of(s, &lines[i], &a, &b);
		keymap_expect(&s->map, a, b);
	}
}

static void number_lines(struct spectrum *s, const struct pair_line *lines,
			 size_t count, uint32_t *numbers)
{
	for (size_t i = 0; i < count; i++) {
		bool is_new;

		numbers[i] = pair_number(s, &lines[i], &is_new);
		__builtin_prefetch(&s->rows.at[numbers[i] * s->words]);
		__builtin_prefetch(&s->pairs.at[numbers[i]].passes);
	}
}

/* Returns whether no passing run had the pair before. */
static bool mark(struct spectrum *s, uint32_t pair, uint32_t run)
{
	uint64_t *word = &s->rows.at[pair * s->words + run / 64];
	uint64_t bit = UINT64_C(1) << run % 64;
	struct spectrum_pair *p = &s->pairs.at[pair];

	if (*word & bit)
		return false;
	*word |= bit;
	p->passes++;
	if (p->run != UINT32_MAX)
		return false;
	p->run = run;
	return true;
}

size_t spectrum_pass(struct spectrum *s, const struct pair_run *run)
{
	uint32_t number = s->passing;
	struct spectrum_run kept = { 0 };
	size_t fresh = 0;

	if (number / 64 >= s->words)
		return 0;
	s->passing++;
	for (size_t at = 0; at < run->pairs.count; at += BATCH) {
		const struct pair_line *lines = &run->pairs.at[at];
		size_t left = run->pairs.count - at;
		size_t count = left < BATCH ? left : BATCH;
		uint32_t numbers[BATCH];

		expect_lines(s, lines, count);
		number_lines(s, lines, count, numbers);
		for (size_t i = 0; i < count; i++) {
			fresh += mark(s, numbers[i], number);
			if (!s->keeps_instances)
				continue;
			vec_push(&kept.instances,
				 instance_of(numbers[i], &lines[i]));
			position_see_pair(&s->positions, &lines[i]);
		}
	}
	if (s->keeps_instances)
		vec_push(&s->runs, kept);
	return fresh;
}

/* ---- relations ---- */

bool pair_is_predictable(const struct pair_line *pair,
			 const struct pair_line *by)
{
	return pair->head.thread == by->head.thread &&
	       pair->tail.thread == by->tail.thread &&
	       pair->head.count <= by->head.count &&
	       pair->tail.count >= by->tail.count &&
	       (pair->head.count != by->head.count ||
		pair->tail.count != by->tail.count);
}

struct pair_line pair_reversed(const struct pair_line *p)
{
	struct pair_line r = *p;

	r.head = p->tail;
	r.tail = p->head;
	return r;
}
