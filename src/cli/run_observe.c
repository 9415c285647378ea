/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_modes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "format/verdict.h"
#include "store/store.h"
#include "trial/trial.h"

/* Where the trace of this run goes. */
struct place {
	const char *trace;
	struct store_run run; /* name NULL: --trace named a file */
};

static int place_init(struct place *p, const struct run_options *o,
		      char *const *argv, struct err *err)
{
	*p = (struct place){ .trace = o->trace, .run.lock = -1 };
	if (o->trace)
		return 0;
	if (store_run_new(&p->run, o->store, argv, err) < 0)
		return -1;
	p->trace = p->run.trace;
	return 0;
}

static int place_finish(struct place *p, const struct run_options *o,
			const struct ending *ending, struct err *err)
{
	char *verdict;
	int rc;

	if (!p->run.name)
		return 0;
	verdict = xasprintf("%s: %s", verdict_text(ending->verdict),
			    ending->text);
	rc = store_run_finish(&p->run, verdict, err);
	free(verdict);
	return rc < 0 ? -1 : store_tidy(o->store, o->keep, err);
}

/* What heddle show is to be given to see this run again. */
static char *show_name(const struct place *p, const struct run_options *o)
{
	if (!p->run.name)
		return xstrdup(p->trace);
	if (strcmp(o->store, STORE_DEFAULT) == 0)
		return xstrdup(p->run.name);
	return xasprintf("--store %s %s", o->store, p->run.name);
}

static int check_result(const struct trial_result *r, const char *program,
			struct err *err)
{
	if (!r->attached)
		return err_set(err,
			       "%s %s, but nothing of it was seen: heddle's "
			       "library did not get in (is it set-user-id, or "
			       "does it start others?)",
			       program, r->ending.text);
	return 0;
}

/* A trace that could not be written to its end is still worth a look. */
static int view_result(const struct place *p, const struct run_options *o,
		       const struct trial_result *r, struct err *err)
{
	char *name = show_name(p, o);
	struct view view = { .options = &o->view,
			     .path = p->trace,
			     .name = name,
			     .is_after_program = true };
	int rc = view_trace(&view, err);

	free(name);
	if (!r->trace_is_whole) {
		*err = r->trace_error;
		err_add(err, "the program ran, but its trace is cut off");
		return -1;
	}
	return rc;
}

static int observe(const struct run_options *o, struct place *p,
		   const char *guest, char **argv, struct err *err)
{
	struct trial trial = { .argv = argv,
			       .trace = p->trace,
			       .guest = guest,
			       .record_all = o->all,
			       .time_limit = o->time };
	struct trial_result result;

	if (trial_run(&trial, &result, err) < 0) {
		if (p->run.name)
			store_run_discard(&p->run);
		return -1;
	}
	log_info("%s %s", argv[0], result.ending.text);
	if (check_result(&result, argv[0], err) < 0) {
		if (p->run.name)
			store_run_discard(&p->run);
		return -1;
	}
	if (place_finish(p, o, &result.ending, err) < 0)
		return -1;
	return view_result(p, o, &result, err);
}

int run_observe(const struct run_options *o, const char *guest, char **argv,
		struct err *err)
{
	struct place place;
	int rc;

	if (place_init(&place, o, argv, err) < 0)
		return -1;
	rc = observe(o, &place, guest, argv, err);
	store_run_done(&place.run);
	return rc;
}
