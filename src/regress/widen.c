/* SPDX-License-Identifier: Apache-2.0 */
#include "regress/widen.h"

/* Another seed first: what happens once only must not be let pass. */
enum { PASS = 64, NOISE = 4 };

void widening_begin(struct widening *w, const struct signature *s)
{
	*w = (struct widening){ .count = s->count };
	for (uint32_t k = 0; k < s->count; k++)
		w->now.widths[k].by = SIMILAR_OFFSET | SIMILAR_FUNCTION |
				      SIMILAR_TEXT;
}

void widening_renew(struct widening *w)
{
	enum { PASS_MOST = 160, NOISE_MOST = 48 };
	uint32_t rounds = ++w->rounds;

	if (w->has_matched)
		w->now = w->matched;
	w->now.pass = PASS * rounds < PASS_MOST ? PASS * rounds : PASS_MOST;
	w->now.noise = NOISE * rounds < NOISE_MOST ? NOISE * rounds :
						     NOISE_MOST;
	w->same = 0;
	w->is_over = false;
}

/* ---- wider ---- */

/* False: it is as wide as can be. */
static bool jump(struct widening *w, uint32_t k)
{
	struct hunt_width *width = &w->now.widths[k];

	if (!(width->by & SIMILAR_MOVED)) {
		width->by |= SIMILAR_MOVED | SIMILAR_NAMED;
		w->none[k] = width->w + 1;
		width->w = width->w ? width->w * 4 : WIDEN_JUMP;
		return true;
	}
	if (width->w >= WIDEN_MOST)
		return false;
	w->none[k] = width->w + 1;
	width->w *= 4;
	return true;
}

static bool go_further(struct widening *w, const struct hunt_report *r,
		       uint32_t k)
{
	struct hunt_width *width = &w->now.widths[k];

	if (r->least_distance[k] > WIDEN_FAR ||
	    r->least_distance[k] <= width->d)
		return false;
	width->d = r->least_distance[k];
	return true;
}

/* Widens every event that nobody stood before; true if there was one that
 * could be. */
static bool widen_missing(struct widening *w, const struct hunt_report *r,
			  bool *is_missing)
{
	bool any = false;

	*is_missing = false;
	for (uint32_t k = 0; k < w->count; k++) {
		if (r->similar[k])
			continue;
		*is_missing = true;
		if ((r->other_stack[k] && go_further(w, r, k)) || jump(w, k))
			any = true;
	}
	return any;
}

static void after_none(struct widening *w, const struct hunt_report *r)
{
	bool is_missing;

	if (widen_missing(w, r, &is_missing)) {
		w->same = 0;
		return;
	}
	if (!is_missing && w->same < WIDEN_PATIENCE) {
		w->now.pass = w->same > 1 ? PASS : 0;
		return;
	}
	w->same = 0;
	if (!is_missing && r->reached < w->count && jump(w, r->reached))
		return;
	if (!(w->now.flags & HUNT_ANY_OBJECTS))
		w->now.flags |= HUNT_ANY_OBJECTS;
	else
		w->is_over = true;
}

/* ---- narrower ---- */

static bool cut(struct widening *w)
{
	bool any = false;

	for (uint32_t k = 0; k < w->count; k++) {
		struct hunt_width *width = &w->now.widths[k];
		uint32_t low = w->none[k];

		if (width->w <= low + 1)
			continue;
		width->w = low + (width->w - low) / 2;
		any = true;
	}
	return any;
}

static void after_match(struct widening *w)
{
	w->has_matched = true;
	w->matched = w->now;
	if (w->same < WIDEN_PATIENCE) {
		w->now.pass = w->same > 1 ? PASS : 0;
		w->now.noise = w->same > 1 ? NOISE : 0;
		return;
	}
	w->same = 0;
	w->now.pass = 0;
	w->now.noise = 0;
	if (!cut(w))
		w->is_over = true;
}

void widening_learn(struct widening *w, const struct hunt_report *r)
{
	w->same++;
	if (r->reached == w->count)
		after_match(w);
	else
		after_none(w, r);
}
