/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/again.h"

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

static void replay(struct evidence *e, struct again *a, uint32_t times)
{
	struct err err;

	for (uint32_t i = 0; i < times; i++) {
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
	if (is_the_run(a, run))
		e->witness = witness_read(a->trace, run, a->repro->plan, &err);
	else
		snprintf(err.text, sizeof(err.text), "%s",
			 a->follower.is_other ?
				 "the program was built anew, and does not "
				 "fail on this schedule any more" :
				 "it does not fail on this schedule any more");
	if (e->witness)
		e->culprit = culprit_find(e->witness);
	else
		note(e, err.text);
	captured_free(run);
}

/* With recording and without are two programs to the server, so two runs of
 * it. */
static void run_again(struct evidence *e, const char *store, const char *name,
		      uint32_t replays)
{
	struct again a;
	struct err err;
	int fd = memfd_create("heddle-events", MFD_CLOEXEC);
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (again_open(&a, store, name, false, &err) < 0) {
		note(e, err.text);
	} else {
		a.trace = path;
		if (again_start(&a, &err) < 0) {
			note(e, err.text);
		} else {
			testify(e, &a);
			if (e->witness && e->repro->outcome != OUTCOME_RACE) {
				tell_values(e, &a);
				a.follower.flags = 0;
			}
			if (e->witness)
				replay(e, &a, replays);
		}
	}
	again_close(&a);
	if (fd >= 0)
		close(fd);
}

void evidence_forget_located(struct evidence *e)
{
	json_decref(e->located);
	e->located = NULL;
}

void evidence_load_located(struct evidence *e)
{
	char *path = xasprintf("%s/located.json", e->repro->path);

	evidence_forget_located(e);
	e->located = json_load_file(path, 0, NULL);
	free(path);
	if (!json_is_object(e->located))
		evidence_forget_located(e);
}

int evidence_gather(struct evidence *e, const char *store, const char *name,
		    uint32_t replays, struct err *err)
{
	*e = (struct evidence){ 0 };
	e->repro = repro_load(store, name, err);
	if (!e->repro)
		return -1;
	evidence_load_located(e);
	run_again(e, store, name, replays);
	return 0;
}

void evidence_done(struct evidence *e)
{
	witness_free(e->witness);
	repro_free(e->repro);
	json_decref(e->located);
	free(e->note);
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
	};
}
