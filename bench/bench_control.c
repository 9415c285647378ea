/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast runs under control are.
 *
 *	bench_control [-n ROUNDS] TURNS BARE [FILE]
 *
 * TURNS is bench/programs/turns.c as `heddle cc` builds it, BARE is bare.c as
 * gcc does. Measured on one processor, all in turns, several rounds; ratios are
 * made within a round and the median of the rounds counts:
 *
 *   bare    a loop that forks, starts two threads, hands over between them by
 *           futex as often as the program switches, and waits
 *   served  runs by the fork server, random walk
 *   fresh   each run a process of its own, started by the tool
 *
 * Seconds are those of the processor, all processes together, so that other
 * load on the machine does not count. On an idle one they are those of the
 * wall: one processor does everything and never waits.
 *
 * The cost of a point is the slope between runs of few and of many points: with
 * PCT of depth 1, where nothing switches, and with round robin, where every
 * point does; beside that of a bare hand-over.
 *
 * FILE gets the numbers of every round, a JSON object for each series.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trial/worker.h"

enum {
	CPU = 0,
	ROUNDS_MOST = 64,
	LEARNING = 4,
	RUNS = 1000, /* of the small program in one round */
	FRESH_RUNS = 100,
	FEW = 1000, /* points, for the slope */
	MANY_SWITCHES = 21000,
	MANY = 2001000,
	SLOPE_RUNS = 20,
};

static int rounds = 9;
static FILE *each; /* or NULL */

static _Noreturn void give_up(const char *text)
{
	fprintf(stderr, "bench_control: %s\n", text);
	exit(2);
}

/* ---- numbers of all rounds ---- */

struct series {
	double at[ROUNDS_MOST];
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const struct series *s)
{
	struct series sorted = *s;

	qsort(sorted.at, (size_t)rounds, sizeof(double), compare);
	return sorted.at[rounds / 2];
}

static void keep(const char *name, const struct series *s)
{
	if (!each)
		return;
	fprintf(each, "{\"name\":\"%s\",\"rounds\":[", name);
	for (int i = 0; i < rounds; i++)
		fprintf(each, "%s%.9g", i ? "," : "", s->at[i]);
	fputs("]}\n", each);
}

/* ---- bare ---- */

struct bare {
	double run, handover; /* seconds */
};

static struct bare bare(const char *program, double switches)
{
	struct bare b = { 0 };
	char command[4096];
	FILE *out;

	snprintf(command, sizeof(command), "'%s' %d %.0f", program, RUNS,
		 switches);
	out = popen(command, "r");
	if (!out || fscanf(out, "%lf %lf", &b.run, &b.handover) != 2 ||
	    pclose(out) != 0)
		give_up("the bare loop does not run");
	return b;
}

/* ---- under control ---- */

struct rate {
	double runs;			  /* a second */
	double points, switches, seconds; /* of one run */
};

/* A worker, and the words it starts its program with. */
struct bench {
	struct worker worker;
	char threads[24], points[24];
	char *argv[4];
};

static struct bench *start(char *program, int threads, long points,
			   bool is_fresh)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct launch launch = { .streams = { -1, -1, -1 },
				 .is_fresh = is_fresh };
	struct control_ask ask = { .flags = CONTROL_LEARN,
				   .points_most = UINT64_MAX,
				   .runs = 1 };
	struct err err;

	if (!b)
		give_up("no memory");
	snprintf(b->threads, sizeof(b->threads), "%d", threads);
	snprintf(b->points, sizeof(b->points), "%ld", points);
	b->argv[0] = program;
	b->argv[1] = b->threads;
	b->argv[2] = b->points;
	launch.argv = b->argv;
	sigprocmask(SIG_SETMASK, NULL, &launch.mask);
	if (worker_start(&b->worker, &launch, CPU, &err) < 0)
		give_up(err.text);
	for (; ask.seed < LEARNING; ask.seed++)
		if (worker_runs(&b->worker, &ask, &err) < 0)
			give_up(err.text);
	return b;
}

static void stop(struct bench *b)
{
	worker_stop(&b->worker);
	free(b);
}

/* Processor seconds of everything that belongs to the worker so far: of its
 * server and the runs it has waited for, or of processes we waited for. */
