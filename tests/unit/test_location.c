/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory an address was, over the course of a run.
 */
#include "site_fixture.h"

#include "trace/location.h"
#include "trace/location_map.h"

/* Thread 1 ends and thread 2 gets its stack; thread 3 has one in the heap. */
static const char tables[] = "thread 0 stack-low=0x9000 stack-high=0x9800\n"
			     "thread 1 stack-low=0xa000 stack-high=0xa800\n"
			     "thread 2 stack-low=0xa000 stack-high=0xa800\n"
			     "thread 3 stack-low=0x1000 stack-high=0x1100\n";

static struct trace *trace_new(const char *events)
{
	char text[4096];
	struct err err;
	struct trace *t;

	snprintf(text, sizeof(text), "%s%s", tables, events);
	t = trace_from_text(text, &err);
	if (!t)
		fail_msg("%s", err.text);
	return t;
}

/* The locations after all events. */
static struct locations *locations_after(struct trace *t)
{
	struct locations *l = locations_new(t);
	struct event e;

	while (trace_next(t, &e))
		locations_feed(l, &e);
	return l;
}

static void expect_location(const char *events, uint64_t addr,
			    const char *expected)
{
	struct trace *t = trace_new(events);
	struct sites *s = sites_new(t);
	struct locations *l = locations_after(t);
	struct location where = location_find(l, addr);
	char *name = location_name(&where, addr, 4, s);

	if (strcmp(name, expected) != 0)
		fail_msg("after\n%s0x%llx is \"%s\" instead of \"%s\"", events,
			 (unsigned long long)addr, name, expected);
	free(name);
	locations_free(l);
	sites_free(s);
	trace_close(t);
}

static void addresses_inside_a_block_belong_to_it(void **state)
{
	static const char events[] = "0 alloc 0x1000 size=64 arg=0\n"
				     "0 alloc 0x1050 size=1 arg=1\n";

	(void)state;
	expect_location(events, 0x1000, "heap block of 64 bytes, +0");
	expect_location(events, 0x103f, "heap block of 64 bytes, +63");
	expect_location(events, 0x1040, "address 0x1040");
	expect_location(events, 0xfff, "address 0xfff");
	expect_location(events, 0x1050, "heap block of 1 byte, +0");
}

static void an_address_used_again_is_another_location(void **state)
{
	struct trace *t = trace_new("0 alloc 0x1000 size=64 arg=7\n"
				    "0 free 0x1000 size=64\n"
				    "1 alloc 0x1000 size=64 arg=3\n");
	struct locations *l = locations_new(t);
	struct location first, freed, second;
	struct event e;

	(void)state;
	assert_true(trace_next(t, &e));
	locations_feed(l, &e);
	first = location_find(l, 0x1008);
	assert_true(trace_next(t, &e));
	locations_feed(l, &e);
	freed = location_find(l, 0x1008);
	assert_true(trace_next(t, &e));
	locations_feed(l, &e);
	second = location_find(l, 0x1008);
	assert_int_equal(first.kind, LOCATION_HEAP);
	assert_int_equal(first.owner, 0);
	assert_int_equal(first.generation, 7);
	assert_int_equal(first.offset, 8);
	assert_true(freed.is_gone && freed.generation == 7);
	assert_int_equal(second.owner, 1);
	assert_int_equal(second.generation, 3);
	assert_false(second.is_gone);
	locations_free(l);
	trace_close(t);
}

static void a_freed_block_is_known_until_its_memory_is_used_again(void **state)
{
	static const char freed[] = "0 alloc 0x1000 size=64\n"
				    "0 free 0x1000 size=64\n";
	static const char again[] = "0 alloc 0x1000 size=64\n"
				    "0 free 0x1000 size=64\n"
				    "0 alloc 0x1020 size=16\n";

	(void)state;
	expect_location(freed, 0x1008, "freed heap block of 64 bytes, +8");
	expect_location(again, 0x1008, "address 0x1008");
	expect_location(again, 0x1020, "heap block of 16 bytes, +0");
}

