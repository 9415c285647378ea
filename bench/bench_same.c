/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the same seed the same run?
 *
 *	bench_same RUNS SECONDS PROGRAM [ARGUMENT...]
 *
 * Makes runs of one seed by random walk, in three servers of their own, after a
 * few others to learn from (as many in each; one, if that takes long). Two runs
 * are the same when their schedules, points, ends and outputs are. Prints one
 * line: how many runs were like the first, how many were made (fewer than RUNS
 * when the time is up), whether something was told that is not controlled, and
 * how the last one ended.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trial/oracle.h"
#include "trial/worker.h"

enum {
	SERVERS = 3,
	LEARNING = 4,
	POINTS_MOST = 1000000,
	HANG_MS = 2000,
	MEMORY_MOST = 256 << 20,
};

struct seen {
	uint64_t schedule, points, output;
	uint32_t outcome, steps;
	int32_t wait_status;
};

static struct {
	struct seen first;
	uint64_t same, made;
	bool is_told;
	uint32_t outcome;
	int32_t wait_status;
} tally;

static uint64_t learning; /* runs; 0: the first server finds out */

static _Noreturn void give_up(const char *text)
{
	fprintf(stderr, "bench_same: %s\n", text);
	exit(2);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t printed(const struct worker *w)
{
	uint64_t hash = 1469598103934665603U;
	size_t size = 0;
	char *text = worker_printed(w, WORKER_OUTPUT, &size);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (uint8_t)text[i]) * 1099511628211U;
	free(text);
	return hash;
}

static void look(const struct worker *w)
{
	const struct control *c = w->control;
	const struct control_result *r = &c->results[0];
	struct seen seen;

	memset(&seen, 0, sizeof(seen));
	seen.schedule = r->schedule;
	seen.points = r->points;
	seen.output = printed(w);
	seen.outcome = r->outcome;
	seen.steps = r->steps;
	seen.wait_status = r->wait_status;
	if (!tally.made)
		tally.first = seen;
	tally.same += memcmp(&seen, &tally.first, sizeof(seen)) == 0;
	tally.made++;
	tally.outcome = r->outcome;
	tally.wait_status = r->wait_status;
	tally.is_told |=
		oracle_status(oracle_kind(r->outcome, r->wait_status)) ==
			EXIT_UNKNOWN ||
		atomic_load(&w->region->note_count) || c->run.children ||
		c->run.lost_count;
}

static void make_run(struct worker *w, struct control_ask *ask)
{
	struct err err;

	ask->runs = 1;
	if (worker_runs(w, ask, &err) < 0)
		give_up(err.text);
}

/* What a server has learned decides about points: all learn the same. */
static void learn(struct worker *w, struct control_ask *ask, double most)
{
	double begin = seconds();
	uint64_t i = 0;

	do {
		ask->seed = 100 + i++;
		make_run(w, ask);
	} while (learning ? i < learning :
			    i < LEARNING && seconds() - begin < most / 4);
	learning = i;
}

static void serve(const struct launch *launch, uint64_t runs, double most)
{
	struct control_ask ask = { .points_most = POINTS_MOST,
				   .hang_ms = HANG_MS,
				   .memory_most = MEMORY_MOST,
				   .processors = 2,
				   .flags = CONTROL_LEARN | CONTROL_STOP };
	struct worker w;
	struct err err;
	double begin;

	if (worker_start(&w, launch, 0, &err) < 0)
		give_up(err.text);
	learn(&w, &ask, most);
	ask.flags = CONTROL_STOP;
	ask.seed = 1;
	begin = seconds();
	for (uint64_t i = 0; i < runs && seconds() - begin < most; i++) {
		make_run(&w, &ask);
		look(&w);
	}
	worker_stop(&w);
}

int main(int argc, char **argv)
{
	struct launch launch = { .streams = { -1, -1, -1 }, .cpu = -1 };
	uint64_t runs;
	double most;

	if (argc < 4)
		give_up("usage: RUNS SECONDS PROGRAM [ARGUMENT...]");
	runs = strtoull(argv[1], NULL, 10);
	most = strtod(argv[2], NULL) / SERVERS;
	sigprocmask(SIG_SETMASK, NULL, &launch.mask);
	launch.argv = argv + 3;
	for (uint64_t i = 0; i < SERVERS; i++)
		serve(&launch, runs / SERVERS + (i < runs % SERVERS), most);
	printf("%" PRIu64 " %" PRIu64 " %s %s\n", tally.same, tally.made,
	       tally.is_told ? "told" : "-",
	       oracle_kind_text(oracle_kind(tally.outcome, tally.wait_status)));
	return 0;
}
