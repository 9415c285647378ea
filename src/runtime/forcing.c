/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/forcing.h"

#include "runtime/control.h"
#include "runtime/force_watch.h"
#include "runtime/sys.h"

#include <time.h>

enum {
	PLACES = 1 << 14, /* of the table of sites */
	SPOTS = FORCE_RULES * FORCE_EVENTS,
	FIRSTS = 8, /* threads whose first event is remembered */
};

/* An event of a rule, at its site. */
struct spot {
	uint16_t rule;
	uint8_t event;
	uint8_t is_last; /* of its site */
};

/* Spots of one site follow each other. */
static struct place {
	uint32_t site; /* 0: free */
	uint32_t spot;
} places[PLACES];

static struct spot spots[SPOTS];

struct object {
	uint64_t addr, size;
};

/* The attempt at a rule. */
static struct attempt {
	uint32_t passed; /* events */
	uint32_t holds;	 /* so far, in this run */
	uint32_t waits;	 /* event before which a thread is held, or NONE */
	uint32_t hold_us;
	uint64_t spent; /* time that threads were held in vain */
	bool is_over;	/* forced, or held often enough */
	bool has_begun;
	uint32_t threads[FORCE_EVENTS]; /* by label; FORCE_NONE: not known */
	struct object objects[FORCE_EVENTS];
	struct {
		uint32_t thread;
		uint32_t stack;
		struct object object;
	} firsts[FIRSTS];
	/* A hold that was in vain, for who comes late. */
	struct {
		uint64_t since;
		uint32_t thread; /* that was held */
		uint32_t event;	 /* that was missing; NONE: no such hold */
		struct object object;
	} missed;
} attempts[FORCE_RULES];

static uint32_t window_first, window_count;

/* Over all rules: one thread at a time, and not for ever in vain. */
static uint32_t held_rule = FORCE_NONE;
static uint64_t spent_all;

uint64_t (*force_clock)(void);

/* ---- the table of sites ---- */

static struct place *place_find(uint32_t site)
{
	uint32_t at = site * UINT32_C(0x9e3779b1) >> 18;

	while (places[at].site && places[at].site != site)
		at = (at + 1) & (PLACES - 1);
	return &places[at];
}

bool force_names(uint32_t site)
{
	return place_find(site)->site;
}

static const struct force_rule *rule_of(uint32_t rule)
{
	return &region->force.rules[rule];
}

/* So many have passed; gates need not. */
static void set_passed(struct attempt *a, const struct force_rule *rule,
		       uint32_t count)
{
	while (count && count < rule->count &&
	       rule->events[count].flags & FORCE_GATE)
		count++;
	a->passed = count;
}

static void attempt_reset(struct attempt *a)
{
	a->passed = 0;
	a->waits = FORCE_NONE;
	for (int i = 0; i < FORCE_EVENTS; i++) {
		a->threads[i] = FORCE_NONE;
		a->objects[i] = (struct object){ 0 };
	}
}

/* All spots of a site, found by asking every event of the window: quadratic in
 * the sites, which are few, and done once. */
static uint32_t spots_add(uint32_t site, uint32_t at)
{
	uint32_t from = at;

	for (uint32_t r = 0; r < window_count; r++) {
		const struct force_rule *rule = rule_of(window_first + r);

		for (uint32_t e = 0; e < rule->count; e++)
			if (rule->events[e].site == site && at < SPOTS)
				spots[at++] = (struct spot){
					.rule = (uint16_t)(window_first + r),
					.event = (uint8_t)e,
				};
	}
	if (at > from)
		spots[at - 1].is_last = 1;
	return at;
}

/* A run is a process, and finds the table empty; a test does not. */
static void places_clear(void)
{
	static bool is_used;

	if (is_used)
		for (uint32_t i = 0; i < PLACES; i++)
			places[i] = (struct place){ 0 };
	is_used = true;
}

void force_begin(uint64_t seed)
{
	struct force *f = &region->force;
	uint32_t at = 0;

	places_clear();
	held_rule = FORCE_NONE;
	spent_all = 0;
	atomic_store(&f->mark_count, 0);
	window_first = force_window(f, seed, &window_count);
	for (uint32_t r = window_first; r < window_first + window_count; r++) {
		const struct force_rule *rule = &f->rules[r];

		attempts[r] = (struct attempt){ .hold_us = rule->hold_us };
		attempt_reset(&attempts[r]);
		attempts[r].missed.event = FORCE_NONE;
		f->tallies[r].runs++;
		watch_begin(r);
		/* A rule that grew patient in an earlier run stays so. */
		if (f->tallies[r].late_us * 2 > attempts[r].hold_us)
			attempts[r].hold_us = f->tallies[r].late_us * 2;
		for (uint32_t e = 0; e < rule->count; e++) {
			struct place *p = place_find(rule->events[e].site);

			if (p->site || !rule->events[e].site)
				continue;
			*p = (struct place){ rule->events[e].site, at };
			at = spots_add(rule->events[e].site, at);
		}
	}
}

