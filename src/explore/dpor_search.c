/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic partial-order reduction with sleep sets.
 *
 * Depth first through the tree of schedules, but a branch is taken only where a
 * run has shown that it matters: for each event, at every earlier event of
 * another thread that conflicts with it, that nothing else orders before it,
 * and that could have been the other way round. There, one of the threads is
 * tried that can go first when both are turned round, unless one of them was.
 * Threads whose event was tried at a place sleep below it until something
 * conflicts with that event. An event goes with those that are bound to it.
 *
 * Finds: one schedule at least of each order of conflicting events.
 * Misses: nothing that shows in what threads do, unless runs are very long.
 * Wrong when: events conflict that are not known to.
 *
 * Flanagan and Godefroid, Dynamic Partial-Order Reduction for Model Checking
 * Software (2005); Abdulla, Aronis, Jonsson and Sagonas, Optimal Dynamic
 * Partial Order Reduction (2014), for source sets; Godefroid, Partial-Order
 * Methods for the Verification of Concurrent Systems (1996), for sleep sets.
 */
#include "explore/search_kind.h"

#include <string.h>

#include "analysis/keymap.h"
#include "explore/trace_model.h"
#include "format/event.h"

/* A line of the present schedule. */
struct node {
	struct traced event; /* that was chosen */
	uint64_t backtrack;  /* threads to be tried here */
	uint64_t done;
	uint64_t wakes; /* of a signal: threads that are to be woken yet */
	/* Events of threads, for each all of one step: */
	VEC(struct traced) sleep; /* here, before the event */
	VEC(struct traced) tried; /* that were chosen here before */
};

struct dpor {
	struct explorer *x;
	VEC(struct node) nodes;
	struct keymap classes;
	bool is_begun, is_out;
};

static void *dpor_new(struct explorer *x)
{
	struct dpor *s = xcalloc(1, sizeof(*s));

	s->x = x;
	return s;
}

static void node_done(struct node *n)
{
	vec_free(&n->sleep);
	vec_free(&n->tried);
}

static void nodes_cut(struct dpor *s, size_t count)
{
	while (s->nodes.count > count)
		node_done(&s->nodes.at[--s->nodes.count]);
}

static void dpor_free(void *search)
{
	struct dpor *s = search;

	nodes_cut(s, 0);
	vec_free(&s->nodes);
	keymap_done(&s->classes);
	free(s);
}

static uint64_t bit(uint32_t thread)
{
	return thread < TRACED_THREADS ? UINT64_C(1) << thread : 0;
}

static uint64_t sleepers(const struct node *n)
{
	uint64_t set = 0;

	for (size_t i = 0; i < n->sleep.count; i++)
		set |= bit(n->sleep.at[i].thread);
	return set;
}

static uint64_t to_try(const struct node *n)
{
	return n->backtrack & ~n->done & ~sleepers(n);
}

/* ---- the next schedule ---- */

/* Who sleeps while something else is tried at this node. */
static void sleep_for(const struct node *n, struct explore_job *job)
{
	for (size_t i = 0; i < n->sleep.count; i++)
		vec_push(&job->sleep, n->sleep.at[i]);
	for (size_t i = 0; i < n->tried.count; i++)
		vec_push(&job->sleep, n->tried.at[i]);
}

static bool is_bound(const struct traced *e)
{
	return e->flags & TRACED_BOUND;
}

static void tried_add(struct dpor *s, size_t node)
{
	struct node *n = &s->nodes.at[node];

	vec_push(&n->tried, n->event);
	while (++node < s->nodes.count && is_bound(&s->nodes.at[node].event))
		vec_push(&n->tried, s->nodes.at[node].event);
}

static enum job_answer dpor_next(void *search, struct explore_job *job)
{
	struct dpor *s = search;
	size_t k = s->nodes.count;
	struct traced_order last;
	struct node *n = NULL;

	if (s->is_out)
		return JOB_WAIT;
	if (!s->is_begun) {
		s->is_begun = s->is_out = true;
		return JOB_READY;
	}
	while (k-- > 0) {
		n = &s->nodes.at[k];
		if (n->wakes || to_try(n))
			break;
	}
	if (k == SIZE_MAX)
		return JOB_NONE;
	if (n->wakes) {
		uint32_t whom = (uint32_t)__builtin_ctzll(n->wakes);

		n->wakes &= ~bit(whom);
		last = (struct traced_order){ n->event.thread, whom };
	} else {
		uint32_t next = (uint32_t)__builtin_ctzll(to_try(n));

		n->done |= bit(next);
		tried_add(s, k);
		last = (struct traced_order){ next, NO_THREAD };
		sleep_for(n, job);
	}
	for (size_t i = 0; i < k; i++)
		vec_push(&job->order,
			 (struct traced_order){ s->nodes.at[i].event.thread,
						s->nodes.at[i].event.other });
	vec_push(&job->order, last);
	nodes_cut(s, k + 1);
	s->is_out = true;
	return JOB_READY;
}