static void a_block_whose_free_was_missed_is_replaced(void **state)
{
	static const char events[] = "0 alloc 0x1000 size=16\n"
				     "0 alloc 0x1010 size=16\n"
				     "0 alloc 0x1020 size=16\n"
				     "0 alloc 0x1008 size=16\n";

	(void)state;
	expect_location(events, 0x1000, "address 0x1000");
	expect_location(events, 0x1008, "heap block of 16 bytes, +0");
	expect_location(events, 0x1017, "heap block of 16 bytes, +15");
	expect_location(events, 0x1018, "address 0x1018");
	expect_location(events, 0x1020, "heap block of 16 bytes, +0");
}

static void mappings_are_given_back_and_replaced_in_parts(void **state)
{
	static const char events[] = "1 map 0x10000 size=0x4000\n"
				     "1 unmap 0x11000 size=0x1000\n"
				     "1 map 0x12000 size=0x1000\n";

	(void)state;
	expect_location(events, 0x10004, "mapping of 16384 bytes, +4");
	expect_location(events, 0x11004,
			"unmapped mapping of 16384 bytes, "
			"+4100");
	expect_location(events, 0x12004, "mapping of 4096 bytes, +4");
	expect_location(events, 0x13004, "mapping of 16384 bytes, +12292");
	expect_location(events, 0x14000, "address 0x14000");
}

static void a_stack_belongs_to_the_thread_that_runs_on_it(void **state)
{
	static const char first[] = "0 thread-create arg=1\n"
				    "1 thread-begin arg=0\n";
	static const char ended[] = "1 thread-begin arg=0\n"
				    "1 thread-end\n";
	static const char second[] = "1 thread-begin arg=0\n"
				     "1 thread-end\n"
				     "2 thread-begin arg=0\n";

	(void)state;
	expect_location(first, 0xa7a0,
			"stack of thread 1, 96 bytes below its "
			"top");
	expect_location(first, 0x9700,
			"stack of thread 0, 256 bytes below its "
			"top");
	expect_location(ended, 0xa7a0,
			"stack of thread 1, 96 bytes below its "
			"top");
	expect_location(second, 0xa7a0,
			"stack of thread 2, 96 bytes below its "
			"top");
}

static void the_latest_use_of_memory_counts(void **state)
{
	static const char inside[] = "0 alloc 0x1000 size=0x200\n"
				     "3 thread-begin arg=0\n";
	static const char after[] = "0 alloc 0x1000 size=0x200\n"
				    "3 thread-begin arg=0\n"
				    "3 thread-end\n";
	static const char reused[] = "1 thread-begin arg=0\n"
				     "1 thread-end\n"
				     "0 alloc 0xa700 size=0x80\n";

	(void)state;
	expect_location(inside, 0x10f0,
			"stack of thread 3, 16 bytes below its "
			"top");
	expect_location(inside, 0x1100, "heap block of 512 bytes, +256");
	expect_location(after, 0x10f0, "heap block of 512 bytes, +240");
	expect_location(reused, 0xa710, "heap block of 128 bytes, +16");
}

