/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the causal model takes for one question: can this read get that
 * value? Random traces; every question about each, one solver a trace. Time is
 * that of the processor, so that other programs do not count.
 *
 *	bench_order [threads events locations locks [traces [z3]]]
 *
 * Without arguments: 4 threads, 8 locations, 3 locks, 4 values, with 10, 30,
 * 100 and 300 events a thread.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../tests/unit/random_run.h"
#include "base/vec.h"
#include "explore/causal.h"

struct times {
	double *at;
	size_t count, room;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double quantile(const struct times *t, double q)
{
	return t->count ? t->at[(size_t)((double)(t->count - 1) * q)] : 0;
}

struct total {
	struct times times;
	double making;
	uint64_t yes, unknown, wrong;
};

static void ask_all(const struct causal_trace *trace, enum solver_kind kind,
		    struct total *total)
{
	const struct causal_target *targets;
	struct causal_schedule schedule = { 0 };
	struct err err;
	double begin = now();
	struct causal *m = causal_new(trace, kind, &err);
	size_t count;

	if (!m) {
		fprintf(stderr, "bench_order: %s\n", err.text);
		exit(2);
	}
	count = causal_targets(m, &targets);
	total->making += now() - begin;
	for (size_t i = 0; i < count; i++) {
		begin = now();
		causal_ask(m, &targets[i], NULL, 0, &schedule);
		vec_push(&total->times, now() - begin);
	}
	total->yes += causal_counts(m)->yes;
	total->unknown += causal_counts(m)->unknown;
	total->wrong += causal_counts(m)->wrong;
	causal_free(m);
	vec_free(&schedule);
}

static long memory_most(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024;
}

static int measure(struct run_size size, uint64_t traces, enum solver_kind kind)
{
	struct total total = { 0 };
	struct causal_trace trace;

	for (uint64_t seed = 0; seed < traces; seed++) {
		run_make(&trace, size, seed);
		ask_all(&trace, kind, &total);
		causal_trace_done(&trace);
	}
	qsort(total.times.at, total.times.count, sizeof(double), compare);
	printf("| %u x %u | %u | %zu | %.0f %% | %.1f | %.3f | %.3f | %.3f | "
	       "%ld |\n",
	       size.threads, size.events, size.locations, total.times.count,
	       total.times.count ?
		       100.0 * (double)total.yes / (double)total.times.count :
		       0,
	       total.making / (double)traces, quantile(&total.times, 0.5),
	       quantile(&total.times, 0.95), quantile(&total.times, 1),
	       memory_most());
	fflush(stdout);
	vec_free(&total.times);
	return total.wrong || total.unknown;
}

static uint32_t number(int argc, char **argv, int i, uint32_t otherwise)
{
	return argc > i ? (uint32_t)atoi(argv[i]) : otherwise;
}

int main(int argc, char **argv)
{
	static const struct {
		uint32_t events;
		uint64_t traces;
	} rows[] = { { 10, 100 }, { 30, 30 }, { 100, 8 }, { 300, 1 } };
	struct run_size size = { .threads = number(argc, argv, 1, 4),
				 .events = number(argc, argv, 2, 0),
				 .locations = number(argc, argv, 3, 8),
				 .values = 4,
				 .locks = number(argc, argv, 4, 3) };
	enum solver_kind kind =
		argc > 6 && !strcmp(argv[6], "z3") ? SOLVER_Z3 : SOLVER_ORDER;
	int failed = 0;

	printf("| events | locations | questions | yes | model, ms | median, ms "
	       "| 95 %%, ms | most, ms | MiB |\n"
	       "|---|---|---|---|---|---|---|---|---|\n");
	if (size.events)
		return measure(size, number(argc, argv, 5, 1), kind);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size.events = rows[i].events;
		failed |= measure(size, rows[i].traces, kind);
	}
	return failed;
}