/* ---- what a run shows ---- */

/* The clock of each line, in the order of lines and by thread. What is before
 * one event of a step is before all of them, and what is behind one is behind
 * all. */
struct clocks {
	uint32_t *of_line;   /* line times threads */
	uint32_t *of_thread; /* thread times threads */
	uint32_t *nth;	     /* of each line in its thread, from 1 */
	uint32_t threads;
};

static void join(uint32_t *to, const uint32_t *from, uint32_t threads)
{
	for (uint32_t i = 0; i < threads; i++)
		if (from[i] > to[i])
			to[i] = from[i];
}

static bool is_waiting_for_lock(const struct traced *e)
{
	return e->kind == EVENT_MUTEX_LOCK || e->kind == EVENT_SPIN_LOCK ||
	       e->kind == EVENT_RWLOCK_RDLOCK || e->kind == EVENT_RWLOCK_WRLOCK;
}

static bool is_wake(const struct traced *e)
{
	return e->kind == EVENT_COND_WAIT &&
	       !(e->flags & (TRACED_LEFT | TRACED_TIME));
}

static bool is_signal(const struct traced *e)
{
	return e->kind == EVENT_COND_SIGNAL || e->kind == EVENT_COND_BROADCAST;
}

static bool may_wake(const struct traced *signal, const struct traced *wake)
{
	return is_signal(signal) && signal->object == wake->object &&
	       (signal->kind == EVENT_COND_BROADCAST ||
		signal->other == wake->thread);
}

/* Of the signals between the begin of a wait and its end the first one that
 * can end it does. */
static bool is_woken_by(const struct run_trace *t, uint32_t line,
			const struct traced *wake)
{
	if (!may_wake(&t->lines[line], wake))
		return false;
	while (line-- > 0) {
		const struct traced *e = &t->lines[line];

		if (e->thread == wake->thread)
			return e->kind == EVENT_COND_WAIT;
		if (may_wake(e, wake))
			return false;
	}
	return false;
}

/* Does a reader come or go with it? `line` is where it stands. */
static bool is_reader(const struct run_trace *t, uint32_t line,
		      const struct traced *e)
{
	if (e->kind != EVENT_RWLOCK_UNLOCK)
		return e->kind == EVENT_RWLOCK_RDLOCK;
	while (line-- > 0) {
		const struct traced *a = &t->lines[line];

		if (a->thread == e->thread && a->object == e->object &&
		    a->kind != EVENT_RWLOCK_UNLOCK)
			return a->kind == EVENT_RWLOCK_RDLOCK;
	}
	return false;
}

/* Does the order of a line and a later event, at `end`, of another thread
 * matter? For the
 * end of a wait only that of the signal that it was woken by does: the next
 * signals find the thread awake, whether it has gone on or not. And readers of
 * a lock come and go as if there were no others. */
static bool depends(const struct run_trace *t, uint32_t line,
		    const struct traced *e, uint32_t end)
{
	const struct traced *a = &t->lines[line];

	if (!traced_conflicts(a, e))
		return false;
	if (is_signal(a) && is_wake(e))
		return is_woken_by(t, line, e);
	if (is_wake(a) && is_signal(e))
		return false;
	return !is_reader(t, line, a) || !is_reader(t, end, e);
}

/* Two that conflict, but of which the second cannot go on before the first. */
static bool is_enabling(const struct traced *a, const struct traced *b)
{
	switch (a->kind) {
	case EVENT_MUTEX_UNLOCK:
	case EVENT_SPIN_UNLOCK:
	case EVENT_RWLOCK_UNLOCK:
		return is_waiting_for_lock(b);
	/* Where a try fails nobody can have the lock. */
	case EVENT_MUTEX_FAIL:
		return !(a->flags & TRACED_TOOK) && is_waiting_for_lock(b);
	case EVENT_THREAD_CREATE:
		return b->kind == EVENT_THREAD_BEGIN;
	case EVENT_THREAD_END:
		return true;
	case EVENT_COND_WAIT:
		return b->kind == EVENT_MUTEX_LOCK;
	case EVENT_COND_SIGNAL:
	case EVENT_COND_BROADCAST:
		return is_wake(b);
	default:
		return false;
	}
}

