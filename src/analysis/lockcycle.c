/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/lockcycle.h"

#include <stdlib.h>

#include "analysis/keymap.h"
#include "analysis/lockgraph.h"
#include "base/vec.h"

/*
 * While the run passes by, remember every *want*: a thread took a lock with
 * others held. A want is known by thread and lock set (which holds the stacks
 * as well), so repetitions cost nothing but their moment. In the end each
 * want is, for each lock it held, an edge from that lock to the wanted one;
 * cycles are searched depth first from their smallest lock.
 */

struct moment {
	epoch at;
	struct vclock clock;
};

struct want {
	uint32_t thread;
	uint32_t set; /* the wanted lock, on top of those held */
	uint64_t stamp;
	VEC(struct moment) moments;
};

struct lockcycles {
	struct lockcycle_inputs in;
	struct keymap by_set; /* set and thread: index + 1 */
	VEC(struct want) wants;
	VEC(struct lockcycle_finding) found;
	struct keymap by_sites;
	uint64_t steps;
	bool was_cut;
};

struct lockcycles *lockcycles_new(const struct lockcycle_inputs *inputs)
{
	struct lockcycles *c = xcalloc(1, sizeof(*c));

	c->in = *inputs;
	return c;
}

void lockcycle_done(struct lockcycle_finding *f)
{
	free(f->edges);
}

static void want_done(struct want *w)
{
	for (size_t i = 0; i < w->moments.count; i++)
		vclock_done(&w->moments.at[i].clock);
	vec_free(&w->moments);
}

void lockcycles_free(struct lockcycles *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->wants.count; i++)
		want_done(&c->wants.at[i]);
	for (size_t i = 0; i < c->found.count; i++)
		lockcycle_done(&c->found.at[i]);
	vec_free(&c->wants);
	vec_free(&c->found);
	keymap_done(&c->by_set);
	keymap_done(&c->by_sites);
	free(c);
}

/* ---- collecting ---- */

/* As long as the clock stays, no other thread can tell two moments apart. */
static void add_moment(struct lockcycles *c, struct want *w, uint32_t thread)
{
	const struct vclock *clock = happens_clock(c->in.order, thread);
	struct moment m = {
		.at = epoch_make(thread, happens_segment(c->in.order, thread)),
	};
	size_t n = w->moments.count;

	if (n && vclock_is_equal(&w->moments.at[n - 1].clock, clock))
		return;
	if (n == LOCKCYCLE_MOMENTS) {
		c->was_cut = true;
		return;
	}
	vclock_copy(&m.clock, clock);
	vec_push(&w->moments, m);
}

void lockcycles_feed(struct lockcycles *c, const struct event *e,
		     uint32_t acquired)
{
	uint32_t set, *n;

	if (!acquired || lock_was_tried(e))
		return;
	set = lockset_of(c->in.locks, e->thread);
	if (!lockset_get(c->in.locks, set)->outer)
		return;
	n = keymap_at(&c->by_set, set, e->thread);
	if (!*n) {
		vec_push(&c->wants, (struct want){ .thread = e->thread,
						   .set = set,
						   .stamp = e->stamp });
		*n = (uint32_t)c->wants.count;
	}
	add_moment(c, &c->wants.at[*n - 1], e->thread);
}

/* ---- searching ---- */

/* An edge of the path: a want, and one of the locks it held. */
struct hop {
	uint32_t want;
	uint32_t held; /* the set whose top is the lock in question */
};

struct path {
	struct hop at[LOCKCYCLE_LENGTH];
	size_t count;
};

struct search {
	struct lockcycles *cycles;
	const struct locksets *locks;
	struct lockgraph graph;
	uint32_t *held; /* by label of an edge: set whose top is held */
	uint32_t *want; /* by label of an edge */
	uint32_t start;
	struct path path;
};

static const struct lock_set *wanted_by(const struct search *s,
					const struct hop *step)
{
	return lockset_get(s->locks, s->cycles->wants.at[step->want].set);
}

static bool excludes(const struct lock_set *a, const struct lock_set *b)
{
	return !(a->is_read && b->is_read);
}

