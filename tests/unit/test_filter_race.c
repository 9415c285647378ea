/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "runtime/filter.h"
#include "runtime/order.h"

#include "filter_pairs.h"
#include "lone_memory.h"

/*
 * The filter under threads that really run at once. They meet before each
 * round, use the same few granules in the same order, and meet again; then one
 * of them looks at what passed. No thread is ordered with another.
 */

enum {
	THREADS = 4,
	ROUNDS = 12000,
	GRANULES = 3,
	USES = 3, /* of a granule by each thread in a round */
};

struct region *region;
bool gate;
static uint64_t memory[GRANULES + 64];
static struct log logs[THREADS];
static struct thread threads[THREADS];
static atomic_uint arrived;
static atomic_bool is_wrong;

void guest_note(const char *text)
{
	(void)text;
	atomic_store(&is_wrong, true);
}

void record_earlier(struct thread *t, bool is_write, uint64_t addr,
		    uint32_t size, uint64_t arg, uint32_t stack)
{
	(void)stack;
	if (!log_tell(&logs[t->number], is_write, addr - (uintptr_t)memory,
		      size, arg))
		atomic_store(&is_wrong, true);
}

/* ---- a round ---- */

static uint32_t chance(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 33) % below;
}

static void use(struct thread *t, uint32_t granule, uint32_t bytes,
		bool is_write)
{
	uintptr_t addr = (uintptr_t)&memory[granule];
	const struct cell *c = shadow_find(addr);
	uint64_t word = word_load(is_write ? &c->write : &c->read);
	struct log *log = &logs[t->number];
	struct use u = { .segment = t->segment,
			 .thread = t->number,
			 .granule = granule,
			 .bytes = bytes,
			 .is_write = is_write,
			 .is_kept = true };

	log->done[log->done_count++] = u;
	if (word_covers(word, t->tag, bytes) ||
	    (!is_write && word_is_readers(word) &&
	     filter_knows_reader(t, word, bytes)))
		return;
	if (filter_access(t, addr, bytes, is_write, 0) && !log_pass(log, &u))
		atomic_store(&is_wrong, true);
}

static void round_play(struct thread *t, uint64_t *state, uint32_t writes)
{
	static const uint8_t parts[] = { 0xff, 0xff, 0x0f, 0xf0, 0x81, 0x18 };

	for (uint32_t g = 0; g < GRANULES; g++)
		for (uint32_t i = 0; i < USES; i++) {
			use(t, g, parts[chance(state, sizeof(parts))],
			    chance(state, 100) < writes);
			if (!chance(state, 4))
				order_release(t);
		}
}

/* ---- looking at it ---- */

static void round_check(void)
{
	if (!logs_are_right(logs, THREADS))
		atomic_store(&is_wrong, true);
	logs_clear(logs, THREADS);
	shadow_fill((uintptr_t)memory, sizeof(memory), 0);
}

static void meet(unsigned int times)
{
	unsigned int waited = 0;

	atomic_fetch_add(&arrived, 1);
	/* Those that only spin go on at the same moment. */
	while (atomic_load(&arrived) < times * THREADS)
		if (++waited % 1024)
			__builtin_ia32_pause();
		else
			sched_yield();
}

static void *play(void *who)
{
	/* Many readers, a few writers, mostly writers. */
	static const uint32_t writes[] = { 3, 10, 60 };
	struct thread *t = who;
	uint64_t state = (t->number + 1) * UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t i = 0; i < ROUNDS; i++) {
		meet(2 * i + 1);
		if (!atomic_load(&is_wrong))
			round_play(t, &state, writes[i % 3]);
		meet(2 * i + 2);
		if (t->number == 0 && !atomic_load(&is_wrong))
			round_check();
	}
	return NULL;
}

static void test_conflicts_are_seen(void **state)
{
	pthread_t real[THREADS];

	(void)state;
	alarm(110);
	region = guest_map(sizeof(*region));
	assert_non_null(region);
	assert_true(shadow_init());
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i].number = i;
		threads[i].before =
			calloc(INCARNATIONS, sizeof(*threads[i].before));
		order_begin(&threads[i], NULL);
	}
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&real[i], NULL, play, &threads[i]), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(real[i], NULL);
	for (uint32_t i = 0; i < THREADS; i++)
		free(threads[i].before);
	assert_false(is_wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conflicts_are_seen),
	};

#ifdef __SANITIZE_ADDRESS__
	/* The sanitizer's shadow is where ours wants to be. */
	return 77;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
