/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/quote.h"
#include "store/again.h"
#include "cli/debugger.h"
#include "cli/verb.h"
#include "store/store.h"
#include "trial/interrupts.h"

struct replay_options {
	const char *store;
	uint64_t times;
	bool gdb;
	bool allow_check;
};

static const struct replay_options replay_defaults = {
	.store = STORE_DEFAULT,
	.times = 1,
};

static const struct arg replay_options[] = {
	ARG_NUMBER(struct replay_options, times, "times", 'n', "N",
		   "do it N times and count"),
	ARG_FLAG(struct replay_options, gdb, "gdb", 0,
		 "stop in gdb where it fails, the schedule still in force"),
	ARG_FLAG(struct replay_options, allow_check, "allow-check", 0,
		 "run the check command that the repro brings"),
	ARG_PATH(struct replay_options, store, "store", 0, "DIR",
		 "look in DIR (.heddle)"),
	ARG_END,
};

/* How one replay went. */
enum replayed {
	REPLAYED_SAME,	  /* same failure, same schedule */
	REPLAYED_SIMILAR, /* same failure, another schedule */
	REPLAYED_PRINTED, /* both, but another output */
	REPLAYED_OTHER,	  /* another failure */
	REPLAYED_HELD,	  /* nothing failed */
	REPLAYED_UNKNOWN, /* diverged, or not controlled */
};

static bool is_same_schedule(const struct captured *run,
			     const struct repro *repro)
{
	struct plan *taken = captured_plan(run);
	bool is_same = plan_is_equal(taken, repro->plan);

	plan_free(taken);
	return is_same;
}

static bool is_same_output(const struct captured *run, const struct repro *r)
{
	return run->output_size == r->output_size &&
	       memcmp(run->output, r->output, r->output_size) == 0;
}

static enum replayed compare(const struct again *a, const struct captured *run,
			     const struct verdict *v)
{
	if (v->status == EXIT_UNKNOWN)
		return REPLAYED_UNKNOWN;
	if (v->status == EXIT_HELD)
		return REPLAYED_HELD;
	if (!again_is_kept_one(a, v))
		return REPLAYED_OTHER;
	/* A perturbed run has no schedule, and prints as its threads happen to
	 * meet. */
	if (a->repro->plan->rules.is_free)
		return REPLAYED_SAME;
	if (!is_same_schedule(run, a->repro))
		return REPLAYED_SIMILAR;
	return a->kind || a->is_rebuilt || is_same_output(run, a->repro) ?
		       REPLAYED_SAME :
		       REPLAYED_PRINTED;
}

/* Is that where it is run, because we are there or it does not exist? */
static bool is_here(const char *directory)
{
	struct stat there, here;

	if (!directory || stat(directory, &there) < 0)
		return true;
	return stat(".", &here) == 0 && here.st_ino == there.st_ino &&
	       here.st_dev == there.st_dev;
}

/* A program with a path of its own is another one in another place. */
static void print_command(const struct repro *r)
{
	fprintf(stderr, "replaying %s:", r->name);
	for (size_t i = 0; i < r->arguments.count; i++) {
		fputc(' ', stderr);
		quote_word(r->arguments.at[i], stderr);
	}
	if (!is_here(r->directory)) {
		fputs(" (in ", stderr);
		quote_word(r->directory, stderr);
		fputc(')', stderr);
	}
	fputc('\n', stderr);
}

static void print_moved(const struct again *a)
{
	fputs("the program was built anew since", stdout);
	if (a->lost)
		printf("; %zu of the %zu steps %s no place in it", a->lost,
		       a->repro->plan->steps.count,
		       a->lost == 1 ? "has" : "have");
	putchar('\n');
}

/* The first run that is not like the others is told in full. */
static void print_run(const struct again *a, const struct verdict *v,
		      enum replayed how)
{
	if (v->status == EXIT_HELD)
		puts(verdict_text(v->status));
	else
		printf("%s: %s\n", verdict_text(v->status), v->text);
	if (v->details && *v->details)
		fputs(v->details, stdout);
	if (how == REPLAYED_OTHER)
		printf("this is another failure than the one kept: %s\n",
		       a->repro->verdict);
	if (how == REPLAYED_SIMILAR)
		puts("the schedule was another than the one kept");
	if (how == REPLAYED_PRINTED)
		puts("the output was another than the one kept");
	if (how == REPLAYED_HELD)
		printf("it did not fail as it had: %s\n", a->repro->verdict);
	if (a->is_rebuilt)
		print_moved(a);
}

/* What the run before was like. */
struct before {
	bool is_there;
	enum replayed how;
	uint64_t key;
	struct verdict verdict;
};

