/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cli/linear_keep.h"
#include "locate/locate.h"
#include "store/again.h"
#include "trial/interrupts.h"

/* A run with another check than the user's cannot be judged; that it went the
 * same way is known by its schedule. */
static bool is_the_run(struct again *a, const struct captured *run)
{
	return again_is_same(run, a) ||
	       (a->repro->check.count &&
		run->run.schedule == a->repro->schedule);
}

static void note(struct evidence *e, const char *why)
{
	if (!e->note)
		e->note = xasprintf("It could not be run again: %s. What is "
				    "shown was kept when it was found.",
				    why);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static bool is_enough(const struct evidence *e, uint64_t began,
		      const struct evidence_replays *r)
{
	if (e->times >= r->most || interrupts_came())
		return true;
	return e->times >= EVIDENCE_REPLAYS_LEAST && now_ms() - began >= r->ms;
}

static void replay(struct evidence *e, struct again *a,
		   struct evidence_replays replays)
{
	uint64_t began = now_ms();
	struct err err;

	while (!is_enough(e, began, &replays)) {
		struct captured *run =
			follower_run(&a->follower, a->repro->plan, false, &err);

		if (!run)
			return;
		e->times++;
		e->same += is_the_run(a, run);
		captured_free(run);
	}
}

/* Another run of the same schedule, which tells values. It must have gone the
 * same way, or its values are of something else. */
static void tell_values(struct evidence *e, struct again *a)
{
	const struct traced_area *t = &a->follower.worker.region->traced;
	struct captured *run;
	struct err err;

	a->follower.flags = CONTROL_VALUES;
	run = follower_run(&a->follower, a->repro->plan, false, &err);
	if (run && is_the_run(a, run) && t->count <= TRACED_MOST)
		witness_set_values(e->witness, t->entries, t->count);
	captured_free(run);
}

static void testify(struct evidence *e, struct again *a)
{
	struct err err;
	struct captured *run =
		follower_run(&a->follower, a->repro->plan, false, &err);

	if (!run) {
		note(e, err.text);
		return;
	}
	if (is_the_run(a, run) && run->errors_size)
		e->errors =
			xasprintf("%.*s", (int)run->errors_size, run->errors);
	if (is_the_run(a, run))
		e->witness = witness_read(a->trace, run, a->repro->plan, &err);
	else
		snprintf(err.text, sizeof(err.text), "%s",
			 a->follower.is_other ?
				 "the program was built anew, and does not "
				 "fail on this schedule any more" :
				 "it does not fail on this schedule any more");
	/* A race is known, and does no harm that steps would have to explain:
	 * the guess would be of something else. */
	if (e->witness && e->repro->outcome != OUTCOME_RACE)
		e->culprit = culprit_find(e->witness);
	if (!e->witness)
		note(e, err.text);
	captured_free(run);
}

static void testify_fully(struct evidence *e, struct again *a,
			  struct evidence_replays replays)
{
	/* It comes at a rate, and there is no schedule to show. */
	if (rules_are_there(&a->repro->plan->rules)) {
		e->note = xstrdup("It is kept by rules, which hold threads up, "
				  "and has no schedule whose steps could be "
				  "shown.");
		replay(e, a, replays);
		return;
	}
	testify(e, a);
	if (!e->witness)
		return;
	if (e->repro->outcome != OUTCOME_RACE) {
		tell_values(e, a);
		a->follower.flags = 0;
	}
	replay(e, a, replays);
}

/* A failure of a kind of its own is shown by what was kept of it: its runs do
 * not leave events. */
static void run_again(struct evidence *e, const char *store, const char *name,
		      struct evidence_replays replays)
{
	struct again a;
	struct err err;
	int fd = memfd_create("heddle-events", MFD_CLOEXEC);
	char path[40];
	int rc = again_open(&a, store, name, false, &err);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (rc == 0) {
		a.trace = a.kind ? NULL : path;
		rc = again_start(&a, &err);
	}
	if (rc < 0)
		note(e, err.text);
	else if (a.kind)
		replay(e, &a, replays);
	else
		testify_fully(e, &a, replays);
	again_close(&a);
	if (fd >= 0)
		close(fd);
}

void evidence_forget_located(struct evidence *e)
{
	json_decref(e->located);
	e->located = NULL;
}

/* NULL: there is no such thing beside the failure. */
static json_t *load(const struct evidence *e, const char *name)
{
	char *path = xasprintf("%s/%s", e->repro->path, name);
	json_t *j = json_load_file(path, 0, NULL);

	free(path);
	if (json_is_object(j))
		return j;
	json_decref(j);
	return NULL;
}

void evidence_load_located(struct evidence *e)
{
	evidence_forget_located(e);
	e->located = load(e, LOCATE_FILE ".json");
}

int evidence_gather(struct evidence *e, const char *store, const char *name,
		    struct evidence_replays replays, struct err *err)
{
	*e = (struct evidence){ 0 };
	e->repro = repro_load(store, name, err);
	if (!e->repro)
		return -1;
	evidence_load_located(e);
	e->linear = load(e, LINEAR_FILE);
	run_again(e, store, name, replays);
	return 0;
}

void evidence_done(struct evidence *e)
{
	witness_free(e->witness);
	repro_free(e->repro);
	json_decref(e->located);
	json_decref(e->linear);
	free(e->note);
	free(e->errors);
}

struct document_bug evidence_bug(const struct evidence *e)
{
	return (struct document_bug){
		.repro = e->repro,
		.witness = e->witness,
		.culprit = e->culprit,
		.note = e->note,
		.same = e->same,
		.times = e->times,
		.located = e->located,
		.linear = e->linear,
	};
}
