/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analysis/unserial.h"
#include "random_truth.h"
#include "seeds.h"

/*
 * Unserializable interleavings of random runs, against their definition: all
 * triples of accesses, with no clock, no class and no window.
 */

static struct world w;

/* What a pair and a remote access add to, found by going through all. */
struct truth {
	uint32_t p, c, r;
	int pattern;
	uint64_t pairs, instances, exercised, gap;
	uint64_t last_pair; /* the pair in hand, on its granule */
	bool is_feasible, is_exercised;
	size_t last_p, last_c; /* the same on all granules */
	uint64_t last_gap;
};

static struct truth truths[20000];
static size_t truth_count;
static uint64_t pair_in_hand;

enum { SITES = 11 };

static uint32_t few_sites(const void *self, uint32_t stack)
{
	(void)self;
	return 1 + stack % SITES;
}

static bool is_touch(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_WRITE ||
	       event_is_atomic(e->kind);
}

static bool touches(size_t i, uint64_t byte)
{
	return is_touch(&w.at[i]) && byte >= w.at[i].addr &&
	       byte < w.at[i].addr + w.at[i].size;
}

/* Did the memory stay the same between the two? */
static bool is_same_memory(size_t i, size_t j, uint64_t byte)
{
	size_t from = i < j ? i : j, to = i < j ? j : i;

	for (size_t k = from + 1; k < to; k++)
		if ((w.at[k].kind == EVENT_ALLOC ||
		     w.at[k].kind == EVENT_FREE) &&
		    byte >= w.at[k].addr && byte < w.at[k].addr + w.at[k].size)
			return false;
	return true;
}

/* The access of the same thread before c to that byte, or -1. */
static int preceding(size_t c, uint64_t byte)
{
	for (size_t p = c; p-- > 0;)
		if (w.at[p].thread == w.at[c].thread && touches(p, byte))
			return is_same_memory(p, c, byte) ? (int)p : -1;
	return -1;
}

/* The acquisition of the lock that the thread holds at event i, or -1. */
static int section_of(size_t i, uint64_t lock)
{
	int depth = 0, at = -1;

	for (size_t k = 0; k < i; k++) {
		const struct event *e = &w.at[k];

		if (e->thread != w.at[i].thread || e->addr != lock)
			continue;
		switch (e->kind) {
		case EVENT_MUTEX_LOCK:
		case EVENT_SPIN_LOCK:
		case EVENT_RWLOCK_RDLOCK:
		case EVENT_RWLOCK_WRLOCK:
			if (!depth++)
				at = (int)k;
			break;
		case EVENT_MUTEX_UNLOCK:
		case EVENT_SPIN_UNLOCK:
		case EVENT_RWLOCK_UNLOCK:
			depth--;
			break;
		default:
			break;
		}
	}
	return depth ? at : -1;
}

static uint64_t nth_lock(unsigned int n)
{
	return n < RANDOM_LOCKS ? random_lock_addr(n) :
				  0x4000 + (n - RANDOM_LOCKS) * 56;
}

enum { ALL_LOCKS = RANDOM_LOCKS + RANDOM_RWLOCKS };

/* Does the section that began at s keep r out? */
static bool excludes(int s, size_t r, uint64_t lock)
{
	int other = section_of(r, lock);
	size_t from, to;

	if (s < 0 || other < 0 ||
	    (w.at[s].kind == EVENT_RWLOCK_RDLOCK &&
	     w.at[other].kind == EVENT_RWLOCK_RDLOCK))
		return false;
	from = (size_t)(s < other ? s : other);
	to = (size_t)(s < other ? other : s);
	return random_same_object(&w, from, to);
}

/* When the section in which i is ends: by the first unlock behind which the
 * thread is no longer in it. */
