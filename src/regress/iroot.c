/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/iroot.h"

#include <string.h>

#include "analysis/keymap.h"
#include "format/rng.h"

enum {
	NEAR = 8,	   /* events between the two of a local pair */
	REPRESENTED = 600, /* events, by thread and place */
	MOST = 4000,	   /* iRoots */
};

struct life {
	size_t begin, end;
};

struct finder {
	const struct event *events;
	size_t count;
	struct candidates *out;
	struct keymap known;
	VEC(struct life) lives; /* by thread */
	VEC(size_t) chosen;	/* events that stand for all like them */
};

/* ---- threads ---- */

static struct life *life_of(struct finder *f, uint32_t thread)
{
	while (f->lives.count <= thread)
		vec_push(&f->lives, (struct life){ 0, f->count });
	return &f->lives.at[thread];
}

static void lives_find(struct finder *f)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct event *e = &f->events[i];

		life_of(f, e->thread);
		if (e->arg >= CONTROL_THREADS)
			continue;
		if (e->kind == EVENT_THREAD_CREATE)
			life_of(f, (uint32_t)e->arg)->begin = i;
		else if (e->kind == EVENT_THREAD_JOIN)
			life_of(f, (uint32_t)e->arg)->end = i;
	}
}

/* Could they have happened in the other order, as far as creating and joining
 * say? */
static bool are_concurrent(struct finder *f, size_t a, size_t b)
{
	const struct life x = *life_of(f, f->events[a].thread);
	const struct life y = *life_of(f, f->events[b].thread);

	return a > y.begin && a < y.end && b > x.begin && b < x.end;
}

/* ---- events ---- */

static bool is_one(const struct event *e)
{
	uint32_t operation = hunt_operation(e->kind);

	return e->stack && (operation == HUNT_READ || operation == HUNT_WRITE ||
			    operation == HUNT_LOCK);
}

static bool is_same_object(const struct event *a, const struct event *b)
{
	return a->addr >> 3 == b->addr >> 3;
}

/* An event for each thread, place and object. */
static void events_choose(struct finder *f)
{
	struct keymap seen = { 0 };

	for (size_t i = 0; i < f->count && f->chosen.count < REPRESENTED; i++) {
		const struct event *e = &f->events[i];
		uint32_t *known;

		if (!is_one(e))
			continue;
		known = keymap_at(&seen, rng_mix(e->addr >> 3),
				  (uint64_t)e->thread << 40 ^
					  (uint64_t)e->kind << 32 ^ e->stack);
		if (!*known)
			vec_push(&f->chosen, i);
		*known = 1;
	}
	keymap_done(&seen);
}

/* The next event of the same thread that is on the same object, or on another
 * one; `count` when there is none near. */
static size_t next_local(const struct finder *f, size_t a, bool same)
{
	uint32_t passed = 0;

	for (size_t i = a + 1; i < f->count && passed < NEAR; i++) {
		const struct event *e = &f->events[i];

		if (e->thread != f->events[a].thread || !is_one(e))
			continue;
		if (is_same_object(e, &f->events[a]) == same)
			return i;
		passed++;
	}
	return f->count;
}

/* ---- iRoots ---- */

static void add(struct finder *f, struct candidate c)
{
	uint32_t objects[HUNT_EVENTS], threads[HUNT_EVENTS], *known;
	uint64_t key = c.count, pattern = 0;

	candidate_pattern(&c, f->events, objects, threads);
	for (uint32_t i = 0; i < c.count; i++) {
		const struct event *e = &f->events[c.at[i]];

		key = rng_mix(key + ((uint64_t)e->kind << 32 | e->stack));
		pattern = pattern << 4 | objects[i] << 2 | threads[i];
	}
	known = keymap_at(&f->known, key, pattern);
	if (!*known && f->out->all.count < MOST)
		vec_push(&f->out->all, c);
	*known = 1;
}

static bool conflict(struct finder *f, size_t a, size_t b)
{
	return f->events[a].thread != f->events[b].thread &&
	       events_conflict(&f->events[a], &f->events[b]) &&
	       are_concurrent(f, a, b);
}

static void add_one(struct finder *f, size_t a, size_t b)
{
	add(f, (struct candidate){ .at = { a, b }, .count = 2 });
	add(f, (struct candidate){ .at = { b, a }, .count = 2 });
}

static void add_single(struct finder *f, size_t a1, size_t b)
{
	size_t a2 = next_local(f, a1, true);

	if (a2 < f->count && events_conflict(&f->events[b], &f->events[a2]))
		add(f, (struct candidate){ .at = { a1, b, a2 }, .count = 3 });
}

static void add_double(struct finder *f, size_t a1, size_t b1)
{
	size_t a2 = next_local(f, a1, true), b2 = next_local(f, b1, true);

	if (a2 < f->count && b2 < f->count &&
	    events_conflict(&f->events[b2], &f->events[a2]))
		add(f,
		    (struct candidate){ .at = { a1, b1, b2, a2 }, .count = 4 });
}

/* A goes from x to y; B has something to do with both. */
static void add_two_objects(struct finder *f, size_t a1, size_t b1)
{
	size_t a2 = next_local(f, a1, false);

	if (a2 == f->count)
		return;
	for (size_t i = 0; i < f->chosen.count; i++) {
		size_t b2 = f->chosen.at[i];

		if (f->events[b2].thread != f->events[b1].thread ||
		    is_same_object(&f->events[b2], &f->events[b1]) ||
		    !conflict(f, a2, b2))
			continue;
		if (b2 > b1)
			add(f, (struct candidate){ .at = { a1, b1, b2, a2 },
						   .count = 4 });
		else
			add(f, (struct candidate){ .at = { a1, b2, a2, b1 },
						   .count = 4 });
	}
}

static void each_pair(struct finder *f,
		      void (*use)(struct finder *, size_t, size_t))
{
	for (size_t i = 0; i < f->chosen.count; i++)
		for (size_t k = 0; k < f->chosen.count; k++)
			if (conflict(f, f->chosen.at[i], f->chosen.at[k]))
				use(f, f->chosen.at[i], f->chosen.at[k]);
}

void iroots_find(const struct event *events, size_t count,
		 struct candidates *out)
{
	struct finder f = { .events = events, .count = count, .out = out };

	lives_find(&f);
	events_choose(&f);
	each_pair(&f, add_one);
	each_pair(&f, add_single);
	each_pair(&f, add_double);
	each_pair(&f, add_two_objects);
	keymap_done(&f.known);
	vec_free(&f.lives);
	vec_free(&f.chosen);
}
