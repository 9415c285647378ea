/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/linear_again.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "linear/linear_verdict.h"
#include "trial/interrupts.h"

/* What is kept beside a struct again. */
struct linear_again {
	struct linear_spec spec;
	struct linear_inputs inputs;
	struct driver driver;
	struct linear_case of;
	bool is_server;
};

static char *beside(const struct repro *r, const char *name)
{
	return xasprintf("%s/%s", r->path, name);
}

static bool is_linear(const struct repro *r)
{
	char *path = beside(r, "spec");
	bool is = access(path, F_OK) == 0;

	free(path);
	return is;
}

/* Spec and requests as one: of the requests of the spec itself nothing is left
 * when the input came from a script. */
static int load_requests(struct linear_again *a, const struct repro *r,
			 struct err *err)
{
	char *path = beside(r, "requests");
	struct linear_spec requests = { 0 };
	size_t size;
	char *text = file_read(path, &size, err), *whole = NULL;
	int rc = -1;

	if (text) {
		whole = xasprintf("start -\nconnect tcp:-\n%s", text);
		rc = linear_spec_read(&requests, whole, path, err);
	}
	if (rc == 0)
		linear_inputs_add_spec(&a->inputs, &requests);
	if (rc == 0 && !a->inputs.all.count)
		rc = err_set(err, "%s has no requests", path);
	linear_spec_done(&requests);
	free(whole);
	free(text);
	free(path);
	return rc;
}

static int open_it(struct again *again, struct err *err)
{
	struct linear_again *a = xcalloc(1, sizeof(*a));
	const struct repro *r = again->repro;
	char *path = beside(r, "spec");
	int rc;

	again->of_kind = a;
	driver_init(&a->driver);
	rc = linear_spec_load(&a->spec, path, err);
	free(path);
	a->is_server = linear_spec_has_server(&a->spec);
	if (rc == 0 && a->is_server)
		rc = load_requests(a, r, err);
	if (rc == 0 && a->is_server) {
		a->of.input = &a->inputs.all.at[0];
		free(a->spec.here);
		a->spec.here = xstrdup(r->directory ? r->directory : ".");
	}
	return rc;
}

static int start(struct again *again, struct err *err)
{
	struct linear_again *a = again->of_kind;
	const struct repro *r = again->repro;
	struct driver_options o = {
		.spec = &a->spec,
		.argv = a->is_server ? NULL : again->argv,
		.guest = again->guest,
		.ask = { .points_most = r->points_most,
			 .hang_ms = r->hang_ms,
			 .processors = r->plan->processors },
		.cpu = 0,
		.is_fresh = r->is_exec,
	};

	interrupts_program_mask(&o.mask);
	if (r->directory && chdir(r->directory) < 0)
		return err_set(err, "cannot go to %s", r->directory);
	if (driver_start(&a->driver, &o, err) < 0)
		return -1;
	again->has_lent = true;
	if (linear_case_prepare(&a->of, &a->driver, &a->spec, err) < 0)
		return -1;
	driver_set(&a->driver, a->of.input, NULL, NULL);
	again->follower =
		(struct follower){ .worker = a->driver.worker, .ask = o.ask };
	again->follower.ask.strategy = STRATEGY_FOLLOW;
	again->follower.ask.runs = 1;
	return 0;
}

static int judge(struct again *again, const struct captured *run,
		 struct verdict *v, struct err *err)
{
	struct linear_again *a = again->of_kind;
	struct execution e = { 0 };
	int rc;

	e.seen = driver_take(&a->driver, false, 0, run->run.seed, err);
	if (!e.seen)
		return -1;
	rc = linear_case_judge_one(&a->of, &a->driver, &a->spec, e.seen,
				   &e.judged, err);
	if (rc == 0)
		linear_verdict(&a->of, &e, v);
	driver_set(&a->driver, a->of.input, NULL, NULL);
	judged_done(&e.judged);
	observed_free(e.seen);
	return rc;
}

static void close_it(struct again *again)
{
	struct linear_again *a = again->of_kind;

	linear_case_done(&a->of);
	driver_stop(&a->driver);
	linear_inputs_done(&a->inputs);
	linear_spec_done(&a->spec);
	free(a);
}

const struct again_kind linear_again_kind = {
	.is = is_linear,
	.open = open_it,
	.start = start,
	.judge = judge,
	.close = close_it,
};