/* ---- what fits ---- */

static bool overlaps(const struct object *a, const struct force_stop *s)
{
	return a->addr < s->addr + s->size && s->addr < a->addr + a->size;
}

static bool is_kind(const struct force_event *e, const struct force_stop *s)
{
	return (!e->kinds || e->kinds & s->kinds) &&
	       (!e->stack || e->stack == s->stack);
}

/* Could it be that event of this attempt, by its thread and its object? */
static bool agrees(const struct attempt *a, const struct force_event *e,
		   const struct force_stop *s)
{
	for (uint32_t i = 0; i < FORCE_EVENTS; i++)
		if (i == e->thread ? a->threads[i] != FORCE_NONE &&
					     a->threads[i] != s->thread :
				     a->threads[i] == s->thread)
			return false;
	return e->object == FORCE_ANY_OBJECT || !a->objects[e->object].size ||
	       overlaps(&a->objects[e->object], s);
}

/* Has its thread done what comes before it in the rule? */
static bool is_prepared(const struct attempt *a, const struct force_rule *rule,
			uint32_t event)
{
	for (uint32_t e = a->passed; e < event; e++)
		if (rule->events[e].thread == rule->events[event].thread)
			return false;
	return true;
}

/* What is common to the memory of all of them so far: two that meet a wide one
 * in different parts do not meet each other. */
static void narrow(struct object *o, const struct force_stop *s)
{
	uint64_t end = o->addr + o->size;

	if (!o->size) {
		*o = (struct object){ s->addr, s->size };
		return;
	}
	if (s->addr + s->size < end)
		end = s->addr + s->size;
	if (s->addr > o->addr)
		o->addr = s->addr;
	o->size = end - o->addr;
}

static void bind(struct attempt *a, const struct force_event *e,
		 const struct force_stop *s)
{
	a->threads[e->thread] = s->thread;
	if (e->object != FORCE_ANY_OBJECT)
		narrow(&a->objects[e->object], s);
}

/* The thread began an attempt of its own earlier: it counts now, if nobody is
 * held for another. */
static bool resume(struct attempt *a, const struct force_rule *rule,
		   uint32_t event, const struct force_stop *s)
{
	const struct force_event *first = &rule->events[0];
	const struct force_event *e = &rule->events[event];
	uint32_t at = s->thread % FIRSTS;
	struct force_stop then = { .thread = s->thread };

	if (a->waits != FORCE_NONE || e->thread != first->thread ||
	    !a->firsts[at].object.size || a->firsts[at].thread != s->thread)
		return false;
	if (e->object == first->object && e->object != FORCE_ANY_OBJECT &&
	    !overlaps(&a->firsts[at].object, s))
		return false;
	attempt_reset(a);
	then.addr = a->firsts[at].object.addr;
	then.size = a->firsts[at].object.size;
	bind(a, first, &then);
	set_passed(a, rule, 1);
	return is_prepared(a, rule, event);
}

/* ---- holding ---- */

static bool must_wait(uint32_t r, uint32_t event, const struct force_stop *s)
{
	struct attempt *a = &attempts[r];
	const struct force_rule *rule = rule_of(r);
	const struct force_event *e = &rule->events[event];

	if (a->is_over || !(e->flags & FORCE_HOLD) || !is_kind(e, s))
		return false;
	if (event > a->passed && a->waits == FORCE_NONE &&
	    is_prepared(a, rule, event) && agrees(a, e, s))
		return true;
	return event > 1 && resume(a, rule, event, s) && event > a->passed;
}

static const struct force_hold nothing = { .rule = FORCE_NONE };

struct force_hold force_look(const struct force_stop *s)
{
	const struct place *p = place_find(s->site);

	if (!p->site || held_rule != FORCE_NONE ||
	    spent_all > 2 * FORCE_SPENT_US)
		return nothing;
	for (uint32_t i = p->spot;; i++) {
		if (must_wait(spots[i].rule, spots[i].event, s))
			return (struct force_hold){
				.rule = spots[i].rule,
				.event = spots[i].event,
				.has_begun = attempts[spots[i].rule].passed,
			};
		if (spots[i].is_last)
			return nothing;
	}
}

/* The next one, or the gate in front of it. */
static bool is_next(const struct attempt *a, const struct force_event *e,
		    uint32_t event)
{
	return a->passed == event ||
	       (e->flags & FORCE_GATE && a->passed == event + 1);
}

