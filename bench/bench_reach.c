/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a strategy makes a program fail.
 *
 *	bench_reach STRATEGY DEPTH RUNS PROGRAM [ARGUMENT...]
 *
 * Prints one line: hits, runs, rate, its lower and upper limit at 99 % each,
 * the most threads and points a run had, and runs a second. Seeds are 1, 2,
 * ..., so the line but for its last number is always the same. A few runs to
 * learn come first; PCT is told the most points these had.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "binomial.h"
#include "trial/worker.h"

enum { LEARNING = 8, BATCH = 1000, POINTS_MOST = 1000000, HANG_MS = 10000 };

struct tally {
	uint64_t runs, hits, points;
	uint32_t threads;
};

static const char *const names[] = {
#define STRATEGY(name, symbol, text, meaning) text,
#include "format/strategy.def"
#undef STRATEGY
};

static int strategy_find(const char *text)
{
	for (int i = 0; i < STRATEGIES; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	return -1;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static _Noreturn void give_up(const char *text)
{
	fprintf(stderr, "bench_reach: %s\n", text);
	exit(2);
}

/* Counts what one request brought. */
static void tally_add(struct tally *t, const struct control *c)
{
	for (uint32_t i = 0; i < c->result_count; i++) {
		const struct control_result *r = &c->results[i];

		if (r->outcome >= OUTCOME_DIVERGED)
			give_up(c->run.outcome.text);
		t->hits += r->outcome != OUTCOME_NONE || r->wait_status;
		if (r->points > t->points)
			t->points = r->points;
	}
	t->runs += c->result_count;
	if (c->run.thread_count > t->threads)
		t->threads = c->run.thread_count;
}

static void make_runs(struct worker *w, struct control_ask *ask,
		      struct tally *t, uint64_t runs)
{
	uint64_t first = ask->seed;
	struct err err;

	while (t->runs < runs) {
		uint64_t left = runs - t->runs;

		ask->seed = first + t->runs;
		ask->runs = left < BATCH ? (uint32_t)left : BATCH;
		if (worker_runs(w, ask, &err) < 0)
			give_up(err.text);
		tally_add(t, w->control);
	}
}

int main(int argc, char **argv)
{
	struct control_ask ask = { .points_most = POINTS_MOST,
				   .hang_ms = HANG_MS,
				   .flags = CONTROL_LEARN,
				   .seed = 1000000 };
	struct launch launch = { .streams = { -1, -1, -1 }, .cpu = -1 };
	struct tally learned = { 0 }, t = { 0 };
	struct worker w;
	struct err err;
	uint64_t runs;
	double begin;

	if (argc < 5 || strategy_find(argv[1]) < 0)
		give_up("usage: STRATEGY DEPTH RUNS PROGRAM [ARGUMENT...]");
	runs = strtoull(argv[3], NULL, 10);
	sigprocmask(SIG_SETMASK, NULL, &launch.mask);
	launch.argv = argv + 4;
	if (worker_start(&w, &launch, 0, &err) < 0)
		give_up(err.text);
	make_runs(&w, &ask, &learned, LEARNING);
	ask.strategy = (uint32_t)strategy_find(argv[1]);
	ask.depth = (uint32_t)atoi(argv[2]);
	ask.length = learned.points;
	ask.flags = 0;
	ask.seed = 1;
	begin = seconds();
	make_runs(&w, &ask, &t, runs);
	printf("%" PRIu64 " %" PRIu64 " %.6f %.6f %.6f %" PRIu32 " %" PRIu64
	       " %.0f\n",
	       t.hits, t.runs, (double)t.hits / (double)t.runs,
	       binomial_lower(t.hits, t.runs, 0.01),
	       binomial_upper(t.hits, t.runs, 0.01), t.threads, learned.points,
	       (double)t.runs / (seconds() - begin));
	worker_stop(&w);
	return 0;
}
