/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "analysis/unserial_inner.h"

const char *unserial_pattern_text(enum unserial_pattern p)
{
	static const char *const texts[UNSERIAL_PATTERNS] = {
		[UNSERIAL_RWR] = "R-W-R",
		[UNSERIAL_WWR] = "W-W-R",
		[UNSERIAL_WRW] = "W-R-W",
		[UNSERIAL_RWW] = "R-W-W",
	};

	return texts[p];
}

const char *unserial_keeper_text(enum unserial_keeper k)
{
	static const char *const texts[UNSERIAL_KEEPERS] = {
		[UNSERIAL_CONDITIONS] = "a condition",
		[UNSERIAL_SEMAPHORES] = "a semaphore",
		[UNSERIAL_ONCE] = "once",
		[UNSERIAL_ATOMICS] = "atomics",
	};

	return texts[k];
}

/* ---- rank ---- */

static enum unserial_status status_of(const struct unserial_candidate *f)
{
	if (!f->instances)
		return UNSERIAL_PRUNED;
	if (f->exercised)
		return UNSERIAL_EXERCISED;
	return f->loose ? UNSERIAL_OPEN : UNSERIAL_LIKELY;
}

/* Gaps are similar when one is not twice the other, about. */
static int size_class(uint64_t gap)
{
	return gap ? 64 - __builtin_clzll(gap) : 0;
}

struct ranked {
	struct unserial_candidate candidate;
	size_t found; /* when */
};

static int compare_found(const struct ranked *a, const struct ranked *b)
{
	if (a->candidate.status != b->candidate.status)
		return a->candidate.status < b->candidate.status ? -1 : 1;
	return a->found < b->found ? -1 : a->found > b->found;
}

static int compare_first_come(const void *a, const void *b)
{
	return compare_found(a, b);
}

/* Rare first: a short gap, and in similar ones an R that was far away. */
static int compare_gaps(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	const struct unserial_candidate *f = &x->candidate, *g = &y->candidate;

	if (f->status != g->status)
		return f->status < g->status ? -1 : 1;
	if (size_class(f->gap) != size_class(g->gap))
		return size_class(f->gap) - size_class(g->gap);
	if (f->distance != g->distance)
		return f->distance > g->distance ? -1 : 1;
	if (f->gap != g->gap)
		return f->gap < g->gap ? -1 : 1;
	return compare_found(x, y);
}

static size_t count_feasible(const struct unserial_result *r)
{
	struct keymap seen = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		uint32_t *n;

		if (r->at[i].status == UNSERIAL_PRUNED)
			continue;
		n = keymap_at(&seen, r->at[i].c.site, 0);
		count += !*n;
		*n = 1;
	}
	keymap_done(&seen);
	return count;
}

void unserial_order(struct unserial_result *r, enum unserial_rank rank)
{
	struct ranked *all = xcalloc(r->count + 1, sizeof(*all));

	for (size_t i = 0; i < 4; i++)
		r->by_status[i] = 0;
	for (size_t i = 0; i < r->count; i++) {
		r->at[i].status = status_of(&r->at[i]);
		r->by_status[r->at[i].status]++;
		all[i] = (struct ranked){ .candidate = r->at[i], .found = i };
	}
	qsort(all, r->count, sizeof(*all),
	      rank == UNSERIAL_BY_GAP ? compare_gaps : compare_first_come);
	for (size_t i = 0; i < r->count; i++)
		r->at[i] = all[i].candidate;
	r->sites_feasible = count_feasible(r);
	free(all);
}

/* ---- sizes ---- */

static double log_factorial(double n)
{
	return lgamma(n + 1);
}

/* The logarithm of a sum, of the logarithms. */
static double log_add(double a, double b)
{
	double most = a > b ? a : b, least = a > b ? b : a;

	return isinf(most) ? most : most + log1p(exp(least - most));
}

static double tpair_of(const struct unserial *u)
{
	double sum = -INFINITY;

	for (size_t i = 0; i < u->shared.count; i++) {
		double m = (double)u->shared.at[i];

		for (size_t j = i + 1; m > 0 && j < u->shared.count; j++) {
			double n = (double)u->shared.at[j];

			if (n > 0)
				sum = log_add(sum, log_factorial(m + n) -
							   log_factorial(m) -
							   log_factorial(n));
		}
	}
	return sum;
}

static double decimal(double log_e)
{
	return isinf(log_e) ? -1 : log_e / log(10);
}

void unserial_measure(const struct unserial *u, struct unserial_sizes *s)
{
	double below = 0;

	for (size_t i = 0; i < u->shared.count; i++) {
		s->accesses += u->shared.at[i];
		s->threads += u->shared.at[i] > 0;
		below += log_factorial((double)u->shared.at[i]);
	}
	s->all = s->accesses ?
			 decimal(log_factorial((double)s->accesses) - below) :
			 -1;
	s->tpair = decimal(tpair_of(u));
	s->pi = decimal(log(u->pi));
	s->ui = decimal(log(u->ui));
}
