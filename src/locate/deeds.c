/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/deeds.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEEDS_MOST = 1 << 20,
	/* Of an access, so much counts: whoever clears a large block and
	 * another who reads it meet at its beginning, or not at all. */
	GRANULES_MOST = 1 << 14,
};

void deeds_done(struct deeds *d)
{
	vec_free(&d->by[0]);
	vec_free(&d->by[1]);
	vec_free(&d->turns);
}

void objects_done(struct objects *o)
{
	keymap_done(&o->map);
}

/* ---- reading ---- */

struct reading {
	struct deeds *d;
	struct trace *trace;
	struct pair_taking *k;
	struct objects *objects;
	struct locations *where;
	VEC(uint32_t) counts; /* accesses, by number of thread */
	uint64_t now;
};

static bool is_access(const struct event *e)
{
	return e->kind <= EVENT_VPTR_WRITE || event_is_atomic(e->kind);
}

static bool is_written_by(const struct event *e)
{
	return e->kind == EVENT_WRITE || e->kind == EVENT_VPTR_WRITE ||
	       e->kind == EVENT_ATOMIC_STORE || e->kind == EVENT_ATOMIC_RMW;
}

static bool is_read_by(const struct event *e)
{
	return !is_written_by(e) || e->kind == EVENT_ATOMIC_RMW;
}

/* Globals, and what nobody knows, are one object, by address. */
static uint32_t object_of(struct reading *r, const struct location *w)
{
	uint32_t *number;
	uint64_t key;

	if (w->kind == LOCATION_GLOBAL || w->kind == LOCATION_UNKNOWN)
		return 0;
	key = (uint64_t)w->kind << 16 | pair_taking_thread(r->k, w->owner);
	number = keymap_at(&r->objects->map, key, w->generation);
	if (!*number)
		*number = ++r->objects->count;
	return *number;
}

static uint32_t count_of(struct reading *r, uint32_t thread)
{
	while (r->counts.count <= thread)
		vec_push(&r->counts, 0);
	return ++r->counts.at[thread];
}

static void deed_add(struct reading *r, const struct event *e, int side,
		     uint32_t count)
{
	struct location w = location_find(r->where, e->addr);
	uint32_t way = pair_taking_way(r->k, e->stack);
	struct deed deed = {
		.when = r->now,
		.addr = e->addr,
		.offset = w.offset,
		.size = e->size ? e->size : 1,
		.object = object_of(r, &w),
		.where = w,
		.place = r->k->names->ways.at[way].place,
		.way = way,
		.count = count,
		.thread = r->d->thread[side],
		.reads = is_read_by(e),
		.writes = is_written_by(e),
	};

	/* Of a stack the offset is counted from its top. */
	if (w.kind == LOCATION_STACK)
		deed.offset = UINT32_MAX - w.offset;
	if (r->d->by[side].count < DEEDS_MOST)
		vec_push(&r->d->by[side], deed);
	else
		r->d->is_cut = true;
}

/* Does the thread go on with the turn that it has? */
static bool turn_goes_on(struct reading *r, const struct event *e,
			 uint16_t thread)
{
	struct deed_turn *last;

	if (!r->d->turns.count)
		return false;
	last = &r->d->turns.at[r->d->turns.count - 1];
	if (last->thread != thread)
		return false;
	last->last = r->now;
	last->is_over = e->kind == EVENT_THREAD_END;
	return true;
}

static void turn_see(struct reading *r, const struct event *e, uint16_t thread)
{
	struct deed_turn turn = { .first = r->now,
				  .last = r->now,
				  .thread = thread,
				  .is_over = e->kind == EVENT_THREAD_END };
	uint32_t way;

	if (turn_goes_on(r, e, thread))
		return;
	way = pair_taking_way(r->k, e->stack);
	turn.place = r->k->names->ways.at[way].place;
	vec_push(&r->d->turns, turn);
}

