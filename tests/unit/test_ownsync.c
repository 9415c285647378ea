/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/unserial.h"
#include "base/vec.h"

/*
 * Runs by hand in which a program synchronises by its own means: is what that
 * keeps apart pruned, and what it does not keep apart left?
 */

#define X UINT64_C(0x1000)
#define FLAG UINT64_C(0x1010)
#define HEAD UINT64_C(0x1020)
#define TAIL UINT64_C(0x1028)
#define SLOT UINT64_C(0x1030)
#define WORD UINT64_C(0x1040)
#define BLOCK UINT64_C(0x9000)
#define LOCK UINT64_C(0x2000)
#define COND UINT64_C(0x2040)

enum { SEQ_CST = 5 };

static VEC(struct event) run;

static void did_at(uint32_t thread, unsigned int kind, uint64_t addr,
		   uint64_t arg, uint32_t site)
{
	struct event e = { .kind = (uint8_t)kind,
			   .thread = thread,
			   .addr = addr,
			   .arg = arg,
			   .stack = site,
			   .stamp = 10 * (run.count + 1) };

	if (event_fields(kind) & FIELD_SIZE)
		e.size = 4;
	if (kind == EVENT_ALLOC || kind == EVENT_FREE)
		e.size = 16;
	vec_push(&run, e);
}

static void did(uint32_t thread, unsigned int kind, uint64_t addr)
{
	did_at(thread, kind, addr, event_is_atomic(kind) ? SEQ_CST : 0,
	       1000 + (uint32_t)run.count);
}

static struct unserial_result *found(void)
{
	struct unserial *u =
		unserial_new(&(struct unserial_inputs){ .is_whole = true });

	do {
		for (size_t i = 0; i < run.count; i++)
			unserial_foresee(u, &run.at[i]);
	} while (unserial_wants_more(u));
	for (size_t i = 0; i < run.count; i++)
		unserial_feed(u, &run.at[i]);
	run.count = 0;
	return unserial_end(u, UNSERIAL_BY_GAP);
}

/* What became of the candidate with these sites; -1: there is none. */
static int status(uint32_t p, uint32_t r, uint32_t c)
{
	struct unserial_result *all = found();
	int is = -1;

	for (size_t i = 0; i < all->count; i++)
		if (all->at[i].p.site == p && all->at[i].r.site == r &&
		    all->at[i].c.site == c)
			is = (int)all->at[i].status;
	unserial_free(all);
	return is;
}

static void threads_begin(void)
{
	for (uint32_t i = 1; i <= 3; i++)
		did_at(0, EVENT_THREAD_CREATE, 0, i, 0);
	for (uint32_t i = 1; i <= 3; i++)
		did_at(i, EVENT_THREAD_BEGIN, 0, 0, 0);
}

/* ---- loops ---- */

/* Thread 2 reads a flag until thread 1 has set it, so often without avail;
 * then both accesses of X, P and C, are behind the R of thread 1. */
static void spin(unsigned int load, unsigned int store, unsigned int turns,
		 unsigned int sets)
{
	threads_begin();
	did_at(1, EVENT_WRITE, X, 0, 1);
	for (unsigned int i = 0; i < turns; i++)
		did_at(2, load, FLAG, 0, 5);
	for (unsigned int i = 0; i < sets; i++)
		did_at(1, store, FLAG, 0, 6);
	did_at(2, load, FLAG, 0, 5);
	did_at(2, EVENT_READ, X, 0, 2);
	did_at(2, EVENT_WRITE, X, 0, 3);
}

static void loops_that_wait_order(void **state)
{
	(void)state;
	spin(EVENT_ATOMIC_LOAD, EVENT_ATOMIC_STORE, 6, 1);
	assert_int_equal(status(2, 1, 3), UNSERIAL_PRUNED);
	spin(EVENT_READ, EVENT_WRITE, 40, 1);
	assert_int_equal(status(2, 1, 3), UNSERIAL_PRUNED);
}

static void a_look_at_a_flag_does_not(void **state)
{
	(void)state;
	spin(EVENT_ATOMIC_LOAD, EVENT_ATOMIC_STORE, 0, 1);
	assert_int_equal(status(2, 1, 3), UNSERIAL_OPEN);
	spin(EVENT_READ, EVENT_WRITE, 4, 1);
	assert_int_equal(status(2, 1, 3), UNSERIAL_OPEN);
}

/* The flag was set before the last turn but one: the loop counts. */
static void a_loop_that_ends_by_itself_does_not(void **state)
{
	(void)state;
	threads_begin();
	did_at(1, EVENT_WRITE, X, 0, 1);
	did_at(1, EVENT_ATOMIC_STORE, FLAG, SEQ_CST, 6);
	for (unsigned int i = 0; i < 6; i++)
		did_at(2, EVENT_ATOMIC_LOAD, FLAG, SEQ_CST, 5);
	did_at(2, EVENT_READ, X, 0, 2);
	did_at(2, EVENT_WRITE, X, 0, 3);
	assert_int_not_equal(status(2, 1, 3), UNSERIAL_PRUNED);
}