/* Behind the last line of the step that begins there; there may be none. */
static uint32_t step_end(const struct run_trace *t, uint32_t begin)
{
	uint32_t end = begin;

	while (end < t->line_count &&
	       (end == begin || is_bound(&t->lines[end])))
		end++;
	return end;
}

static bool is_before(const struct clocks *c, const struct run_trace *t,
		      uint32_t line, const uint32_t *clock)
{
	return clock[t->lines[line].thread] >= c->nth[line];
}

/* An event that is about to be looked at, and what is before it. */
struct late {
	const struct traced *event;
	const uint32_t *clock; /* of its thread, before its step */
	uint32_t line;	       /* where that begins */
};

static bool is_ordered(const struct clocks *c, const struct run_trace *t,
		       uint32_t early, uint32_t late)
{
	return is_before(c, t, early, &c->of_line[(size_t)late * c->threads]);
}

/* Must something between i and the event, that is not behind i, be before it?
 * `end` limits what is looked at. */
static bool has_to_wait(const struct clocks *c, const struct run_trace *t,
			uint32_t i, uint32_t end, const uint32_t *clock,
			const struct traced *e)
{
	for (uint32_t m = i + 1; m < end; m++) {
		if (is_ordered(c, t, i, m))
			continue;
		if (is_before(c, t, m, clock) ||
		    (t->lines[m].thread != e->thread && depends(t, m, e, end)))
			return true;
	}
	return false;
}

/* The same for the step that begins with a line. */
static bool step_has_to_wait(const struct clocks *c, const struct run_trace *t,
			     uint32_t i, uint32_t head, const uint32_t *clock)
{
	for (uint32_t k = head; k < step_end(t, head); k++)
		if (has_to_wait(c, t, i, head, clock, &t->lines[k]))
			return true;
	return false;
}

/* Who can go first at line i so that the event comes before it: threads with
 * nothing to wait for among what is not behind i. */
static uint64_t find_first(const struct clocks *c, const struct run_trace *t,
			   uint32_t i, const struct late *e)
{
	uint64_t met = 0, first = 0;

	for (uint32_t k = i + 1; k < e->line; k++) {
		uint32_t thread = t->lines[k].thread;

		if (is_ordered(c, t, i, k) || met & bit(thread) ||
		    is_bound(&t->lines[k]))
			continue;
		met |= bit(thread);
		if (!step_has_to_wait(c, t, i, k,
				      &c->of_line[(size_t)k * c->threads]))
			first |= bit(thread);
	}
	if (!(met & bit(e->event->thread)) &&
	    !has_to_wait(c, t, i, e->line, e->clock, e->event) &&
	    !step_has_to_wait(c, t, i, e->line, e->clock))
		first |= bit(e->event->thread);
	return first;
}

static void add_backtrack(struct dpor *s, const struct run_trace *t,
			  const struct clocks *c, uint32_t i,
			  const struct late *e)
{
	struct node *n;
	uint64_t first;

	while (i && is_bound(&t->lines[i]))
		i--;
	n = &s->nodes.at[i];
	first = find_first(c, t, i, e) & n->event.could;
	if (!first)
		n->backtrack |= n->event.could;
	else if (!(first & n->backtrack))
		n->backtrack |= first & -first;
}

/* The lines that the event could have come before. */
static void find_race(struct dpor *s, const struct run_trace *t,
		      const struct clocks *c, const struct traced *event,
		      uint32_t end)
{
	const struct late e = {
		event, &c->of_thread[(size_t)event->thread * c->threads], end
	};

	for (uint32_t i = end; i-- > 0;) {
		const struct traced *a = &t->lines[i];

		if (a->thread == event->thread || !depends(t, i, event, end) ||
		    is_enabling(a, event) || is_before(c, t, i, e.clock))
			continue;
		add_backtrack(s, t, c, i, &e);
	}
}

static void clocks_advance(struct clocks *c, const struct run_trace *t,
			   uint32_t begin, uint32_t end)
{
	uint32_t thread = t->lines[begin].thread;
	uint32_t *clock = &c->of_thread[(size_t)thread * c->threads];

	for (uint32_t k = begin; k < end; k++)
		for (uint32_t i = begin; i-- > 0;)
			if (t->lines[i].thread != thread &&
			    depends(t, i, &t->lines[k], k))
				join(clock, &c->of_line[(size_t)i * c->threads],
				     c->threads);
	for (uint32_t k = begin; k < end; k++)
		c->nth[k] = ++clock[thread];
	for (uint32_t k = begin; k < end; k++)
		memcpy(&c->of_line[(size_t)k * c->threads], clock,
		       c->threads * sizeof(*clock));
}

