/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lives of threads keep apart, against the closure of their edges:
 * each thread's own order, from a creation to the thread, from an end to who
 * waited for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explore/lives.h"
#include "format/rng.h"
#include "seeds.h"

enum { LINES = 40, THREADS = 5, ROUNDS = 2000 };

static const uint64_t one_object = 64;

struct made {
	struct traced lines[LINES];
	uint32_t count, threads;
	bool alive[THREADS], ended[THREADS];
	bool before[LINES][LINES];
};

static void line(struct made *m, uint8_t kind, uint32_t thread, uint64_t object)
{
	m->lines[m->count++] = (struct traced){ .kind = kind,
						.thread = (uint16_t)thread,
						.object = object };
}

/* Whatever that thread can do. */
static void live(struct made *m, struct rng *rng, uint32_t thread)
{
	uint32_t other = rng_below(rng, m->threads);

	switch (rng_below(rng, 5)) {
	case 0:
		if (m->threads == THREADS)
			return;
		line(m, EVENT_THREAD_CREATE, thread, m->threads);
		m->alive[m->threads++] = true;
		return;
	case 1:
		if (!m->ended[other])
			return;
		line(m, EVENT_THREAD_JOIN, thread, other);
		return;
	case 2:
		if (!thread || rng_below(rng, 3))
			return;
		line(m, EVENT_THREAD_END, thread, 0);
		m->alive[thread] = false;
		m->ended[thread] = true;
		return;
	default:
		line(m, EVENT_SEM_POST, thread, one_object);
	}
}

static bool is_edge(const struct traced *a, const struct traced *b)
{
	return a->thread == b->thread ||
	       (a->kind == EVENT_THREAD_CREATE && a->object == b->thread) ||
	       (a->kind == EVENT_THREAD_END && b->kind == EVENT_THREAD_JOIN &&
		b->object == a->thread);
}

static void close_over(struct made *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		for (uint32_t k = i + 1; k < m->count; k++)
			m->before[i][k] = is_edge(&m->lines[i], &m->lines[k]);
	for (uint32_t via = 0; via < m->count; via++)
		for (uint32_t i = 0; i < via; i++)
			for (uint32_t k = via + 1; k < m->count; k++)
				m->before[i][k] |= m->before[i][via] &&
						   m->before[via][k];
}

static void make(struct made *m, uint64_t seed)
{
	struct rng rng = rng_seeded(seed);

	*m = (struct made){ .threads = 1, .alive = { true } };
	for (uint32_t i = 0; i < 200 && m->count < LINES; i++) {
		uint32_t thread = rng_below(&rng, m->threads);

		if (m->alive[thread])
			live(m, &rng, thread);
	}
	close_over(m);
}

static bool is_beside(const struct made *m, uint32_t i)
{
	for (uint32_t k = 0; k < m->count; k++)
		if (m->lines[k].thread != m->lines[i].thread &&
		    m->lines[k].kind == EVENT_SEM_POST && !m->before[i][k] &&
		    !m->before[k][i])
			return true;
	return false;
}

static bool every(const void *arg, uint32_t at, uint32_t other)
{
	const struct made *m = arg;

	assert_int_equal(m->lines[other].kind, m->lines[at].kind);
	return true;
}

static bool none(const void *arg, uint32_t at, uint32_t other)
{
	(void)arg, (void)at, (void)other;
	return false;
}

static void lines_are_beside_as_the_closure_says(void **state)
{
	static struct made m;
	uint32_t yes = 0, no = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= seeds(ROUNDS); seed++) {
		struct run_trace t = { .lines = m.lines };
		struct lives lives;

		make(&m, seed);
		t.line_count = m.count;
		t.thread_count = m.threads;
		lives_init(&lives, &t);
		for (uint32_t i = 0; i < m.count; i++) {
			bool wanted = is_beside(&m, i);

			if (m.lines[i].kind != EVENT_SEM_POST)
				continue;
			yes += wanted;
			no += !wanted;
			assert_int_equal(lives_beside(&lives, i, every, &m),
					 wanted);
			assert_false(lives_beside(&lives, i, none, &m));
		}
		lives_done(&lives);
	}
	/* Neither answer is rare. */
	assert_true(yes > 500);
	assert_true(no > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_beside_as_the_closure_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
