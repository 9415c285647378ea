/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter_model.h"
#include "lone_memory.h"

/*
 * Made-up programs go through the guest's own filter, and the races in what it
 * lets pass are those in everything: none missed, none invented, and whatever
 * is told of the past is true.
 */

/* ---- the rest of the guest ---- */

struct region *region;
bool gate;
static struct model model;
static unsigned int notes;

void guest_note(const char *text)
{
	(void)text;
	notes++;
}

void record_earlier(struct thread *t, bool is_write, uint64_t addr,
		    uint32_t size, uint64_t arg, uint32_t stack)
{
	(void)t;
	for (uint64_t at = addr; at < addr + size; at++) {
		uint64_t offset = at - model_address(0);
		struct model_access told = {
			.segment = earlier_segment(arg),
			.thread = earlier_thread(arg) - model.first_number,
			.granule = (uint32_t)(offset / 8),
			.life = model.lives[offset / 8 % MODEL_GRANULES],
			.bytes = 1u << offset % 8,
			.node = stack,
			.is_write = is_write,
		};

		assert_true(told.granule < MODEL_GRANULES);
		model_tell(&model, told);
	}
}

/* Nodes 1 to 3 are calls, 4 to 15 places below them. */
enum { NODE_LEAF = 4, NODES = 16 };

static int guest_start(void **state)
{
	(void)state;
	region = guest_map(sizeof(*region));
	assert_non_null(region);
	assert_true(shadow_init());
	region->stacks[2].parent = region->stacks[3].parent = 1;
	for (uint32_t i = NODE_LEAF; i < NODES; i++)
		region->stacks[i].parent = 1 + i % 3;
	model_init(&model);
	return 0;
}

static int guest_stop(void **state)
{
	(void)state;
	model_done(&model);
	return 0;
}

/* ---- programs by chance ---- */

static uint64_t chance_state;

static uint32_t chance(uint32_t below)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (uint32_t)(chance_state >> 33) % below;
}

/* What sort of program; the numbers are percentages or most counts. */
struct shape {
	uint32_t programs, steps, threads, granules;
	uint32_t accesses, writes, whole; /* the rest is synchronisation */
	uint32_t creates, ends, detaches, lives, ages;
};

static uint32_t thread_chosen(void)
{
	uint32_t from = chance(model.thread_count);

	for (uint32_t i = 0; i < model.thread_count; i++) {
		uint32_t n = (from + i) % model.thread_count;

		if (model.threads[n].is_running)
			return n;
	}
	return UINT32_MAX;
}

static uint32_t bytes_chosen(const struct shape *s)
{
	static const uint8_t parts[] = { 0x01, 0x02, 0x0f, 0xf0,
					 0x3c, 0x80, 0xc0, 0x0c };

	return chance(100) < s->whole ? 0xff : parts[chance(sizeof(parts))];
}

static uint32_t node_chosen(void)
{
	return NODE_LEAF + chance(NODES - NODE_LEAF);
}

static void step_access(const struct shape *s, uint32_t thread)
{
	uint32_t granule = chance(s->granules);

	if (chance(1000) < s->lives)
		model_begin_life(&model, thread, granule, chance(2),
				 node_chosen());
	else
		model_access(&model, thread, granule, bytes_chosen(s),
			     chance(100) < s->writes, node_chosen());
}

static void step_end(const struct shape *s, uint32_t thread)
{
	uint32_t joiner;

	model_end(&model, thread);
	joiner = thread_chosen();
	if (joiner == UINT32_MAX || chance(100) < s->detaches)
		model_detach(&model, thread);
	else
		model_join(&model, joiner, thread);
}

static void step_sync(const struct shape *s, uint32_t thread)
{
	uint32_t what = chance(100);

	if (what < s->creates) {
		if (model.thread_count < s->threads)
			model_create(&model, chance(20) ? thread : UINT32_MAX);
	} else if (what < s->creates + s->ends) {
		if (thread)
			step_end(s, thread);
	} else if (chance(100) < s->ages) {
		model_age(&model, thread, 1 + chance(3));
	} else if (what & 1) {
		model_release(&model, thread, chance(MODEL_LOCKS));
	} else {
		model_acquire(&model, thread, chance(MODEL_LOCKS));
	}
}

static void program_run(const struct shape *s)
{
	model_create(&model, UINT32_MAX);
	for (uint32_t i = 0; i < s->steps; i++) {
		uint32_t thread = thread_chosen();

		if (chance(100) < s->accesses)
			step_access(s, thread);
		else
			step_sync(s, thread);
	}
}

static void programs_run(const struct shape *s)
{
	for (uint32_t i = 1; i <= s->programs; i++) {
		chance_state = i * UINT64_C(0x9e3779b97f4a7c15);
		model_reset(&model);
		program_run(s);
		if (model_agrees(&model))
			continue;
		model_print(&model);
		fail_msg("program %u", i);
	}
}

/* ---- tests ---- */

static void test_few_threads(void **state)
{
	(void)state;
	programs_run(&(struct shape){ .programs = 20000,
				      .steps = 25,
				      .threads = 3,
				      .granules = 1,
				      .accesses = 60,
				      .writes = 40,
				      .whole = 20,
				      .creates = 30,
				      .ends = 10 });
}