static void data_and_blocks_are_named_by_their_source(void **state)
{
	static const char source[] = "#include <stdlib.h>\n"
				     "struct { int a, count; } table = { 1 };\n"
				     "int main(void)\n"
				     "{\n"
				     "	void *p = malloc(64);\n" /* 5 */
				     "	__asm__ volatile(\"mark: .globl mark; "
				     "nop\");\n"
				     "	free(p);\n"
				     "	return 0;\n"
				     "}\n";
	const char *files[] = { "list", NULL };
	char more[256];
	struct location where;
	struct locations *l;
	struct sites *s;
	struct trace *t;
	uint64_t addr;
	char *name;

	(void)state;
	source_write("list.c", source);
	shell("gcc -O0 -g -o list list.c");
	snprintf(more, sizeof(more),
		 "stack 1 parent=0 site=0x%x\n"
		 "0 alloc 0x1000 size=64 stack=1\n",
		 module_site(0, symbol_at("list", "mark")));
	t = trace_of(files, more);
	s = sites_new(t);
	l = locations_after(t);
	where = location_find(l, 0x1008);
	name = location_name(&where, 0x1008, 4, s);
	assert_string_equal(name, "heap block of 64 bytes allocated at "
				  "list.c:5, +8");
	free(name);
	addr = module_base(0) + symbol_at("list", "table") + 4;
	where = location_find(l, addr);
	assert_int_equal(where.kind, LOCATION_GLOBAL);
	name = location_name(&where, addr, 4, s);
	assert_string_equal(name, "global table.count");
	free(name);
	where = location_find(l, module_base(0) + 2);
	name = location_name(&where, module_base(0) + 2, 1, s);
	assert_string_equal(name, "data at list+0x2");
	free(name);
	locations_free(l);
	sites_free(s);
	trace_close(t);
}

/* ---- the map, against an array ---- */

enum { SLOTS = 4096, STEPS = 50000 };

static uint64_t random_next(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return *seed >> 33;
}

/* Which extent, by its generation, holds each slot; 0 for none. */
struct model {
	uint32_t at[SLOTS];
};

static void model_fill(struct model *m, const struct extent *e, uint32_t with)
{
	for (uint64_t i = e->low; i < e->high; i++)
		m->at[i] = with;
}

static void map_agrees_with_an_array(void **state)
{
	static struct model model;
	struct extent_map map = { 0 };
	uint64_t seed = 20240611;

	(void)state;
	for (uint32_t step = 1; step <= STEPS; step++) {
		uint64_t low = random_next(&seed) % SLOTS;
		uint64_t high = low + 1 + random_next(&seed) % 4;
		uint64_t asked = random_next(&seed) % SLOTS;
		struct extent *e;

		if (high > SLOTS)
			high = SLOTS;
		while ((e = extent_next(&map, low)) && e->low < high) {
			model_fill(&model, e, 0);
			extent_remove(&map, e);
		}
		if (random_next(&seed) % 4) {
			struct extent new = { .low = low,
					      .high = high,
					      .generation = step };

			extent_add(&map, new);
			model_fill(&model, &new, step);
		}
		e = extent_find(&map, asked);
		assert_int_equal(e ? e->generation : 0, model.at[asked]);
	}
	extent_map_done(&map);
}

static void map_keeps_many(void **state)
{
	struct extent_map map = { 0 };
	uint64_t count = 400000, seed = 7;

	(void)state;
	for (uint64_t i = 0; i < count; i++) {
		/* Odd multipliers modulo a power of two visit all, mixed. */
		uint64_t n = i * 0x9e3779b1 % (1 << 19);

		extent_add(&map, (struct extent){ .low = n * 32,
						  .high = n * 32 + 24,
						  .generation = n + 1 });
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t n =
			random_next(&seed) % count * 0x9e3779b1 % (1 << 19);
		struct extent *e = extent_find(&map, n * 32 + 23);

		assert_true(e && e->generation == n + 1);
		assert_null(extent_find(&map, n * 32 + 24));
	}
	extent_map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_inside_a_block_belong_to_it),
		cmocka_unit_test(an_address_used_again_is_another_location),
		cmocka_unit_test(
			a_freed_block_is_known_until_its_memory_is_used_again),
		cmocka_unit_test(a_block_whose_free_was_missed_is_replaced),
		cmocka_unit_test(mappings_are_given_back_and_replaced_in_parts),
		cmocka_unit_test(a_stack_belongs_to_the_thread_that_runs_on_it),
		cmocka_unit_test(the_latest_use_of_memory_counts),
		cmocka_unit_test(data_and_blocks_are_named_by_their_source),
		cmocka_unit_test(map_agrees_with_an_array),
		cmocka_unit_test(map_keeps_many),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