static uint64_t end_stamp(size_t i, uint64_t lock, int section)
{
	for (size_t k = i + 1; k < w.count; k++) {
		size_t next = k + 1;

		if (w.at[k].thread != w.at[i].thread || w.at[k].addr != lock)
			continue;
		while (next < w.count && w.at[next].thread != w.at[i].thread)
			next++;
		if (next < w.count && section_of(next, lock) != section)
			return w.at[k].stamp;
	}
	return UINT64_MAX;
}

static bool can_come_between(size_t p, size_t c, size_t r)
{
	if (w.before[r][p] || w.before[c][r])
		return false;
	for (unsigned int n = 0; n < ALL_LOCKS; n++) {
		int s = section_of(p, nth_lock(n));

		if (s == section_of(c, nth_lock(n)) &&
		    excludes(s, r, nth_lock(n)))
			return false;
	}
	return true;
}

static uint64_t gap_of(size_t p, size_t c, size_t r)
{
	uint64_t from = w.at[p].stamp, to = w.at[c].stamp;

	for (unsigned int n = 0; n < ALL_LOCKS; n++) {
		uint64_t lock = nth_lock(n), end;
		int s = section_of(p, lock);

		if (excludes(s, r, lock)) {
			end = end_stamp(p, lock, s);
			from = end > from ? end : from;
		}
		s = section_of(c, lock);
		if (excludes(s, r, lock) && w.at[s].stamp < to)
			to = w.at[s].stamp;
	}
	return to > from ? to - from : 0;
}

static int true_pattern(size_t p, size_t r, size_t c)
{
	bool pw = random_is_write(&w.at[p]), rw = random_is_write(&w.at[r]);
	bool cw = random_is_write(&w.at[c]);
	bool rr = !rw || random_is_load(&w.at[r]);
	bool cr = !cw || random_is_load(&w.at[c]);

	if (rw && pw && cr)
		return UNSERIAL_WWR;
	if (rw && !pw)
		return cw ? UNSERIAL_RWW : UNSERIAL_RWR;
	if (rr && pw && cw)
		return UNSERIAL_WRW;
	return -1;
}

static struct truth *truth_at(size_t p, size_t c, size_t r, int pattern)
{
	struct truth t = { .p = few_sites(NULL, w.at[p].stack),
			   .c = few_sites(NULL, w.at[c].stack),
			   .r = few_sites(NULL, w.at[r].stack),
			   .pattern = pattern };

	for (size_t i = 0; i < truth_count; i++)
		if (truths[i].p == t.p && truths[i].c == t.c &&
		    truths[i].r == t.r && truths[i].pattern == pattern)
			return &truths[i];
	assert_true(truth_count < sizeof(truths) / sizeof(truths[0]));
	truths[truth_count] = t;
	return &truths[truth_count++];
}

static void tell_triple(size_t p, size_t c, size_t r)
{
	int is = true_pattern(p, r, c);
	struct truth *t;
	uint64_t gap;

	if (is < 0)
		return;
	t = truth_at(p, c, r, is);
	if (t->last_pair != pair_in_hand) {
		t->pairs++;
		t->last_pair = pair_in_hand;
		t->is_feasible = t->is_exercised = false;
	}
	if (t->last_p != p || t->last_c != c) {
		t->last_p = p;
		t->last_c = c;
		t->last_gap = 0;
	}
	if (!can_come_between(p, c, r))
		return;
	t->instances += !t->is_feasible;
	t->is_feasible = true;
	t->exercised += p < r && r < c && !t->is_exercised;
	t->is_exercised |= p < r && r < c;
	gap = gap_of(p, c, r);
	if (gap > t->last_gap) {
		t->gap += gap - t->last_gap;
		t->last_gap = gap;
	}
}

/* Is P the preceding access of C on a byte of the granule that R touches? */
static bool meets(size_t p, size_t c, size_t r, uint64_t granule)
{
	for (uint64_t b = granule; b < granule + 8; b++)
		if (touches(c, b) && preceding(c, b) == (int)p &&
		    touches(r, b) && is_same_memory(r, c, b))
			return true;
	return false;
}