static void nor_does_a_flag_that_is_set_twice(void **state)
{
	(void)state;
	spin(EVENT_ATOMIC_LOAD, EVENT_ATOMIC_STORE, 6, 2);
	assert_int_equal(status(2, 1, 3), UNSERIAL_OPEN);
}

/* The turn of the loop in which the flag was set can be any. */
static void the_loop_itself_can_be_disturbed(void **state)
{
	(void)state;
	spin(EVENT_ATOMIC_LOAD, EVENT_ATOMIC_STORE, 6, 1);
	assert_int_equal(status(5, 6, 5), UNSERIAL_EXERCISED);
}

/* ---- conditions ---- */

static void wait_for(uint32_t thread, uint64_t addr, uint32_t site)
{
	did_at(thread, EVENT_READ, addr, 0, site);
	did_at(thread, EVENT_COND_WAIT, COND, LOCK, 0);
	did(thread, EVENT_MUTEX_UNLOCK, LOCK);
}

static void wake(uint32_t thread)
{
	did(thread, EVENT_COND_WAKE, COND);
	did(thread, EVENT_MUTEX_LOCK, LOCK);
}

/* The first test of the loop is another instruction than the others. */
static void condition(bool waits)
{
	threads_begin();
	did_at(1, EVENT_WRITE, X, 0, 1);
	if (waits) {
		did(2, EVENT_MUTEX_LOCK, LOCK);
		wait_for(2, FLAG, 4);
	}
	did(1, EVENT_MUTEX_LOCK, LOCK);
	did_at(1, EVENT_WRITE, FLAG, 0, 6);
	did(1, EVENT_COND_SIGNAL, COND);
	did(1, EVENT_MUTEX_UNLOCK, LOCK);
	if (waits)
		wake(2);
	else
		did(2, EVENT_MUTEX_LOCK, LOCK);
	did_at(2, EVENT_READ, FLAG, 0, waits ? 5 : 4);
	did(2, EVENT_MUTEX_UNLOCK, LOCK);
	did_at(2, EVENT_READ, X, 0, 2);
	did_at(2, EVENT_WRITE, X, 0, 3);
}

static void loops_around_conditions_order(void **state)
{
	(void)state;
	condition(true);
	assert_int_equal(status(2, 1, 3), UNSERIAL_PRUNED);
	condition(false);
	assert_int_equal(status(2, 1, 3), UNSERIAL_OPEN);
}

/* ---- queues ---- */

static void put(uint32_t thread, uint64_t slot, uint32_t site)
{
	did_at(thread, EVENT_WRITE, slot, 0, site);
	did(thread, EVENT_MUTEX_LOCK, LOCK);
	did(thread, EVENT_READ, TAIL);
	did(thread, EVENT_WRITE, TAIL);
	did(thread, EVENT_COND_SIGNAL, COND);
	did(thread, EVENT_MUTEX_UNLOCK, LOCK);
}

static void take(uint32_t thread)
{
	did(thread, EVENT_READ, HEAD);
	did(thread, EVENT_WRITE, HEAD);
	did(thread, EVENT_MUTEX_UNLOCK, LOCK);
}

/* Thread 2 waits for the first and takes `takes`. */
static void queue(unsigned int takes)
{
	threads_begin();
	did(2, EVENT_MUTEX_LOCK, LOCK);
	did_at(2, EVENT_READ, HEAD, 0, 10);
	wait_for(2, TAIL, 11);
	put(1, X, 1);
	put(1, SLOT, 20);
	wake(2);
	did_at(2, EVENT_READ, HEAD, 0, 10);
	did_at(2, EVENT_READ, TAIL, 0, 11);
	take(2);
	did_at(2, EVENT_READ, X, 0, 2);
	did_at(2, EVENT_WRITE, X, 0, 3);
	did_at(2, EVENT_READ, SLOT, 0, 21);
	did_at(2, EVENT_WRITE, SLOT, 0, 22);
	for (unsigned int i = 1; i < takes; i++) {
		did(2, EVENT_MUTEX_LOCK, LOCK);
		take(2);
	}
}

static void what_is_taken_was_put(void **state)
{
	(void)state;
	queue(2);
	assert_int_equal(status(2, 1, 3), UNSERIAL_PRUNED);
	queue(2);
	/* The first that is taken need not be behind the second that is put. */
	assert_int_equal(status(21, 20, 22), UNSERIAL_LIKELY);
}

static void a_queue_must_come_out_even(void **state)
{
	(void)state;
	queue(1);
	assert_int_equal(status(2, 1, 3), UNSERIAL_LIKELY);
	queue(3);
	assert_int_equal(status(2, 1, 3), UNSERIAL_LIKELY);
}

/* ---- locks ---- */

