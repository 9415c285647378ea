/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analysis/unserial.h"
#include "base/vec.h"
#include "seeds.h"
#include "tiny_program.h"

/*
 * Is an interleaving pruned that can happen? Programs of all kinds of
 * synchronisation are profiled as heddle expose does it, twenty runs put
 * together, and all their interleavings are enumerated: a machine that goes
 * through every state, and with it an observer that remembers, by a lot of its
 * own, one P and one R. What the observer sees in some run can happen.
 */

enum { SITES = 1 + TINY_THREADS * TINY_OPS, PROFILES = 20 };

static bool happens[SITES][SITES][SITES]; /* by P, R and C */

/* ---- all runs ---- */

struct observed {
	struct tiny_state state;
	uint8_t p, r; /* sites; 0: none yet */
	uint8_t thread, var;
};

enum { SLOTS = 1 << 17, MOST = SLOTS / 2 };

static struct observed *table, empty;
static VEC(struct observed) todo;
static size_t state_count;

static uint64_t hash_of(const struct observed *o)
{
	const uint8_t *at = (const uint8_t *)o;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(*o); i++)
		h = (h ^ at[i]) * UINT64_C(0x100000001b3);
	return h ^ h >> 29;
}

/* Every member of it is a byte: there is nothing between them. */
static void visit(const struct observed *o)
{
	uint64_t i = hash_of(o) % SLOTS;

	for (; memcmp(&table[i], &empty, sizeof(empty)) != 0;
	     i = (i + 1) % SLOTS)
		if (memcmp(&table[i], o, sizeof(*o)) == 0)
			return;
	table[i] = *o;
	state_count++;
	vec_push(&todo, *o);
}

static void observe(const struct tiny_program *p, const struct observed *from,
		    unsigned int t)
{
	const struct tiny_op *op = tiny_next(p, &from->state, t);
	uint32_t site = tiny_site(t, from->state.at[t]);
	struct observed to = *from;

	tiny_step(p, &to.state, t);
	if (!tiny_is_access(op) || (from->p && from->var != op->object)) {
		visit(&to);
		return;
	}
	if (from->p && t == from->thread) {
		happens[from->p][from->r][site] |= from->r != 0;
		return;
	}
	visit(&to);
	if (from->r)
		return;
	if (from->p) {
		to.r = (uint8_t)site;
	} else {
		to.p = (uint8_t)site;
		to.thread = (uint8_t)t;
		to.var = op->object;
	}
	visit(&to);
}

/* False: it has too many states. */
static bool enumerate(const struct tiny_program *p)
{
	struct observed first = { .state = tiny_begin(p) };

	memset(happens, 0, sizeof(happens));
	memset(table, 0, SLOTS * sizeof(*table));
	state_count = 0;
	todo.count = 0;
	visit(&first);
	while (todo.count && state_count < MOST) {
		struct observed o = todo.at[--todo.count];

		for (unsigned int t = 0; t < TINY_THREADS; t++)
			if (tiny_can(p, &o.state, t))
				observe(p, &o, t);
	}
	return !todo.count;
}

/* ---- profiles ---- */

static VEC(struct event) run;

static void put(struct event e)
{
	e.stamp = 10 * (run.count + 1);
	vec_push(&run, e);
}

static void put_step(struct tiny_program *p, struct tiny_state *s,
		     unsigned int t)
{
	struct event out[2];
	unsigned int n = tiny_tell(p, s, t, out);

	if (t && !s->at[t] && !s->turns[t])
		put((struct event){ .kind = EVENT_THREAD_BEGIN, .thread = t });
	for (unsigned int i = 0; i < n; i++)
		put(out[i]);
	tiny_step(p, s, t);
	if (t && tiny_is_over(p, s, t))
		put((struct event){ .kind = EVENT_THREAD_END, .thread = t });
}

/* Threads by turns, or long one after the other. False: it got stuck, or did
 * not end. */
