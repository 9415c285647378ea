/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The motivating program of "Systematic Concurrency Testing with Maximal
 * Causality", explored as the paper says: run, ask for every read and every
 * other value, run the schedules that come back, until there are none. Each
 * thread goes twice through
 *
 *	T1: lock; x = 1; y = 1; unlock
 *	T2: lock; x = 0; unlock; if (x > 0) { y++; x = 2; }
 *	T3: if (x > 1) { if (y == 3) error; else y = 2; }
 *
 * A class of executions is what each thread has read. Those of all
 * interleavings are counted by walking through every state.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explore/causal.h"
#include "format/rng.h"
#include "written_run.h"

enum { THREADS = 3, TURNS = 2, READS = 8, X = 0, Y = 1, NOBODY = THREADS };

struct thread {
	uint8_t line, turn, reads, got;
	uint8_t read[READS]; /* all values so far */
	bool error;
};

struct machine {
	struct thread thread[THREADS];
	uint8_t memory[2], holder;
	uint8_t unused[5];
};

static void machine_init(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->holder = NOBODY;
}

/* What a thread does next, and on what. */
struct action {
	enum causal_kind kind;
	uint8_t location, value;
};

static struct action first_thread(const struct thread *t)
{
	static const struct action lines[] = { { CAUSAL_LOCK, 0, 0 },
					       { CAUSAL_WRITE, X, 1 },
					       { CAUSAL_WRITE, Y, 1 },
					       { CAUSAL_UNLOCK, 0, 0 } };

	return lines[t->line];
}

static struct action second_thread(const struct thread *t)
{
	static const struct action lines[] = {
		{ CAUSAL_LOCK, 0, 0 },	 { CAUSAL_WRITE, X, 0 },
		{ CAUSAL_UNLOCK, 0, 0 }, { CAUSAL_READ, X, 0 },
		{ CAUSAL_READ, Y, 0 },	 { CAUSAL_WRITE, Y, 0 },
		{ CAUSAL_WRITE, X, 2 },
	};
	struct action a = lines[t->line];

	if (t->line == 5)
		a.value = t->got + 1;
	return a;
}

static struct action third_thread(const struct thread *t)
{
	static const struct action lines[] = { { CAUSAL_READ, X, 0 },
					       { CAUSAL_READ, Y, 0 },
					       { CAUSAL_WRITE, Y, 2 } };

	return lines[t->line];
}

static struct action action_of(const struct machine *m, uint32_t thread)
{
	static struct action (*const code[])(const struct thread *) = {
		first_thread, second_thread, third_thread
	};

	return code[thread](&m->thread[thread]);
}

static void next_turn(struct thread *t)
{
	t->line = 0;
	t->turn++;
}

/* Where a thread goes after its line. */
static void go_on(struct thread *t, uint32_t thread)
{
	static const uint8_t last[THREADS] = { 3, 6, 2 };

	if (thread == 1 && t->line == 3 && t->got == 0)
		next_turn(t);
	else if (thread == 2 && t->line == 0 && t->got <= 1)
		next_turn(t);
	else if (thread == 2 && t->line == 1 && t->got == 3)
		t->error = true;
	else if (t->line == last[thread])
		next_turn(t);
	else
		t->line++;
}

static bool can_step(const struct machine *m, uint32_t thread)
{
	const struct thread *t = &m->thread[thread];

	if (t->error || t->turn == TURNS)
		return false;
	return action_of(m, thread).kind != CAUSAL_LOCK || m->holder == NOBODY;
}

static bool can_step_any(const struct machine *m)
{
	return can_step(m, 0) || can_step(m, 1) || can_step(m, 2);
}

/* One step, which is added to the trace if there is one. */
static void machine_step(struct machine *m, uint32_t thread,
			 struct causal_trace *trace)
{
	struct thread *t = &m->thread[thread];
	struct action a = action_of(m, thread);

	if (a.kind == CAUSAL_LOCK || a.kind == CAUSAL_UNLOCK) {
		m->holder = a.kind == CAUSAL_LOCK ? thread : NOBODY;
		if (trace)
			written_sync(trace, thread, a.kind, 0);
	} else {
		uint8_t was = m->memory[a.location];

		if (a.kind == CAUSAL_WRITE)
			m->memory[a.location] = a.value;
		else
			t->read[t->reads++] = t->got = was;
		if (trace)
			written_access(trace, thread, a.kind, a.location, was,
				       a.value);
	}
	go_on(t, thread);
}

/* ---- All interleavings ---- */

struct hashes {
	uint64_t at[1 << 20];
	size_t count;
};

static bool hashes_add(struct hashes *h, const void *bytes, size_t size)
{
	const size_t room = sizeof(h->at) / sizeof(h->at[0]);
	const uint8_t *b = bytes;
	uint64_t hash = 1;

	for (size_t i = 0; i < size; i++)
		hash = rng_mix(hash * 257 + b[i] + 1);
	hash |= hash == 0;
	for (size_t i = hash;; i++) {
		if (h->at[i % room] == hash)
			return false;
		if (h->at[i % room])
			continue;
		h->at[i % room] = hash;
		assert_true(++h->count < room / 2);
		return true;
	}
}

/* The threads alone are the class: line and turn follow from what was read. */
static void walk(const struct machine *m, struct hashes *states,
		 struct hashes *classes)
{
	bool end = true;

