/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program once, free, and collects its access pairs as heddle locate
 * does.
 *
 *	bench_pairs [-l] [-v] PROGRAM [ARGUMENT...]
 *
 * What the program prints is printed. -l: with loops, for which the program
 * must be built (heddle cc --loops). -v: says on standard error how many
 * different pairs there were, and how often they came.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trial/free_run.h"

enum { LIMIT_MS = 300000 };

static void say(const struct region *r)
{
	fprintf(stderr,
		"%" PRIu32 " pairs, %" PRIu64 " times, %" PRIu32 " lost\n",
		r->pairs.count, pairs_times(&r->pairs), r->pairs.lost);
}

int main(int argc, char **argv)
{
	struct launch launch = { .cpu = -1, .streams = { -1, -1, -1 } };
	struct free_runs f;
	struct err err = { 0 };
	struct code_loops loops;
	bool is_told = false, has_loops = false;
	char *text;
	size_t size;
	int c, status;

	while ((c = getopt(argc, argv, "+lv")) > 0) {
		has_loops |= c == 'l';
		is_told |= c == 'v';
	}
	if (optind >= argc) {
		fputs("usage: bench_pairs [-l] [-v] PROGRAM [ARGUMENT...]\n",
		      stderr);
		return 2;
	}
	launch.argv = argv + optind;
	launch.program = argv[optind];
	sigprocmask(SIG_BLOCK, NULL, &launch.mask);
	free_runs_init(&f, &launch, LIMIT_MS, PAIRS_STACKS);
	code_loops_init(&loops, has_loops ? argv[optind] : "/dev/null");
	if (has_loops && !loops.has_hooks) {
		fprintf(stderr, "bench_pairs: %s has no hooks for loops\n",
			argv[optind]);
		return 2;
	}
	f.loops = has_loops ? &loops : NULL;
	if (free_run(&f, 0, 1, &err) < 0) {
		fprintf(stderr, "bench_pairs: %s\n", err.text);
		return 2;
	}
	text = free_run_printed(&f, &size);
	fwrite(text, 1, size, stdout);
	free(text);
	if (is_told)
		say(f.drain.region);
	status = f.wait_status;
	free_runs_done(&f);
	code_loops_done(&loops);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