bool force_is_due(const struct force_stop *s)
{
	const struct place *p = place_find(s->site);

	if (!p->site)
		return false;
	for (uint32_t i = p->spot;; i++) {
		const struct attempt *a = &attempts[spots[i].rule];
		const struct force_event *e =
			&rule_of(spots[i].rule)->events[spots[i].event];

		if (!a->is_over && a->passed && is_next(a, e, spots[i].event) &&
		    is_kind(e, s) && agrees(a, e, s))
			return true;
		if (spots[i].is_last)
			return false;
	}
}

void force_mark(uint32_t rule, uint32_t event, uint32_t thread, uint64_t object,
		enum force_mark_what what)
{
	struct force *f = &region->force;
	uint32_t at = atomic_fetch_add(&f->mark_count, 1);

	if (at < FORCE_MARKS)
		f->marks[at] =
			(struct force_mark){ .object = object,
					     .microseconds = force_clock(),
					     .rule = rule,
					     .thread = thread,
					     .event = (uint8_t)event,
					     .what = (uint8_t)what };
}

uint32_t force_patience(uint32_t rule)
{
	uint32_t us = attempts[rule].hold_us;

	return us < FORCE_HOLD_US_MOST ? us : FORCE_HOLD_US_MOST;
}

void force_held(const struct force_stop *s, struct force_hold h)
{
	struct attempt *a = &attempts[h.rule];

	held_rule = h.rule;
	a->waits = h.event;
	a->holds++;
	region->force.tallies[h.rule].held++;
	force_mark(h.rule, h.event, s->thread, s->addr, FORCE_MARK_HELD);
	a->missed.since = force_clock();
}

bool force_is_released(struct force_hold h)
{
	const struct attempt *a = &attempts[h.rule];

	return a->is_over || a->waits != h.event || a->passed >= h.event;
}

/* Nobody came: the attempt is given up. Who comes later will tell how late. */
static void give_up(struct attempt *a, struct force_hold h,
		    const struct force_stop *s)
{
	const struct force_rule *rule = rule_of(h.rule);

	region->force.tallies[h.rule].expired++;
	force_mark(h.rule, h.event, s->thread, s->addr, FORCE_MARK_EXPIRED);
	a->missed.thread = s->thread;
	a->missed.event = a->passed;
	a->missed.object = rule->events[h.event].object == FORCE_ANY_OBJECT ?
				   (struct object){ 0 } :
				   (struct object){ s->addr, s->size };
	attempt_reset(a);
	a->spent += force_clock() - a->missed.since;
	spent_all += force_clock() - a->missed.since;
	if (a->holds >= rule->holds || a->spent > FORCE_SPENT_US)
		a->is_over = true;
}

void force_released(const struct force_stop *s, struct force_hold h)
{
	struct attempt *a = &attempts[h.rule];

	if (held_rule == h.rule)
		held_rule = FORCE_NONE;
	if (a->is_over || a->waits != h.event)
		return;
	a->waits = FORCE_NONE;
	if (a->passed < h.event)
		give_up(a, h, s);
}

/* ---- passing ---- */

/* The other side is here, after the wait for it was given up. */
static void is_late(uint32_t r, uint32_t event, const struct force_stop *s)
{
	struct attempt *a = &attempts[r];
	struct force_tally *t = &region->force.tallies[r];
	uint64_t late;

	if (a->missed.event != event || a->missed.thread == s->thread ||
	    (a->missed.object.size && !overlaps(&a->missed.object, s)))
		return;
	a->missed.event = FORCE_NONE;
	late = force_clock() - a->missed.since;
	if (late > FORCE_HOLD_US_MOST / 2)
		late = FORCE_HOLD_US_MOST / 2;
	if (late > t->late_us)
		t->late_us = (uint32_t)late;
	if (late * 2 > a->hold_us)
		a->hold_us = (uint32_t)late * 2;
}