static void section(uint32_t thread, uint32_t p, uint32_t c, bool locks)
{
	if (locks)
		did(thread, EVENT_ATOMIC_RMW, WORD);
	did_at(thread, EVENT_READ, X, 0, p);
	did_at(thread, EVENT_WRITE, X, 0, c);
	did(thread, EVENT_ATOMIC_STORE, WORD);
}

/* `again`: thread 2 comes while thread 1 is in, and tries once more. */
static void contended(bool again)
{
	threads_begin();
	did_at(1, EVENT_ATOMIC_RMW, WORD, SEQ_CST, 7);
	if (again)
		did_at(2, EVENT_ATOMIC_RMW, WORD, SEQ_CST, 8);
	section(1, 1, 2, false);
	did_at(2, EVENT_ATOMIC_RMW, WORD, SEQ_CST, 8);
	section(2, 3, 4, false);
}

static void words_can_be_locks(void **state)
{
	(void)state;
	contended(true);
	assert_int_equal(status(1, 4, 2), UNSERIAL_PRUNED);
	/* nobody had to wait: it may be a counter */
	contended(false);
	assert_int_not_equal(status(1, 4, 2), UNSERIAL_PRUNED);
	threads_begin();
	section(1, 1, 2, true);
	section(2, 3, 4, false);
	assert_int_not_equal(status(1, 4, 2), UNSERIAL_PRUNED);
}

/* One tries twice, but both are in at once. */
static void who_lets_two_in_is_no_lock(void **state)
{
	(void)state;
	threads_begin();
	did(1, EVENT_ATOMIC_RMW, WORD);
	did(1, EVENT_ATOMIC_RMW, WORD);
	did_at(1, EVENT_READ, X, 0, 1);
	did(2, EVENT_ATOMIC_RMW, WORD);
	did_at(2, EVENT_WRITE, X, 0, 4);
	did_at(1, EVENT_WRITE, X, 0, 2);
	did(1, EVENT_ATOMIC_STORE, WORD);
	did(2, EVENT_ATOMIC_STORE, WORD);
	assert_int_equal(status(1, 4, 2), UNSERIAL_EXERCISED);
}

/* Each takes it and gives it back. `again`: one does twice. */
static void semaphore(bool again)
{
	threads_begin();
	did_at(0, EVENT_SEM_INIT, WORD, 1, 0);
	for (uint32_t t = 1; t <= 2; t++) {
		did(t, EVENT_SEM_WAIT, WORD);
		did_at(t, EVENT_READ, X, 0, 2 * t - 1);
		did_at(t, EVENT_WRITE, X, 0, 2 * t);
		did(t, EVENT_SEM_POST, WORD);
	}
	if (again)
		did(2, EVENT_SEM_POST, WORD);
}

static void semaphores_can_be_locks(void **state)
{
	(void)state;
	semaphore(false);
	assert_int_equal(status(1, 4, 2), UNSERIAL_PRUNED);
	semaphore(true);
	assert_int_not_equal(status(1, 4, 2), UNSERIAL_PRUNED);
}

/* ---- fresh memory ---- */

/* Thread 1 makes a block and writes its address to FLAG; `early`: thread 2
 * was there before. */
static void publish(bool early)
{
	threads_begin();
	did(1, EVENT_ALLOC, BLOCK);
	did_at(1, EVENT_WRITE, BLOCK, 0, 1);
	if (early)
		did_at(2, EVENT_WRITE, BLOCK, 0, 9);
	did_at(1, EVENT_READ, BLOCK, 0, 2);
	did(1, EVENT_WRITE, FLAG);
	did(2, EVENT_READ, FLAG);
	did_at(2, EVENT_READ, BLOCK, 0, 3);
	did_at(2, EVENT_WRITE, BLOCK, 0, 4);
	did_at(1, EVENT_READ, BLOCK, 0, 5);
}

static void nobody_knows_a_fresh_block(void **state)
{
	(void)state;
	publish(false);
	assert_int_equal(status(1, 4, 2), UNSERIAL_PRUNED);
	publish(false);
	assert_int_equal(status(3, 1, 4), UNSERIAL_PRUNED);
	publish(false);
	assert_int_equal(status(2, 4, 5), UNSERIAL_EXERCISED);
	publish(true);
	assert_int_equal(status(1, 4, 2), UNSERIAL_OPEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_that_wait_order),
		cmocka_unit_test(a_look_at_a_flag_does_not),
		cmocka_unit_test(nor_does_a_flag_that_is_set_twice),
		cmocka_unit_test(the_loop_itself_can_be_disturbed),
		cmocka_unit_test(loops_around_conditions_order),
		cmocka_unit_test(what_is_taken_was_put),
		cmocka_unit_test(a_queue_must_come_out_even),
		cmocka_unit_test(words_can_be_locks),
		cmocka_unit_test(semaphores_can_be_locks),
		cmocka_unit_test(who_lets_two_in_is_no_lock),
		cmocka_unit_test(a_loop_that_ends_by_itself_does_not),
		cmocka_unit_test(nobody_knows_a_fresh_block),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	vec_free(&run);
	return failed;
}