/* Is everything that a verdict is made of known to be as it was? */
static bool is_alike(const struct again *a, const struct before *b,
		     uint64_t key)
{
	return b->is_there && b->key == key && !a->kind &&
	       !a->outputs.expected && !a->outputs.check.count &&
	       a->repro->outcome != OUTCOME_RACE;
}

/* Names of places take longer than a run, so they are looked up only when it
 * ended otherwise than the one before. */
static int judge(struct again *a, const struct captured *run, struct before *b,
		 struct err *err)
{
	uint64_t key = oracle_key(a->follower.worker.region, NULL);
	struct verdict v;

	if (is_alike(a, b, key))
		return 0;
	if (again_judge(a, run, &v, err) < 0)
		return -1;
	if (b->is_there)
		verdict_done(&b->verdict);
	b->verdict = v;
	b->key = key;
	return 0;
}

static int replay_once(struct again *a, struct before *b, struct err *err)
{
	struct captured *run =
		follower_run(&a->follower, a->repro->plan, false, err);
	enum replayed how;
	int rc;

	if (!run)
		return -1;
	rc = judge(a, run, b, err);
	if (rc == 0) {
		how = compare(a, run, &b->verdict);
		if (!b->is_there || how != b->how)
			print_run(a, &b->verdict, how);
		b->how = how;
		b->is_there = true;
	}
	captured_free(run);
	return rc;
}

/* What is kept by rules comes at a rate; once is enough to have come again. */
static int status_of(const uint64_t *counts, uint64_t times, bool by_rules)
{
	if (counts[REPLAYED_SAME] == times ||
	    (by_rules && counts[REPLAYED_SAME]))
		return EXIT_BROKEN;
	if (counts[REPLAYED_HELD] == times)
		return EXIT_HELD;
	if (counts[REPLAYED_OTHER] + counts[REPLAYED_SIMILAR] +
		    counts[REPLAYED_PRINTED] + counts[REPLAYED_SAME] ==
	    times)
		return EXIT_BROKEN;
	return EXIT_UNKNOWN;
}

/* How many there were until an interrupt, or all; -1 when one of them could not
 * be made, or there was none. */
static int64_t replays(struct again *a, uint64_t times, uint64_t *counts,
		       struct err *err)
{
	struct before b = { 0 };
	uint64_t made = 0;
	int rc = 0;

	while (made < times && rc == 0 && !(made && interrupts_came())) {
		rc = replay_once(a, &b, err);
		if (rc == 0) {
			counts[b.how]++;
			made++;
		}
	}
	if (b.is_there)
		verdict_done(&b.verdict);
	return rc < 0 && !(made && interrupts_came()) ? -1 : (int64_t)made;
}

static int replay(struct again *a, uint64_t times, struct err *err)
{
	uint64_t counts[REPLAYED_UNKNOWN + 1] = { 0 };
	int64_t made;
	int status;

	if (again_start(a, err) < 0 || again_fit(a, err) < 0)
		return -1;
	made = replays(a, times, counts, err);
	if (made < 0)
		return -1;
	if (times > 1 || counts[REPLAYED_SAME])
		printf("reproduced %llu of %lld",
		       (unsigned long long)counts[REPLAYED_SAME],
		       (long long)made);
	if ((uint64_t)made < times)
		printf(", interrupted by SIG%s",
		       sigabbrev_np(interrupts_came()));
	if (times > 1 || counts[REPLAYED_SAME])
		putchar('\n');
	status = status_of(counts, (uint64_t)made,
			   a->repro->plan->rules.is_free);
	/* That it held is not known of those that were not made. */
	return status == EXIT_HELD && (uint64_t)made < times ? EXIT_UNKNOWN :
							       status;
}

static int cmd_replay(const void *values, int argc, char **argv,
		      struct err *err)
{
	const struct replay_options *o = values;
	struct again a;
	int rc = -1;

	if (argc > 1)
		return err_set(err, "one failure at a time: %s is one too many",
			       argv[1]);
	if (!o->times)
		return err_set(err, "--times 0 would show nothing");
	if (again_open(&a, o->store, argv[0], o->allow_check, err) == 0) {
		print_command(a.repro);
		rc = o->gdb ? debugger_run(&a, err) : replay(&a, o->times, err);
	}
	again_close(&a);
	return rc;
}

const struct verb verb_replay = {
	.name = "replay",
	.summary = "see a kept failure again, exactly",
	.synopsis = "[OPTION...] NAME",
	.flags = VERB_OPERANDS | VERB_NEEDS_ONE | VERB_NAMES | VERB_LASTS,
	.options = replay_options,
	.defaults = &replay_defaults,
	.options_size = sizeof(struct replay_options),
	.run = cmd_replay,
};
