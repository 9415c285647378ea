/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/filter.h"
#include "runtime/latch.h"
#include "runtime/order.h"

#include "filter_pairs.h"
#include "lone_memory.h"

/*
 * The filter, interrupted at every step: an access of one thread is stopped
 * before each of its looks at memory in turn, and there an access of a second
 * thread runs, itself stopped or not for that of a third. So every way in which
 * three accesses can overlap like parentheses is played, by one thread and in
 * the same order each time. Windows of two instructions, which threads that
 * really run at once meet in one run of twenty, are met in each.
 */

static void step_point(void);

/* From here on, in filter.c, whatever others may see or change is a step. */
#define word_load(at) (step_point(), (word_load)(at))
#define __atomic_load_n(...) (step_point(), __atomic_load_n(__VA_ARGS__))
#define __atomic_exchange_n(...)                                               \
	(step_point(), __atomic_exchange_n(__VA_ARGS__))
#define __atomic_fetch_or(...) (step_point(), __atomic_fetch_or(__VA_ARGS__))
#define __atomic_compare_exchange_n(...)                                       \
	(step_point(), __atomic_compare_exchange_n(__VA_ARGS__))
#define __sync_val_compare_and_swap(...)                                       \
	(step_point(), __sync_val_compare_and_swap(__VA_ARGS__))
#include "runtime/filter.c" /* NOLINT(bugprone-suspicious-include) */

enum { THREADS = 10, BEFORE = 8, PLAYS = 3, STEPS = 60 };

/* An access, and the step of the filter at which it begins. */
struct play {
	uint32_t thread, bytes;
	bool is_write;
	unsigned int at;
};

struct region *region;
bool gate;
static uint64_t memory[2];
static struct log logs[THREADS];
static struct thread threads[THREADS];
static struct play plays[PLAYS];
static unsigned int play_next, step_count;
static bool is_playing;

void guest_note(const char *text)
{
	fail_msg("%s", text);
}

void record_earlier(struct thread *t, bool is_write, uint64_t addr,
		    uint32_t size, uint64_t arg, uint32_t stack)
{
	(void)stack;
	assert_true(log_tell(&logs[t->number], is_write,
			     addr - (uintptr_t)memory, size, arg));
}

/* As a hook does it. */
static void use(const struct play *p)
{
	struct thread *t = &threads[p->thread];
	struct log *log = &logs[p->thread];
	const struct cell *c = shadow_find((uintptr_t)memory);
	uint64_t word = word_load(p->is_write ? &c->write : &c->read);
	struct use u = { .segment = t->segment,
			 .thread = p->thread,
			 .bytes = p->bytes,
			 .is_write = p->is_write,
			 .is_kept = true };

	log->done[log->done_count++] = u;
	if (word_covers(word, t->tag, p->bytes) ||
	    (!p->is_write && word_is_readers(word) &&
	     filter_knows_reader(t, word, p->bytes)))
		return;
	if (filter_access(t, (uintptr_t)memory, p->bytes, p->is_write, 0))
		assert_true(log_pass(log, &u));
}

static void step_point(void)
{
	if (!is_playing)
		return;
	step_count++;
	while (play_next < PLAYS && plays[play_next].at <= step_count)
		use(&plays[play_next++]);
}

static uint32_t chance(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 33) % below;
}

static struct play play_any(uint64_t *state, uint32_t thread, uint32_t writes)
{
	static const uint8_t parts[] = { 0xff, 0xff, 0x0f, 0xf0, 0x81, 0x18 };

	return (struct play){ .thread = thread,
			      .bytes = parts[chance(state, sizeof(parts))],
			      .is_write = chance(state, 100) < writes };
}

/* What was there before, then the accesses that overlap. The same each time
 * but for the steps at which the second and third begin. */
static bool play_all(uint64_t seed, unsigned int second, unsigned int third)
{
	uint64_t state = seed;
	uint32_t before = chance(&state, BEFORE + 1);
	uint32_t first = chance(&state, THREADS);
	bool right;

	shadow_fill((uintptr_t)memory, sizeof(memory), 0);
	logs_clear(logs, THREADS);
	for (uint32_t i = 0; i < before; i++) {
		struct play p = play_any(&state, (first + i) % THREADS, 5);

		use(&p);
		if (!chance(&state, 3))
			order_release(&threads[p.thread]);
	}
	/* Three different threads, some of which were there before. */
	first = chance(&state, THREADS);
	for (uint32_t i = 0; i < PLAYS; i++)
		plays[i] = play_any(&state, (first + i) % THREADS, 25);
	plays[1].at = second;
	plays[2].at = third;
	play_next = step_count = 0;
	is_playing = true;
	while (play_next < PLAYS)
		use(&plays[play_next++]);
	is_playing = false;
	right = logs_are_right(logs, THREADS);
	if (!right)
		fprintf(stderr, "seed %llu, steps %u and %u\n",
			(unsigned long long)seed, second, third);
	return right;
}

static void test_every_step(void **state)
{
	unsigned int seeds = 8000;

	(void)state;
	region = guest_map(sizeof(*region));
	assert_non_null(region);
	assert_true(shadow_init());
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i].number = i;
		threads[i].before =
			calloc(INCARNATIONS, sizeof(*threads[i].before));
		order_begin(&threads[i], NULL);
	}
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		for (unsigned int i = 0; i <= STEPS; i++) {
			/* Where the steps end, all the rest is the same. */
			for (unsigned int j = i; j <= STEPS; j++) {
				assert_true(play_all(
					seed * UINT64_C(0x9e3779b97f4a7c15), i,
					j));
				if (step_count < j)
					break;
			}
			if (step_count < i)
				break;
		}
	}
	for (uint32_t i = 0; i < THREADS; i++)
		free(threads[i].before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_step),
	};

#ifdef __SANITIZE_ADDRESS__
	/* The sanitizer's shadow is where ours wants to be. */
	return 77;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