static double worked(const struct worker *w)
{
	unsigned long ticks[4];
	char path[64], text[1024];
	struct rusage u;
	FILE *file;
	size_t n;

	if (w->is_fresh) {
		getrusage(RUSAGE_CHILDREN, &u);
		return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", w->server);
	file = fopen(path, "r");
	n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[n] = '\0';
	if (!n || !strrchr(text, ')') ||
	    sscanf(strrchr(text, ')') + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu "
		   "%lu",
		   &ticks[0], &ticks[1], &ticks[2], &ticks[3]) != 4)
		give_up("the server's time cannot be read");
	fclose(file);
	return (double)(ticks[0] + ticks[1] + ticks[2] + ticks[3]) /
	       (double)sysconf(_SC_CLK_TCK);
}

static struct rate measure(struct bench *b, enum strategy_id strategy,
			   uint32_t runs)
{
	struct control_ask ask = { .strategy = strategy,
				   .depth = 1,
				   .length = 1,
				   .points_most = UINT64_MAX,
				   .runs = runs };
	const struct control *c = b->worker.control;
	uint64_t points = 0, switches = 0, done = 0;
	double took, begin = worked(&b->worker);
	struct err err;

	while (done < runs) {
		ask.seed = done;
		ask.runs = runs - (uint32_t)done;
		if (worker_runs(&b->worker, &ask, &err) < 0)
			give_up(err.text);
		for (uint32_t i = 0; i < c->result_count; i++) {
			const struct control_result *r = &c->results[i];

			if (r->outcome || r->wait_status)
				give_up("the program failed");
			points += r->points;
			switches += r->switches;
		}
		done += c->result_count;
	}
	took = worked(&b->worker) - begin;
	return (struct rate){ .runs = runs / took,
			      .points = (double)points / runs,
			      .switches = (double)switches / runs,
			      .seconds = took / runs };
}

/* ---- tables ---- */

static void row(const char *title, double value, const char *unit, double bar,
		bool at_least)
{
	bool kept = at_least ? value >= bar : value <= bar;

	printf("| %s | %.2f %s | %s %.2f | %s |\n", title, value, unit,
	       at_least ? "at least" : "at most", bar,
	       kept ? "kept" : "**missed**");
}

static void table_rates(char *program, const char *loop)
{
	struct bench *w = start(program, 2, 90, false);
	struct bench *fresh = start(program, 2, 90, true);
	struct series of_bare, of_fresh, rate_bare, rate_served, rate_fresh;
	struct rate served = measure(w, STRATEGY_RANDOM, RUNS);

	for (int i = 0; i < rounds; i++) {
		rate_bare.at[i] = 1 / bare(loop, served.switches).run;
		served = measure(w, STRATEGY_RANDOM, RUNS);
		rate_served.at[i] = served.runs;
		rate_fresh.at[i] =
			measure(fresh, STRATEGY_RANDOM, FRESH_RUNS).runs;
		of_bare.at[i] = served.runs / rate_bare.at[i];
		of_fresh.at[i] = served.runs / rate_fresh.at[i];
	}
	printf("Two threads, %.0f points and %.0f switches: %.0f schedules a "
	       "second served, %.0f by the bare loop, %.0f started afresh.\n\n"
	       "| | measured | | |\n|---|---|---|---|\n",
	       served.points, served.switches, median(&rate_served),
	       median(&rate_bare), median(&rate_fresh));
	row("schedules, served / bare loop", median(&of_bare), "", 0.7, true);
	row("schedules, served / started afresh", median(&of_fresh), "", 1.5,
	    true);
	keep("bare loop, runs a second", &rate_bare);
	keep("served, runs a second", &rate_served);
	keep("fresh, runs a second", &rate_fresh);
	stop(w);
	stop(fresh);
}

/* Seconds that one more point takes. */
static double slope(struct bench *few, struct bench *many,
		    enum strategy_id strategy)
{
	struct rate a = measure(few, strategy, SLOPE_RUNS);
	struct rate b = measure(many, strategy, SLOPE_RUNS);

	return (b.seconds - a.seconds) / (b.points - a.points);
}

static void table_points(char *program, const char *loop)
{
	struct bench *few = start(program, 2, FEW, false);
	struct bench *many = start(program, 2, MANY, false);
	struct bench *often = start(program, 2, MANY_SWITCHES, false);
	struct series point, handover, of_handover;

	for (int i = 0; i < rounds; i++) {
		point.at[i] = 1e9 * slope(few, many, STRATEGY_PCT);
		handover.at[i] = bare(loop, 2).handover;
		of_handover.at[i] =
			slope(few, often, STRATEGY_ROUND) / handover.at[i];
	}
	row("a point without a switch", median(&point), "ns", 60, false);
	row("a switch / a bare hand-over", median(&of_handover), "", 1.3,
	    false);
	printf("\nA bare hand-over took %.2f us.\n", 1e6 * median(&handover));
	keep("a point without a switch, ns", &point);
	keep("a bare hand-over, s", &handover);
	keep("a switch / a bare hand-over", &of_handover);
	stop(few);
	stop(many);
	stop(often);
}

static void table_scale(char *program)
{
	static const int threads[] = { 2, 8, 64 };
	static const long points[] = { 100, 1000, 10000 };

	printf("\nSchedules a second, and microseconds a point, by random "
	       "walk:\n\n| threads | about 100 points | 1,000 | 10,000 |\n"
	       "|---|---|---|---|\n");
	for (int i = 0; i < 3; i++) {
		printf("| %d |", threads[i]);
		for (int k = 0; k < 3; k++) {
			struct bench *w =
				start(program, threads[i], points[k], false);
			struct rate r = measure(w, STRATEGY_RANDOM, 100);

			printf(" %.0f, %.2f |", r.runs,
			       1e6 * r.seconds / r.points);
			stop(w);
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "-n") == 0) {
		rounds = atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc < 3 || argc > 4 || rounds < 1 || rounds > ROUNDS_MOST)
		give_up("usage: [-n ROUNDS] TURNS BARE [FILE]");
	if (argc == 4 && !(each = fopen(argv[3], "w")))
		give_up("cannot write the file");
	table_rates(argv[1], argv[2]);
	table_points(argv[1], argv[2]);
	table_scale(argv[1]);
	if (each && fclose(each) != 0)
		give_up("cannot write the file");
	return 0;
}