static void event_see(struct reading *r, const struct event *e)
{
	uint16_t thread = pair_taking_thread(r->k, e->thread);
	uint32_t count;

	if (e->kind == EVENT_TIME || e->kind == EVENT_EARLIER_READ ||
	    e->kind == EVENT_EARLIER_WRITE)
		return;
	r->now++;
	locations_feed(r->where, e);
	turn_see(r, e, thread);
	if (!is_access(e))
		return;
	count = count_of(r, e->thread);
	for (int side = 0; side < 2; side++)
		if (r->d->thread[side] == thread)
			deed_add(r, e, side, count);
}

void deeds_read(struct deeds *d, struct trace *t, struct pair_taking *k,
		struct objects *objects)
{
	struct reading r = { .d = d,
			     .trace = t,
			     .k = k,
			     .objects = objects,
			     .where = locations_new(t) };
	struct event e;

	while (trace_next(t, &e) == 1)
		event_see(&r, &e);
	locations_free(r.where);
	vec_free(&r.counts);
}

/* ---- going on ---- */

/* How often the thread was at the place of its last deed. */
static size_t visits_of_last(const struct deed *at, size_t count)
{
	size_t visits = 0;

	for (size_t i = 0; i < count; i++)
		visits += at[i].place == at[count - 1].place;
	return visits;
}

/* Where in the other run the thread is behind that; its end: nowhere. */
static size_t behind(const struct deed *at, size_t count, uint32_t place,
		     size_t visits)
{
	size_t i = 0;

	while (i < count && visits)
		visits -= at[i++].place == place;
	return visits ? count : i;
}

void deeds_continue(struct deeds *d, const struct deeds *whole)
{
	for (int side = 0; side < 2; side++) {
		const struct deed *next = whole->by[side].at;
		size_t had = d->by[side].count, i = 0;

		if (had)
			i = behind(next, whole->by[side].count,
				   d->by[side].at[had - 1].place,
				   visits_of_last(d->by[side].at, had));
		for (; i < whole->by[side].count; i++) {
			struct deed deed = next[i];

			deed.when = DEED_NEVER;
			deed.is_next = true;
			vec_push(&d->by[side], deed);
		}
	}
}

/* ---- what is shared ---- */

static unsigned int bit_of(int side, bool is_write)
{
	return 1U << (2 * side + is_write);
}

static void granules_mark(struct keymap *map, const struct deed *deed, int side)
{
	uint64_t first = deed->offset >> 3;
	uint64_t last = (deed->offset + deed->size - 1) >> 3;

	for (uint64_t g = first; g <= last && g < first + GRANULES_MOST; g++) {
		uint32_t *bits = keymap_at(map, deed->object, g);

		if (deed->reads)
			*bits |= bit_of(side, false);
		if (deed->writes)
			*bits |= bit_of(side, true);
	}
}

static bool is_shared(const struct keymap *map, const struct deed *deed,
		      int side)
{
	uint64_t first = deed->offset >> 3;
	uint64_t last = (deed->offset + deed->size - 1) >> 3;
	uint32_t wanted = bit_of(!side, true);

	if (deed->writes)
		wanted |= bit_of(!side, false);
	for (uint64_t g = first; g <= last && g < first + GRANULES_MOST; g++)
		if (keymap_find(map, deed->object, g) & wanted)
			return true;
	return false;
}

void deeds_keep_shared(struct deeds *d)
{
	struct keymap map = { 0 };

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < d->by[side].count; i++)
			granules_mark(&map, &d->by[side].at[i], side);
	for (int side = 0; side < 2; side++) {
		size_t kept = 0;

		for (size_t i = 0; i < d->by[side].count; i++)
			if (is_shared(&map, &d->by[side].at[i], side))
				d->by[side].at[kept++] = d->by[side].at[i];
		d->by[side].count = kept;
	}
	keymap_done(&map);
}
