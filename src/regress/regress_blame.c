/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which accesses cause what broke, and which caused the kept failure? The
 * latter was located when it was tested or by heddle locate; else it is now, if
 * the build that failed is still there. Where it cannot be, its signature has
 * to stand in: pairs that are made of its events speak for the same bug, though
 * others do not speak against it.
 */
#include "regress/regress_inner.h"

#include "base/log.h"
#include "regress/locate_briefly.h"

enum { BLAME_MS = 1500 };

static void locate(const struct regress *r, const char *name)
{
	struct located l;
	struct err err;

	if (locate_briefly(r->o->store, name, BLAME_MS, r->o->allows_check, &l,
			   &err) == 0)
		r->o->keep_located(&l, r->o->store);
	else
		log_debug("%s is not located: %s", name, err.text);
	located_done(&l);
}

/* Is the build that failed still where it was? */
static bool is_there(const struct regress *r, const char *name)
{
	struct again a;
	struct err ignored;
	bool is_same = false;

	if (again_open(&a, r->o->store, name, r->o->allows_check, &ignored) <
		    0 ||
	    again_start(&a, &ignored) < 0 ||
	    again_is_same_build(&a, &is_same, &ignored) < 0)
		is_same = false;
	again_close(&a);
	return is_same;
}

static void blame_old(struct regress *r)
{
	const struct repro *old = r->again.repro;
	struct blamed *was = &r->result->same.was;

	blamed_load(was, old->path);
	if (!was->all.count && is_there(r, old->name)) {
		locate(r, old->name);
		blamed_load(was, old->path);
	}
	/* Those of Maple are of the new build. */
	if (r->o->method == REGRESS_SIMILAR)
		blamed_tell_texts(was, &r->result->signatures);
}

static void blame_new(struct regress *r, const struct repro *kept)
{
	struct blamed *now = &r->result->same.now;

	blamed_load(now, kept->path);
	if (now->all.count)
		return;
	locate(r, kept->name);
	blamed_load(now, kept->path);
}

static void compare(struct regress *r)
{
	struct sameness *s = &r->result->same;

	if (s->was.all.count) {
		static const int pairs[] = {
			[BLAMED_OTHER] = PAIRS_OTHER,
			[BLAMED_NEAR] = PAIRS_NEAR,
			[BLAMED_SAME] = PAIRS_SAME,
		};

		s->pairs = pairs[blamed_compare(&s->was, &s->now, &s->was_at,
						&s->now_at)];
		return;
	}
	s->unknown = "the old failure was not located before its build was "
		     "gone";
	if (r->o->method == REGRESS_SIMILAR &&
	    blamed_is_signed(&s->now, &r->result->signatures, &s->now_at))
		s->pairs = PAIRS_SIGNED;
}

void regress_compare_pairs(struct regress *r, const struct repro *kept)
{
	struct sameness *s = &r->result->same;
	double began = hunt_now();

	s->pairs = PAIRS_NONE;
	if (!can_locate(kept ? kept : r->again.repro))
		return;
	s->pairs = PAIRS_UNKNOWN;
	s->unknown = r->o->keeps ? "it is the failure that is kept" :
				   "it is not kept, so it was not located";
	if (!kept || !r->o->keep_located)
		return;
	s->unknown = "it has no schedule by which it could be located";
	if (kept->plan->rules.is_free)
		return;
	blame_new(r, kept);
	if (s->now.all.count) {
		blame_old(r);
		compare(r);
	} else {
		s->unknown = "none was confirmed by experiment within the time "
			     "there is";
	}
	s->seconds = hunt_now() - began;
}