	if (!hashes_add(states, m, sizeof(*m)))
		return;
	for (uint32_t t = 0; t < THREADS; t++) {
		struct machine next = *m;

		if (!can_step(m, t))
			continue;
		end = false;
		machine_step(&next, t, NULL);
		walk(&next, states, classes);
	}
	if (end)
		hashes_add(classes, m->thread, sizeof(m->thread));
}

/* ---- Exploration ---- */

/* A run that has been made and is to be asked about. */
struct past {
	struct machine end;
	struct causal_trace trace;
};

struct explorer {
	VEC(struct past) runs;
	struct hashes *classes;
	uint64_t until_error, asked;
	VEC(uint32_t) shared;
};

/* Follows the schedule, then lets the threads run one after another. */
static void explorer_run(struct explorer *x, const struct causal_trace *from,
			 const struct causal_schedule *s)
{
	struct past p;

	machine_init(&p.end);
	written_init(&p.trace, THREADS, 1, 2);
	for (size_t i = 0; i < s->count; i++) {
		uint32_t t = from->events.at[s->at[i].event].thread;

		assert_true(can_step(&p.end, t));
		machine_step(&p.end, t, &p.trace);
	}
	while (can_step_any(&p.end))
		for (uint32_t t = 0; t < THREADS; t++)
			while (can_step(&p.end, t))
				machine_step(&p.end, t, &p.trace);
	vec_push(&x->runs, p);
	assert_true(hashes_add(x->classes, p.end.thread, sizeof(p.end.thread)));
	if (p.end.thread[2].error && !x->until_error)
		x->until_error = x->runs.count;
}

/* The n-th event of a thread, or NULL. */
static const struct causal_event *event_of(const struct causal_trace *t,
					   uint32_t thread, uint32_t n)
{
	for (size_t i = 0; i < t->events.count; i++)
		if (t->events.at[i].thread == thread &&
		    t->events.at[i].position == n)
			return &t->events.at[i];
	return NULL;
}

static uint64_t value_of(const struct causal_trace *t,
			 const struct causal_event *e)
{
	return e && e->kind == CAUSAL_READ ? t->parts.at[e->part].was : 0;
}

/* With how many events that both have does the thread begin? */
static uint32_t shared_by(const struct causal_trace *a,
			  const struct causal_trace *b, uint32_t thread)
{
	for (uint32_t n = 0;; n++) {
		const struct causal_event *e = event_of(a, thread, n);
		const struct causal_event *f = event_of(b, thread, n);

		if (!e || !f || value_of(a, e) != value_of(b, f))
			return n;
	}
}

/* The runs in which the target has been reached. */
static struct causal_known find_known(struct explorer *x,
				      const struct causal_trace *trace,
				      const struct causal_target *t)
{
	const struct causal_event *e = &trace->events.at[t->event];
	struct causal_known known = { 0 };

	x->shared.count = 0;
	for (size_t i = 0; i < x->runs.count; i++) {
		const struct causal_trace *other = &x->runs.at[i].trace;
		const struct causal_event *f =
			event_of(other, e->thread, e->position);

		if (shared_by(trace, other, e->thread) != e->position || !f ||
		    value_of(other, f) != t->values[0])
			continue;
		known.runs++;
		for (uint32_t k = 0; k < THREADS; k++)
			vec_push(&x->shared, shared_by(trace, other, k));
	}
	known.shared = x->shared.at;
	return known;
}

static void ask_all(struct explorer *x, const struct causal_trace *trace)
{
	struct causal_schedule schedule = { 0 };
	const struct causal_target *targets;
	struct err err;
	struct causal *m = causal_new(trace, SOLVER_ORDER, &err);
	size_t count;

	assert_non_null(m);
	count = causal_targets(m, &targets);
	for (size_t i = 0; i < count;) {
		struct causal_known known = find_known(x, trace, &targets[i]);

		x->asked++;
		if (causal_ask(m, &targets[i], &known, 0, &schedule) ==
		    SOLVER_YES)
			explorer_run(x, trace, &schedule);
		else
			i++;
	}
	assert_int_equal(causal_counts(m)->wrong, 0);
	assert_int_equal(causal_counts(m)->unknown, 0);
	vec_free(&schedule);
	causal_free(m);
}

static void explore(struct explorer *x)
{
	explorer_run(x, NULL, &(struct causal_schedule){ 0 });
	for (size_t i = 0; i < x->runs.count; i++) {
		struct causal_trace trace = x->runs.at[i].trace;

		ask_all(x, &trace);
	}
}

static void every_class_is_run_once_and_the_error_is_found(void **state)
{
	struct hashes *states = xcalloc(1, sizeof(*states));
	struct hashes *classes = xcalloc(1, sizeof(*classes));
	struct explorer x = { .classes = xcalloc(1, sizeof(*x.classes)) };
	struct machine m;

	(void)state;
	machine_init(&m);
	walk(&m, states, classes);
	explore(&x);
	print_message("%zu classes, %zu runs, error after %" PRIu64 ", %" PRIu64
		      " questions\n",
		      classes->count, x.runs.count, x.until_error, x.asked);
	assert_int_equal(x.classes->count, classes->count);
	assert_int_equal(x.runs.count, classes->count);
	assert_in_range(x.until_error, 1, 100);
	for (size_t i = 0; i < x.runs.count; i++)
		causal_trace_done(&x.runs.at[i].trace);
	vec_free(&x.runs);
	vec_free(&x.shared);
	free(x.classes);
	free(states);
	free(classes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_class_is_run_once_and_the_error_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