static uint64_t now_ns(void)
{
	struct timespec t = { 0 };

	SYS_2(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static void forced(uint32_t r, const struct force_stop *s)
{
	struct force_tally *t = &region->force.tallies[r];
	struct attempt *a = &attempts[r];

	t->forced++;
	t->last = region->control.run.seed;
	if (t->forced == 1) {
		t->first = t->last;
		t->when = now_ns();
	}
	force_mark(r, rule_of(r)->count - 1, s->thread, s->addr,
		   FORCE_MARK_FORCED);
	attempt_reset(a);
	a->is_over = true;
	if (held_rule == r)
		held_rule = FORCE_NONE;
}

static void advance(uint32_t r, uint32_t event, const struct force_stop *s)
{
	struct attempt *a = &attempts[r];
	const struct force_rule *rule = rule_of(r);

	bind(a, &rule->events[event], s);
	set_passed(a, rule, event + 1);
	force_mark(r, event, s->thread, s->addr, FORCE_MARK_PASSED);
	if (!event && !a->has_begun) {
		a->has_begun = true;
		region->force.tallies[r].begun++;
	}
	/* Who waited for this may go; another may be held until it has. */
	if (a->waits != FORCE_NONE && a->passed >= a->waits && held_rule == r) {
		a->waits = FORCE_NONE;
		held_rule = FORCE_NONE;
	}
	if (a->passed == rule->count)
		forced(r, s);
}

/* True: the rule is one event further. */
static bool pass_one(uint32_t r, uint32_t event, const struct force_stop *s)
{
	struct attempt *a = &attempts[r];
	const struct force_rule *rule = rule_of(r);
	const struct force_event *e = &rule->events[event];

	if (!is_kind(e, s))
		return false;
	if (a->missed.event == event)
		is_late(r, event, s);
	if (a->is_over || e->flags & FORCE_GATE)
		return false;
	if (event == a->passed && agrees(a, e, s)) {
		advance(r, event, s);
		return true;
	}
	/* The latest beginning counts, while nobody is held for an earlier
	 * one. */
	if (!event && a->waits == FORCE_NONE) {
		attempt_reset(a);
		advance(r, event, s);
	} else if (event == 1 && a->waits == FORCE_NONE &&
		   resume(a, rule, event, s)) {
		advance(r, event, s);
		return true;
	}
	return false;
}

/* It came about by itself, though another attempt is under way. */
static void watch_one(uint32_t r, uint32_t event, const struct force_stop *s)
{
	if (!attempts[r].is_over && is_kind(&rule_of(r)->events[event], s) &&
	    watch_pass(r, event, s))
		forced(r, s);
}

/* What the thread did may be the beginning of an attempt of its own, later. */
static void first_remember(uint32_t r, const struct force_stop *s)
{
	struct attempt *a = &attempts[r];
	uint32_t at = s->thread % FIRSTS;

	if (a->is_over || !is_kind(&rule_of(r)->events[0], s))
		return;
	a->firsts[at].thread = s->thread;
	a->firsts[at].object = (struct object){ s->addr, s->size };
}

/* The thread was on this memory: what it began there is over, for an R that
 * comes now is not between that P and its next C. */
static void use_up(uint32_t r, const struct force_stop *s)
{
	struct attempt *a = &attempts[r];
	const struct force_event *first = &rule_of(r)->events[0];
	uint32_t at = s->thread % FIRSTS;

	watch_forget(r, s);
	if (a->firsts[at].thread == s->thread &&
	    overlaps(&a->firsts[at].object, s))
		a->firsts[at].object = (struct object){ 0 };
	if (a->passed && a->threads[first->thread] == s->thread &&
	    overlaps(&a->objects[first->object], s))
		attempt_reset(a);
}

/* Does it end what its thread began, without being a beginning? */
static bool ends(uint32_t r, uint32_t event, const struct force_stop *s)
{
	return watch_has(r, event) &&
	       (event || !is_kind(&rule_of(r)->events[event], s));
}

/* From the last event to the first, and for one event of a rule only: where
 * both sides are at the same place of code, an access that was waited for is
 * not the beginning of another attempt, which would give up the first. */
void force_pass(const struct force_stop *s)
{
	const struct place *p = place_find(s->site);
	uint32_t last, done = FORCE_NONE;

	if (!p->site)
		return;
	for (last = p->spot; !spots[last].is_last; last++)
		;
	for (uint32_t i = last + 1; i-- > p->spot;) {
		uint32_t r = spots[i].rule, event = spots[i].event;

		if (r != done && pass_one(r, event, s))
			done = r;
		watch_one(r, event, s);
		if (ends(r, event, s))
			use_up(r, s);
		if (!event)
			first_remember(r, s);
	}
}

/* ---- kinds ---- */

uint8_t force_kinds(enum event_kind kind, uint64_t arg)
{
	uint8_t kinds = 0;

	switch (kind) {
	case EVENT_READ:
	case EVENT_VPTR_READ:
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_CAS_FAIL:
		return FORCE_READ;
	case EVENT_WRITE:
	case EVENT_VPTR_WRITE:
	case EVENT_ATOMIC_STORE:
		return FORCE_WRITE;
	case EVENT_ATOMIC_RMW:
		return FORCE_READ | FORCE_WRITE;
	default:
		break;
	}
	if (event_order(kind, arg) & ORDER_ACQUIRE)
		kinds |= FORCE_ACQUIRE;
	if (event_order(kind, arg) & ORDER_RELEASE)
		kinds |= FORCE_RELEASE;
	return kinds ? kinds : FORCE_OTHER;
}