/* Is there a lock that both held, and that only one can hold? */
static bool has_gate(const struct locksets *l, uint32_t a, uint32_t b)
{
	for (; a; a = lockset_get(l, a)->outer) {
		const struct lock_set *x = lockset_get(l, a);

		for (uint32_t i = b; i; i = lockset_get(l, i)->outer) {
			const struct lock_set *y = lockset_get(l, i);

			if (x->lock == y->lock && excludes(x, y))
				return true;
		}
	}
	return false;
}

static bool is_ordered(const struct moment *a, const struct moment *b)
{
	return epoch_is_before(a->at, &b->clock) ||
	       epoch_is_before(b->at, &a->clock);
}

static const struct want *want_of(const struct search *s,
				  const struct hop *step)
{
	return &s->cycles->wants.at[step->want];
}

/* Have the two wants moments that no order keeps apart? */
static bool may_meet(const struct want *v, const struct want *w)
{
	for (size_t i = 0; i < v->moments.count; i++)
		for (size_t j = 0; j < w->moments.count; j++)
			if (!is_ordered(&v->moments.at[i], &w->moments.at[j]))
				return true;
	return false;
}

/* Can the step go with each one of the path? */
static bool fits(const struct search *s, const struct hop *next)
{
	const struct want *w = want_of(s, next);
	uint32_t outer = lockset_get(s->locks, w->set)->outer;
	uint32_t held = lockset_get(s->locks, next->held)->lock;

	for (size_t i = 0; i < s->path.count; i++) {
		const struct hop *p = &s->path.at[i];
		const struct want *v = want_of(s, p);

		if (v->thread == w->thread ||
		    lockset_get(s->locks, p->held)->lock == held ||
		    has_gate(s->locks, outer,
			     lockset_get(s->locks, v->set)->outer) ||
		    !may_meet(v, w))
			return false;
	}
	return true;
}

/* Have all steps from n on moments that go with the chosen ones before, and
 * with each other? */
static bool all_meet(struct search *s, const struct moment **chosen, size_t n)
{
	const struct want *w;

	if (n == s->path.count)
		return true;
	w = want_of(s, &s->path.at[n]);
	for (size_t m = 0; m < w->moments.count; m++) {
		size_t i = 0;

		s->cycles->steps++;
		chosen[n] = &w->moments.at[m];
		while (i < n && !is_ordered(chosen[i], chosen[n]))
			i++;
		if (i == n && all_meet(s, chosen, n + 1))
			return true;
	}
	return false;
}

static uint32_t site_of(const struct lockcycles *c, uint32_t stack)
{
	return c->in.site_of ? c->in.site_of(c->in.self, stack) : stack;
}

/* A number for an edge that is the same for the same sites. */
static uint64_t edge_sites(const struct search *s, const struct hop *step)
{
	const struct lockcycles *c = s->cycles;

	return (uint64_t)site_of(c, lockset_get(s->locks, step->held)->stack)
		       << 32 |
	       site_of(c, wanted_by(s, step)->stack);
}

/* The same for every rotation of a cycle: two sums over its edges, each of
 * which is joined with the next. */
static uint32_t *find_cycle(struct search *s)
{
	size_t n = s->path.count;
	uint64_t a = n, b = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = edge_sites(s, &s->path.at[i]);
		uint64_t y = edge_sites(s, &s->path.at[(i + 1) % n]);

		x *= UINT64_C(0x9e3779b97f4a7c15);
		y *= UINT64_C(0xd6e8feb86659fd93);
		a += (x ^ x >> 29) * ((y ^ y >> 31) | 1);
		b += (x ^ x >> 31) ^ (y ^ y >> 29) * 3;
	}
	return keymap_at(&s->cycles->by_sites, a, b);
}

static struct lockcycle_edge tell_edge(const struct search *s,
				       const struct hop *step)
{
	const struct want *w = &s->cycles->wants.at[step->want];
	const struct lock_set *held = lockset_get(s->locks, step->held);
	const struct lock_set *wanted = lockset_get(s->locks, w->set);

	return (struct lockcycle_edge){
		.thread = w->thread,
		.stamp = w->stamp,
		.held = lock_tell(s->locks, held->lock, held->is_read,
				  held->stack),
		.wanted = lock_tell(s->locks, wanted->lock, wanted->is_read,
				    wanted->stack),
	};
}