static void tell_pair(size_t p, size_t c, uint64_t granule)
{
	pair_in_hand++;
	for (size_t r = 0; r < w.count; r++)
		if (w.at[r].thread != w.at[c].thread && is_touch(&w.at[r]) &&
		    meets(p, c, r, granule))
			tell_triple(p, c, r);
}

static void tell_truth(void)
{
	truth_count = 0;
	for (size_t c = 0; c < w.count; c++)
		for (size_t p = 0; is_touch(&w.at[c]) && p < c; p++)
			for (uint64_t g = 0x1000; g < 0x2020; g += 8)
				for (uint64_t b = g; b < g + 8; b++)
					if (touches(c, b) &&
					    preceding(c, b) == (int)p) {
						tell_pair(p, c, g);
						break;
					}
}

static const struct unserial_candidate *find_truth(
	const struct unserial_result *r, const struct truth *t)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->at[i].p.site == t->p && r->at[i].c.site == t->c &&
		    r->at[i].r.site == t->r &&
		    (int)r->at[i].pattern == t->pattern)
			return &r->at[i];
	return NULL;
}

static bool is_told(const struct unserial_candidate *f, const struct truth *t)
{
	return f && f->pairs == t->pairs && f->instances == t->instances &&
	       f->exercised == t->exercised && f->gap == t->gap &&
	       (f->why == UNSERIAL_FEASIBLE) == (f->instances > 0);
}

static void compare_world(uint64_t seed, unsigned int what, uint64_t *sums)
{
	struct unserial *u =
		unserial_new(&(struct unserial_inputs){ .site_of = few_sites });
	struct unserial_result *r;

	random_world(&w, seed, what);
	random_close(&w, true, false);
	for (size_t i = 0; i < w.count; i++)
		unserial_feed(u, &w.at[i]);
	r = unserial_end(u, UNSERIAL_BY_GAP);
	tell_truth();
	if (r->count != truth_count)
		fail_msg("seed %llu: %zu candidates, not %zu",
			 (unsigned long long)seed, r->count, truth_count);
	for (size_t i = 0; i < truth_count; i++) {
		const struct truth *t = &truths[i];
		const struct unserial_candidate *f = find_truth(r, t);

		if (!is_told(f, t))
			fail_msg("seed %llu: %u %u %u %s: %s %llu/%llu/%llu "
				 "gap %llu, not %llu/%llu/%llu gap %llu",
				 (unsigned long long)seed, t->p, t->c, t->r,
				 unserial_pattern_text(
					 (enum unserial_pattern)t->pattern),
				 f ? "is" : "missing",
				 f ? (unsigned long long)f->pairs : 0,
				 f ? (unsigned long long)f->instances : 0,
				 f ? (unsigned long long)f->exercised : 0,
				 f ? (unsigned long long)f->gap : 0,
				 (unsigned long long)t->pairs,
				 (unsigned long long)t->instances,
				 (unsigned long long)t->exercised,
				 (unsigned long long)t->gap);
		sums[f->status]++;
		sums[4 + f->why]++;
	}
	unserial_free(r);
}

static void all_triples_are_told_by_definition(void **state)
{
	static const unsigned int whats[] = {
		0,
		WITH_LOCKS,
		WITH_LOCKS | WITH_MORE_LOCKS,
		WITH_LOCKS | WITH_CONDS | WITH_BARRIERS,
		WITH_LOCKS | WITH_HEAP | WITH_ATOMICS | WITH_ONCE,
	};
	uint64_t sums[8] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= seeds(60); seed++)
		compare_world(seed, whats[seed % 5], sums);
	/* each outcome occurs, or nothing was tested */
	for (int i = 0; i < 8; i++)
		if (i != UNSERIAL_LIKELY)
			assert_true(sums[i] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_triples_are_told_by_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
