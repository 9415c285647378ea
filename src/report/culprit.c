/* SPDX-License-Identifier: Apache-2.0 */
#include "report/culprit.h"

#include <stdlib.h>
#include <string.h>

#include "report/wording.h"

enum { WINDOW = 20000 /* steps looked at on each side of a switch */ };

/* A thread was interrupted before step `stop`, and went on with `resume`. */
struct gap {
	uint32_t thread;
	uint32_t stop, resume;
};

static bool overlaps(const struct witness_step *a, const struct witness_step *b)
{
	return a->address < b->address + b->size &&
	       b->address < a->address + a->size;
}

static bool is_told(const struct witness *w, const struct witness_step *s)
{
	return witness_is_access(s) && s->location != WITNESS_NONE &&
	       w->locations.at[s->location].is_shared;
}

/* The last access of the thread to these bytes before the gap. */
static uint32_t access_before(const struct witness *w, const struct gap *g,
			      const struct witness_step *bytes)
{
	uint32_t end = g->stop > WINDOW ? g->stop - WINDOW : 0;

	for (uint32_t i = g->stop; i-- > end;) {
		const struct witness_step *s = &w->steps.at[i];

		if (s->thread == g->thread && is_told(w, s) &&
		    overlaps(s, bytes))
			return i;
	}
	return WITNESS_NONE;
}

/* No serial order of the two threads gives the same: a read between two
 * reads, and anything beside a mere read, can be moved out. */
static bool is_unserializable(const struct witness_step *p,
			      const struct witness_step *r,
			      const struct witness_step *c)
{
	bool w = witness_writes(r), pw = witness_writes(p),
	     cw = witness_writes(c);

	if (w)
		return !pw || !cw || witness_reads(c);
	return pw && cw;
}

/* The access of another thread in the gap that conflicts with step `c` and, if
 * `p` is given, comes between the two; the last one is what the step saw or
 * overwrote. */
static uint32_t conflict_in(const struct witness *w, const struct gap *g,
			    const struct witness_step *p,
			    const struct witness_step *c)
{
	for (uint32_t i = g->resume; i-- > g->stop;) {
		const struct witness_step *s = &w->steps.at[i];

		if (s->thread != g->thread && is_told(w, s) && overlaps(s, c) &&
		    (witness_writes(s) || witness_writes(c)) &&
		    (!p || is_unserializable(p, s, c)))
			return i;
	}
	return WITNESS_NONE;
}

/* What the thread does when it goes on, as far as the next gap. If it was
 * stopped right before an access that conflicts, this is the one: a schedule
 * that was cut down has no switch there for nothing. Else an access that closes
 * a pattern says more than one that merely conflicts. */
static struct culprit look(const struct witness *w, const struct gap *g)
{
	struct culprit order = { .kind = CULPRIT_NONE };
	uint32_t end = (uint32_t)w->steps.count;
	bool is_first = true;

	if (end - g->resume > WINDOW)
		end = g->resume + WINDOW;
	for (uint32_t i = g->resume; i < end; i++) {
		const struct witness_step *c = &w->steps.at[i];
		uint32_t r, p;

		if (c->thread != g->thread || !is_told(w, c))
			continue;
		p = access_before(w, g, c);
		r = p == WITNESS_NONE ? WITNESS_NONE :
					conflict_in(w, g, &w->steps.at[p], c);
		if (r != WITNESS_NONE)
			return (struct culprit){ CULPRIT_ATOMICITY, p, r, i };
		r = conflict_in(w, g, NULL, c);
		if (r != WITNESS_NONE && order.kind == CULPRIT_NONE)
			order = (struct culprit){ CULPRIT_ORDER, WITNESS_NONE,
						  r, i };
		if (r != WITNESS_NONE && p == WITNESS_NONE && is_first)
			return order;
		is_first = false;
	}
	return order;
}

static uint32_t resumed_at(const struct witness *w, uint32_t thread,
			   uint32_t from)
{
	while (from < w->steps.count && w->steps.at[from].thread != thread)
		from++;
	return from < w->steps.count ? from : WITNESS_NONE;
}

static struct culprit look_at_switches(const struct witness *w, bool forced)
{
	struct culprit best = { .kind = CULPRIT_NONE };

	for (size_t i = w->switches.count; i-- > 0;) {
		const struct witness_switch *s = &w->switches.at[i];
		struct gap g = { s->from, s->step,
				 resumed_at(w, s->from, s->step) };
		struct culprit c;

		if ((s->what == STEP_PREEMPT) == forced ||
		    g.resume == WITNESS_NONE)
			continue;
		c = look(w, &g);
		if (c.kind == CULPRIT_ATOMICITY)
			return c;
		if (best.kind == CULPRIT_NONE)
			best = c;
	}
	return best;
}

/* A thread that began late, or never was interrupted, has no gap: then what it
 * first shares with those before it is what came too early or too late. */
static struct culprit look_at_beginnings(const struct witness *w)
{
	for (size_t i = w->switches.count; i-- > 0;) {
		const struct witness_switch *s = &w->switches.at[i];
		struct gap g = { s->to, 0, s->step };
		struct culprit c = look(w, &g);

		if (c.kind != CULPRIT_NONE)
			return c;
	}
	return (struct culprit){ .kind = CULPRIT_NONE };
}

struct culprit culprit_find(const struct witness *w)
{
	struct culprit c = look_at_switches(w, false);

	if (c.kind == CULPRIT_NONE)
		c = look_at_switches(w, true);
	if (c.kind == CULPRIT_NONE)
		c = look_at_beginnings(w);
	if (c.kind != CULPRIT_ATOMICITY)
		c.first = WITNESS_NONE;
	return c;
}

/* ---- words ---- */

char *culprit_place(const struct witness *w, uint32_t step)
{
	uint32_t n = w->steps.at[step].place;
	const struct witness_place *p;

	if (n == WITNESS_NONE)
		return xstrdup("?");
	p = &w->places.at[n];
	if (p->file && p->line)
		return xasprintf("%s:%d", word_file(p->file), p->line);
	return xstrdup(p->function ? p->function : "?");
}

static const char *access_text(const struct witness_step *s)
{
	return witness_writes(s) ? "write" : "read";
}

char *culprit_title(const struct witness *w, const struct culprit *c)
{
	uint32_t location = w->steps.at[c->last].location;
	char *place = culprit_place(w, c->last);
	char *title =
		xasprintf("%s violation on `%s` (%s)",
			  c->kind == CULPRIT_ATOMICITY ? "atomicity" : "order",
			  w->locations.at[location].name, place);

	free(place);
	return title;
}

char *culprit_advice(const struct witness *w, const struct culprit *c)
{
	char *last = culprit_place(w, c->last);
	char *other = culprit_place(
		w, c->kind == CULPRIT_ATOMICITY ? c->first : c->between);
	char *text;

	if (c->kind == CULPRIT_ATOMICITY)
		text = xasprintf("the %s at %s and the %s at %s must be atomic",
				 access_text(&w->steps.at[c->first]), other,
				 access_text(&w->steps.at[c->last]), last);
	else
		text = xasprintf("the %s at %s came before the %s at %s: "
				 "nothing makes them happen the other way",
				 access_text(&w->steps.at[c->between]), other,
				 access_text(&w->steps.at[c->last]), last);
	free(last);
	free(other);
	return text;
}