static void cycle_found(struct search *s)
{
	struct lockcycles *c = s->cycles;
	uint32_t *n = find_cycle(s);

	if (!*n) {
		struct lockcycle_finding f = { .edge_count = s->path.count };

		f.edges = xcalloc(f.edge_count, sizeof(*f.edges));
		for (size_t i = 0; i < f.edge_count; i++)
			f.edges[i] = tell_edge(s, &s->path.at[i]);
		vec_push(&c->found, f);
		*n = (uint32_t)c->found.count;
	}
	c->found.at[*n - 1].count++;
}

static void extend(struct search *s, uint32_t lock);

/* Goes on behind the last step of the path. */
static void close_or_extend(struct search *s)
{
	const struct hop *last = &s->path.at[s->path.count - 1];
	const struct lock_set *wanted = wanted_by(s, last);
	const struct moment *chosen[LOCKCYCLE_LENGTH];

	if (wanted->lock == s->start) {
		if (s->path.count > 1 &&
		    excludes(wanted,
			     lockset_get(s->locks, s->path.at[0].held)) &&
		    all_meet(s, chosen, 0))
			cycle_found(s);
	} else if (s->path.count == LOCKCYCLE_LENGTH) {
		s->cycles->was_cut = true;
	} else {
		extend(s, wanted->lock);
	}
}

/* Locks below the start have had their turn as start. */
static bool may_follow(const struct search *s,
		       const struct lockgraph_edge *edge)
{
	const struct hop *last;

	if (edge->to < s->start ||
	    s->graph.component[edge->to] != s->graph.component[s->start])
		return false;
	if (!s->path.count)
		return true;
	last = &s->path.at[s->path.count - 1];
	return excludes(wanted_by(s, last),
			lockset_get(s->locks, s->held[edge->label]));
}

static void extend(struct search *s, uint32_t lock)
{
	for (size_t i = s->graph.first[lock]; i < s->graph.first[lock + 1];
	     i++) {
		const struct lockgraph_edge *edge = &s->graph.edges[i];
		struct hop next = { .want = s->want[edge->label],
				    .held = s->held[edge->label] };

		if (s->cycles->steps++ >= LOCKCYCLE_STEPS) {
			s->cycles->was_cut = true;
			return;
		}
		if (!may_follow(s, edge) || !fits(s, &next))
			continue;
		s->path.at[s->path.count++] = next;
		close_or_extend(s);
		s->path.count--;
	}
}

static void build_graph(struct search *s)
{
	struct lockcycles *c = s->cycles;
	VEC(struct lockgraph_edge) edges = { 0 };
	VEC(uint32_t) held = { 0 };
	VEC(uint32_t) want = { 0 };

	for (size_t i = 0; i < c->wants.count; i++) {
		const struct lock_set *top =
			lockset_get(s->locks, c->wants.at[i].set);

		for (uint32_t h = top->outer; h;
		     h = lockset_get(s->locks, h)->outer) {
			vec_push(&edges,
				 (struct lockgraph_edge){
					 .from = lockset_get(s->locks, h)->lock,
					 .to = top->lock,
					 .label = (uint32_t)held.count });
			vec_push(&held, h);
			vec_push(&want, (uint32_t)i);
		}
	}
	s->held = held.at;
	s->want = want.at;
	lockgraph_build(&s->graph, edges.at, edges.count,
			locksets_locks(s->locks) + 1);
}

struct lockcycle_finding *lockcycles_find(struct lockcycles *c, size_t *count)
{
	struct search s = { .cycles = c, .locks = c->in.locks };
	struct lockcycle_finding *found;

	build_graph(&s);
	for (s.start = 1; s.start < s.graph.nodes; s.start++)
		extend(&s, s.start);
	lockgraph_done(&s.graph);
	free(s.held);
	free(s.want);
	found = c->found.at;
	*count = c->found.count;
	c->found.at = NULL;
	vec_free(&c->found);
	return found;
}

bool lockcycles_were_cut(const struct lockcycles *c)
{
	return c->was_cut;
}
