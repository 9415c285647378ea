/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_locate PAIRS RUNS SEED: made-up runs of so many pairs each, and
 * how long procedures I and II take over all of them, and III at the level of
 * loops; with the memory it took. One JSON object.
 *
 * bench_locate saved DIR: how long it takes to read the runs that heddle locate
 * saved there, and then to apply procedure I, II, and III at each level, up to
 * the first that finds something; and Falcon. One JSON object.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/xalloc.h"
#include "format/rng.h"
#include "locate/saved_runs.h"
#include "locate/suspect.h"

enum {
	THREADS = 8,
	ITERATION = 64, /* accesses */
	ITERATIONS = 1000,
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Every run has nearly all of the pairs, between threads and in iterations of
 * its own; the failing one has some more. */
static struct pair_run *make_run(struct rng *rng, uint32_t pairs, bool fails)
{
	struct pair_run *run = pair_run_new();
	uint32_t kinds = fails ? pairs + 20 : pairs;

	for (uint32_t i = 0; i < kinds; i++) {
		uint32_t count =
			2 * ITERATION + rng_below(rng, ITERATIONS * ITERATION);
		uint16_t from = (uint16_t)rng_below(rng, THREADS);
		uint16_t on = (uint16_t)(1 + rng_below(rng, THREADS - 1));
		struct pair_line p = {
			.head = { .place = 1 + i % 50021,
				  .thread = from,
				  .kind = PAIR_READ,
				  .loop = (uint16_t)(1 + i % 7),
				  .count = count,
				  .began = count - count % ITERATION },
			.tail = { .place = 1 + i / 7,
				  .thread = (uint16_t)((from + on) % THREADS),
				  .kind = PAIR_WRITE,
				  .loop = (uint16_t)(1 + i % 5),
				  .count = count / 2,
				  .began = count / 2 - count / 2 % ITERATION },
			.addr = UINT64_C(8) * (i % 9973),
			.first = i + 1,
			.times = 1,
		};

		if (!fails && rng_below(rng, 20) == 0)
			continue;
		vec_push(&run->pairs, p);
	}
	return run;
}

static int analyse(uint32_t pairs, uint32_t runs, uint64_t seed)
{
	bool loops = pairs <= 20000;
	struct spectrum *s = spectrum_new(LEVEL_PC, runs, loops);
	struct rng rng = rng_fork(seed, 1);
	struct suspects found[3] = { 0 };
	double read = 0, took[3] = { 0 };
	struct rusage usage;

	for (uint32_t i = 0; i <= runs; i++) {
		struct pair_run *run = make_run(&rng, pairs, i == 0);
		double began = now();

		if (i)
			spectrum_pass(s, run);
		else
			spectrum_fail(s, run);
		read += now() - began;
		pair_run_free(run);
	}
	for (int p = 0; p < (loops ? 3 : 2); p++) {
		double began = now();

		if (p == 0)
			procedure_one(s, &found[p]);
		else if (p == 1)
			procedure_two(s, &found[p]);
		else
			procedure_three(s, LEVEL_LOOP, &found[p]);
		took[p] = now() - began;
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("{\"pairs\":%" PRIu32 ",\"runs\":%" PRIu32
	       ",\"digest_s\":%.3f,\"one_s\":%.3f,\"two_s\":%.3f,"
	       "\"three_s\":%.3f,\"suspects\":[%zu,%zu,%zu],\"rss_mib\":%ld}\n",
	       pairs, runs, read, took[0], took[1], took[2], found[0].all.count,
	       found[1].all.count, found[2].all.count, usage.ru_maxrss / 1024);
	for (int p = 0; p < 3; p++)
		suspects_done(&found[p]);
	spectrum_free(s);
	return 0;
}

/* ---- saved runs ---- */

static void localise(const struct gathered *g, enum procedure procedure,
		     enum level level, struct suspects *found)
{
	struct spectrum *s = spectrum_new(LEVEL_PC, (uint32_t)g->passing.count,
					  procedure == PROCEDURE_III);

	spectrum_fail(s, g->failing);
	for (size_t i = 0; i < g->passing.count; i++)
		spectrum_pass(s, g->passing.at[i]);
	if (procedure == PROCEDURE_I)
		procedure_one(s, found);
	else if (procedure == PROCEDURE_II)
		procedure_two(s, found);
	else
		procedure_three(s, level, found);
	spectrum_free(s);
}

static void localise_all(const struct gathered *g, struct suspects *found)
{
	static const struct {
		enum procedure procedure;
		enum level level;
	} stages[] = { { PROCEDURE_I, LEVEL_PC },
		       { PROCEDURE_II, LEVEL_PC },
		       { PROCEDURE_III, LEVEL_PC },
		       { PROCEDURE_III, LEVEL_THREAD },
		       { PROCEDURE_III, LEVEL_LOOP } };

	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		localise(g, stages[i].procedure, stages[i].level, found);
		if (found->all.count)
			return;
	}
}

static void time_saved(const struct gathered *g, double reading)
{
	struct suspects ours = { 0 }, falcon = { 0 };
	double began = now(), middle;

	localise_all(g, &ours);
	middle = now();
	procedure_falcon(g->failing,
			 (const struct pair_run *const *)g->passing.at,
			 g->passing.count, &falcon);
	printf("{\"passing\":%zu,\"read_s\":%.6f,\"localise_s\":%.6f,"
	       "\"falcon_s\":%.6f,\"suspects\":%zu,\"patterns\":%zu}\n",
	       g->passing.count, reading, middle - began, now() - middle,
	       ours.all.count, falcon.all.count);
	suspects_done(&ours);
	suspects_done(&falcon);
}

static int analyse_saved(const char *dir)
{
	char *pass = xasprintf("%s/pass", dir);
	char *fail = xasprintf("%s/fail", dir);
	struct gathered g = { .names = pair_names_new() };
	struct err err = { 0 };
	double began = now();
	int rc = saved_runs_read(&g, pass, fail, &err);

	if (rc == 0)
		time_saved(&g, now() - began);
	else
		fprintf(stderr, "bench_locate: %s\n", err.text);
	gathered_done(&g);
	free(pass);
	free(fail);
	return rc == 0 ? 0 : 2;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "saved") == 0)
		return analyse_saved(argv[2]);
	if (argc == 4)
		return analyse((uint32_t)strtoul(argv[1], NULL, 10),
			       (uint32_t)strtoul(argv[2], NULL, 10),
			       strtoul(argv[3], NULL, 10));
	fputs("usage: bench_locate PAIRS RUNS SEED | saved DIR\n", stderr);
	return 2;
}