static void test_whole_granules(void **state)
{
	(void)state;
	programs_run(&(struct shape){ .programs = 5000,
				      .steps = 60,
				      .threads = 5,
				      .granules = 3,
				      .accesses = 60,
				      .writes = 30,
				      .whole = 95,
				      .creates = 20,
				      .ends = 10,
				      .detaches = 20,
				      .lives = 50 });
}

static void test_parts_of_granules(void **state)
{
	(void)state;
	programs_run(&(struct shape){ .programs = 5000,
				      .steps = 80,
				      .threads = 5,
				      .granules = 3,
				      .accesses = 60,
				      .writes = 30,
				      .whole = 10,
				      .creates = 20,
				      .ends = 10,
				      .detaches = 20,
				      .lives = 30 });
}

static void test_readers(void **state)
{
	(void)state;
	programs_run(&(struct shape){ .programs = 3000,
				      .steps = 120,
				      .threads = 20,
				      .granules = 2,
				      .accesses = 50,
				      .writes = 2,
				      .whole = 70,
				      .creates = 40,
				      .ends = 15,
				      .detaches = 10,
				      .lives = 10 });
}

static void test_many_segments(void **state)
{
	(void)state;
	programs_run(&(struct shape){ .programs = 1000,
				      .steps = 80,
				      .threads = 5,
				      .granules = 2,
				      .accesses = 50,
				      .writes = 20,
				      .whole = 50,
				      .creates = 15,
				      .ends = 10,
				      .detaches = 20,
				      .ages = 10 });
}

/* A thread is created by an access's thread, reads, is joined: no event. */
static void test_ordered_is_left_out(void **state)
{
	uint32_t main, child;

	(void)state;
	model_reset(&model);
	main = model_create(&model, UINT32_MAX);
	model_access(&model, main, 0, 0xff, true, 4);
	child = model_create(&model, main);
	model_access(&model, child, 0, 0xff, true, 5);
	model_end(&model, child);
	model_join(&model, main, child);
	model_access(&model, main, 0, 0xff, false, 6);
	assert_int_equal(model.passed_count, 0);
	assert_true(model_agrees(&model));
}

/* Many threads that only read: no event, however many come. */
static void test_readers_are_left_out(void **state)
{
	uint32_t main, child[6];

	(void)state;
	model_reset(&model);
	main = model_create(&model, UINT32_MAX);
	model_access(&model, main, 0, 0xff, true, 4);
	for (int i = 0; i < 6; i++)
		child[i] = model_create(&model, main);
	for (int n = 0; n < 3; n++)
		for (int i = 0; i < 6; i++)
			model_access(&model, child[i], 0, 0xff, false, 5);
	assert_int_equal(model.passed_count, 0);
	model_access(&model, child[0], 0, 0xff, true, 6);
	assert_int_equal(model.passed_count, 1 + 8 * 7);
	assert_true(model_agrees(&model));
}

/* More readers than a table holds: the one that gave up its place still
 * counts, even if all others are ordered before the writer. */
static void test_reader_without_place(void **state)
{
	(void)state;
	for (uint32_t loose = 1; loose <= 12; loose++) {
		uint32_t main;

		model_reset(&model);
		main = model_create(&model, UINT32_MAX);
		model_access(&model, main, 0, 0xff, true, 4);
		for (int i = 1; i <= 12; i++)
			model_create(&model, main);
		for (uint32_t i = 1; i <= 12; i++)
			model_access(&model, i, 0, 0xff, false, 5);
		for (uint32_t i = 1; i <= 12; i++) {
			model_end(&model, i);
			if (i == loose)
				model_detach(&model, i);
			else
				model_join(&model, main, i);
		}
		model_access(&model, main, 0, 0xff, true, 6);
		assert_true(model_agrees(&model));
	}
}

/* Few incarnations are left, so threads of one program follow each other in
 * one, or have none. Last: the others do not come back. */
static void test_recycled_incarnations(void **state)
{
	static struct thread idle;
	struct shape s = { .programs = 10000,
			   .steps = 80,
			   .threads = 20,
			   .granules = 2,
			   .accesses = 40,
			   .writes = 40,
			   .whole = 60,
			   .creates = 40,
			   .ends = 40,
			   .detaches = 40 };

	(void)state;
	model_reset(&model);
	for (uint32_t i = 0; i < 4; i++)
		model_create(&model, UINT32_MAX);
	idle.before = calloc(INCARNATIONS, sizeof(*idle.before));
	do
		order_begin(&idle, NULL);
	while (idle.incarnation);
	free(idle.before);
	programs_run(&s);
	assert_int_equal(notes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordered_is_left_out),
		cmocka_unit_test(test_readers_are_left_out),
		cmocka_unit_test(test_few_threads),
		cmocka_unit_test(test_whole_granules),
		cmocka_unit_test(test_parts_of_granules),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_reader_without_place),
		cmocka_unit_test(test_many_segments),
		cmocka_unit_test(test_recycled_incarnations),
	};

#ifdef __SANITIZE_ADDRESS__
	/* The sanitizer's shadow is where ours wants to be. */
	return 77;
#endif
	return cmocka_run_group_tests(tests, guest_start, guest_stop);
}
