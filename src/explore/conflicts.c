/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/conflicts.h"

#include "analysis/keymap.h"

enum {
	LOOKED_BACK = 64, /* accesses of a location, or of a block */
	TAKEN_MOST = 16,  /* pairs of the same two places */
};

struct finding {
	const struct trace_model *m;
	const struct run_trace *t;
	struct keymap taken; /* by places: how often */
	struct keymap seen;  /* by events */
	struct conflicts *out;
};

static const struct traced *line_of(const struct finding *f, uint32_t event)
{
	uint32_t line = f->m->lines.at[event];

	return line == NO_LINE ? NULL : &f->t->lines[line];
}

static void take(struct finding *f, enum prediction_kind kind, uint32_t a,
		 uint32_t b)
{
	uint32_t x = line_of(f, a)->site, y = line_of(f, b)->site, *count;

	if (*keymap_at(&f->seen, (uint64_t)a << 32 | b, kind))
		return;
	*keymap_at(&f->seen, (uint64_t)a << 32 | b, kind) = 1;
	count = keymap_at(&f->taken,
			  x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x,
			  kind);
	if (++*count <= TAKEN_MOST)
		vec_push(f->out, (struct conflict){ kind, a, b });
}

/* ---- frees ---- */

static bool overlap(const struct traced *a, const struct traced *b)
{
	return a->object < b->object + b->size &&
	       b->object < a->object + a->size;
}

/* Accesses of others to the block that is freed there. */
static void find_uses(struct finding *f, uint32_t freeing)
{
	const struct traced *last = line_of(f, freeing);

	for (uint32_t i = freeing, n = 0; i-- && n < LOOKED_BACK;) {
		const struct traced *e = line_of(f, i);

		if (!e || !traced_is_access(e) || !overlap(e, last))
			continue;
		/* Before that it was another block. */
		if (e->other == TRACED_FREES && traced_writes(e))
			return;
		n++;
		if (e->thread != last->thread)
			take(f, PREDICTED_FREED, i, freeing);
	}
}

static void find_frees(struct finding *f)
{
	for (uint32_t i = 0; i < f->m->causal.events.count; i++) {
		const struct traced *e = line_of(f, i);

		if (e && e->kind == EVENT_WRITE && e->other == TRACED_FREES)
			find_uses(f, i);
	}
}

/* ---- races ---- */

static bool is_plain(const struct traced *e)
{
	return (e->kind == EVENT_READ || e->kind == EVENT_WRITE) &&
	       !(e->kind == EVENT_WRITE && e->other == TRACED_FREES);
}

static bool is_atomic(const struct traced *e)
{
	return e->kind == EVENT_ATOMIC_LOAD || e->kind == EVENT_ATOMIC_STORE ||
	       e->kind == EVENT_ATOMIC_RMW;
}

static bool would_race(const struct traced *a, const struct traced *b)
{
	if (!a || !b || a->thread == b->thread)
		return false;
	if (!traced_writes(a) && !traced_writes(b))
		return false;
	return (is_plain(a) && is_plain(b)) || (is_plain(a) && is_atomic(b)) ||
	       (is_atomic(a) && is_plain(b));
}

struct touches {
	uint32_t *at;
	size_t count, room;
};

static void touch(struct finding *f, struct touches *list, uint32_t event)
{
	const struct traced *e = line_of(f, event);

	for (size_t i = list->count, n = 0; i-- && n < LOOKED_BACK; n++)
		if (would_race(line_of(f, list->at[i]), e))
			take(f, PREDICTED_RACE, list->at[i], event);
	vec_push(list, event);
}

static void find_races(struct finding *f)
{
	const struct causal_trace *c = &f->m->causal;
	struct touches *lists = xcalloc(c->initial.count + 1, sizeof(*lists));

	for (uint32_t i = 0; i < c->events.count; i++)
		for (uint32_t k = 0; k < c->events.at[i].parts; k++) {
			uint32_t part = c->events.at[i].part + k;

			touch(f, &lists[c->parts.at[part].location], i);
		}
	for (size_t i = 0; i < c->initial.count; i++)
		vec_free(&lists[i]);
	free(lists);
}

void conflicts_find(const struct trace_model *m, const struct run_trace *t,
		    bool races, struct conflicts *out)
{
	struct finding f = { .m = m, .t = t, .out = out };

	find_frees(&f);
	if (races)
		find_races(&f);
	keymap_done(&f.taken);
	keymap_done(&f.seen);
}