static void find_races(struct dpor *s, const struct run_trace *t)
{
	struct clocks c = { .threads = t->thread_count };

	c.of_line = xcalloc((size_t)t->line_count * c.threads + 1,
			    sizeof(*c.of_line));
	c.of_thread = xcalloc((size_t)c.threads * c.threads + 1,
			      sizeof(*c.of_thread));
	c.nth = xcalloc(t->line_count + 1, sizeof(*c.nth));
	for (uint32_t i = 0, end; i < t->line_count; i = end) {
		end = step_end(t, i);
		for (uint32_t k = i; k < end; k++)
			find_race(s, t, &c, &t->lines[k], i);
		clocks_advance(&c, t, i, end);
	}
	for (uint32_t i = 0; i < t->pending_count; i++)
		find_race(s, t, &c, &t->pending[i], t->line_count);
	free(c.of_line);
	free(c.of_thread);
	free(c.nth);
}

/* ---- the nodes of a run ---- */

static bool wakes(const struct traced *e, const struct traced *sleeper)
{
	return sleeper->thread == e->thread || traced_conflicts(sleeper, e);
}

/* Those of its threads that go on sleeping. */
static void sleep_on(struct node *n, const struct traced *e,
		     const struct traced *of, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool goes_on = true;

		for (size_t k = 0; k < count && goes_on; k++)
			goes_on = of[k].thread != of[i].thread ||
				  !wakes(e, &of[k]);
		if (goes_on)
			vec_push(&n->sleep, of[i]);
	}
}

static void sleep_below(const struct node *above, struct node *n)
{
	sleep_on(n, &above->event, above->sleep.at, above->sleep.count);
	sleep_on(n, &above->event, above->tried.at, above->tried.count);
}

static void node_add(struct dpor *s, const struct traced *e)
{
	struct node n = { .event = *e,
			  .backtrack = bit(e->thread),
			  .done = bit(e->thread) };

	if (e->kind == EVENT_COND_SIGNAL && e->other != NO_THREAD)
		n.wakes = e->was & ~bit(e->other);
	if (s->nodes.count)
		sleep_below(&s->nodes.at[s->nodes.count - 1], &n);
	vec_push(&s->nodes, n);
}

static void take_run(struct dpor *s, const struct explore_job *job,
		     const struct run_trace *t)
{
	size_t told = job->order.count;

	if (t->line_count < told) {
		nodes_cut(s, told ? told - 1 : 0);
		return;
	}
	if (told) {
		struct node *n = &s->nodes.at[told - 1];
		bool is_same = n->event.thread == t->lines[told - 1].thread;

		n->event = t->lines[told - 1];
		if (!is_same && n->event.kind == EVENT_COND_SIGNAL &&
		    n->event.other != NO_THREAD)
			n->wakes = n->event.was & ~bit(n->event.other);
	}
	for (size_t i = told; i < t->line_count; i++)
		node_add(s, &t->lines[i]);
	find_races(s, t);
}

/* Every line is compared with every other: of a very long run only the first
 * ones are, and what comes behind keeps its order. */
static void cut_short(struct dpor *s, struct run_trace *t)
{
	enum { LINES_MOST = 10000 };

	if (t->line_count <= LINES_MOST)
		return;
	s->x->gaps |= GAP_CUT;
	t->line_count = LINES_MOST;
	t->pending_count = 0;
}

static void dpor_learn(void *search, struct explore_job *job,
		       struct run_trace *t)
{
	struct dpor *s = search;
	uint32_t *class = keymap_at(&s->classes, run_trace_class(t), 0);

	if (!*class)
		explorer_class(s->x, t);
	*class = 1;
	if (t->is_timed)
		s->x->gaps |= GAP_TIME;
	cut_short(s, t);
	take_run(s, job, t);
	s->is_out = false;
	run_trace_free(t);
}

static uint64_t dpor_left(void *search)
{
	const struct dpor *s = search;
	uint64_t n = !s->is_begun;

	for (size_t i = 0; i < s->nodes.count; i++)
		n += (uint64_t)__builtin_popcountll(to_try(&s->nodes.at[i])) +
		     (uint64_t)__builtin_popcountll(s->nodes.at[i].wakes);
	return n;
}

const struct search_kind search_dpor = { .new = dpor_new,
					 .free = dpor_free,
					 .next = dpor_next,
					 .learn = dpor_learn,
					 .left = dpor_left };