static bool make_run(struct tiny_program *p, unsigned int stay)
{
	enum { STEPS = 2000 };
	struct tiny_state s = tiny_begin(p);
	unsigned int t = 0;

	run.count = 0;
	put((struct event){
		.kind = EVENT_SEM_INIT, .addr = 0x4000, .arg = p->initial });
	put((struct event){ .kind = EVENT_BARRIER_INIT,
			    .addr = 0x5000,
			    .arg = p->parties });
	for (unsigned int i = 0; i < STEPS; i++) {
		bool is_over = true;

		if (tiny_draw(p, 64) >= stay || !tiny_can(p, &s, t))
			t = tiny_draw(p, TINY_THREADS);
		if (tiny_can(p, &s, t))
			put_step(p, &s, t);
		for (unsigned int k = 0; k < TINY_THREADS; k++)
			is_over &= tiny_is_over(p, &s, k);
		if (is_over)
			return true;
	}
	return false;
}

static struct unserial_result *analyse_run(const struct unserial_result *known,
					   bool only_waiting)
{
	struct unserial *u =
		unserial_new(&(struct unserial_inputs){ .is_whole = true });

	for (size_t i = 0; known && i < known->waiting_count; i++)
		unserial_learn(u, known->waiting[i]);
	do {
		for (size_t i = 0; i < run.count; i++)
			unserial_foresee(u, &run.at[i]);
	} while (unserial_wants_more(u));
	for (size_t i = 0; !only_waiting && i < run.count; i++)
		unserial_feed(u, &run.at[i]);
	return unserial_end(u, UNSERIAL_BY_GAP);
}

/* The same runs twice: first for what waits in any of them. */
static struct unserial_result *profile(struct tiny_program *p)
{
	static const unsigned int stays[] = { 0, 60, 32, 63 };
	struct unserial_result *all = NULL;
	uint64_t random = p->random;

	for (unsigned int i = 0; i < 2 * PROFILES; i++) {
		struct unserial_result *one;

		if (i == PROFILES)
			p->random = random;
		if (!make_run(p, stays[i % 4]))
			continue;
		one = analyse_run(all, i < PROFILES);
		if (all)
			unserial_merge(all, one, UNSERIAL_BY_GAP);
		else
			all = one;
	}
	return all;
}

/* ---- comparing ---- */

struct sums {
	unsigned int programs, feasible, pruned,
		spared; /* not, and cannot be */
};

static void lost(uint64_t seed, const struct tiny_program *p,
		 const struct unserial_candidate *f, const char *how)
{
	tiny_print(p, stderr);
	fail_msg("program %llu: %u %u %u %s (%d)", (unsigned long long)seed,
		 f->p.site, f->r.site, f->c.site, how, f->why);
}

static void compare(uint64_t seed, const struct tiny_program *p,
		    const struct unserial_result *all, struct sums *sums)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct unserial_candidate *f = &all->at[i];
		bool can = happens[f->p.site][f->r.site][f->c.site];
		bool is_pruned = f->status == UNSERIAL_PRUNED;

		if (can && is_pruned)
			lost(seed, p, f, "was pruned");
		if (!can && f->exercised)
			lost(seed, p, f, "cannot be, and was");
		sums->feasible += can;
		sums->pruned += is_pruned;
		sums->spared += !can && !is_pruned;
	}
}

static void nothing_that_can_happen_is_pruned(void **state)
{
	struct sums sums = { 0 };
	struct tiny_program p;

	(void)state;
	for (uint64_t seed = 1; seed <= seeds(300); seed++) {
		struct unserial_result *all;

		tiny_make(&p, seed);
		all = profile(&p);
		if (all && enumerate(&p)) {
			compare(seed, &p, all, &sums);
			sums.programs++;
		}
		unserial_free(all);
	}
	print_message("%u programs: %u feasible, %u pruned, %u spared\n",
		      sums.programs, sums.feasible, sums.pruned, sums.spared);
	/* else nothing was tested */
	assert_true(sums.programs > seeds(120) && sums.pruned > seeds(500) &&
		    sums.feasible > seeds(500));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_that_can_happen_is_pruned),
	};
	int failed;

	table = calloc(SLOTS, sizeof(*table));
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(table);
	vec_free(&todo);
	vec_free(&run);
	return failed;
}
