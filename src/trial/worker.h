/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WORKER_H
#define HEDDLE_WORKER_H

/*
 * A worker makes runs of one program under control: it is a fork server (the
 * program, stopped before main; format/control_block.h) and the memory shared
 * with it. A campaign has one or more, each on a processor of its own, each
 * driven by one thread of the tool.
 *
 * worker_runs asks for runs and sleeps until they are made, or one of them
 * ended in a way to be looked at: then everything about that run is in
 * `control` and in the tables of `region`, and what it printed in the streams,
 * until the next request.
 *
 * A worker that is *fresh* has no server: each run is a process started for it
 * alone. That is slower by far and right for programs that change files, and
 * for those that cannot be forked before main.
 */

#include "base/err.h"
#include "format/region.h"
#include "trial/drain.h"
#include "trial/launch.h"
#include "trial/racing.h"
#include "trial/scratch.h"

#include <stdbool.h>

enum worker_stream {
	WORKER_OUTPUT, /* standard output */
	WORKER_ERRORS, /* standard error */
	WORKER_STREAMS,
};

/* What a run may print to each of them; more is refused. */
enum { WORKER_STREAM_MOST = 16 << 20 };

struct worker {
	struct drain drain; /* owns the region */
	struct region *region;
	struct control *control;
	struct launch launch;	/* what is run, filled in for this worker */
	pid_t server;		/* -1: gone, or none */
	bool is_fresh;		/* as asked, or because it cannot be forked */
	char *why_fresh;	/* if so */
	bool is_never_ready;	/* it ends before, or is late, so runs begin
				   before main */
	struct scratch scratch; /* of fresh runs, if wanted */
	struct racing races;	/* of the last run, if it was recorded */
	int input;		/* standard input of runs */
	int streams[WORKER_STREAMS]; /* memory files: what the last run of the
					server, or the last run, printed */
};

/* `launch` says what to run; its region, streams and processor are filled in
 * here: launch->streams[0] is a file that every run reads from its beginning,
 * or -1 for none. */
MUST_USE int worker_start(struct worker *w, const struct launch *launch,
			  int cpu, struct err *err);

/* Makes ask->runs runs, fewer if one is to be looked at (a fresh worker makes
 * one). -1 when the server is gone or the request was given up; results that
 * were made before are there all the same. */
MUST_USE int worker_runs(struct worker *w, const struct control_ask *ask,
			 struct err *err);

/* One run, with its events: *trace (closed by the caller) is whole however the
 * run ended. ask->flags must have CONTROL_RECORD. */
MUST_USE int worker_record(struct worker *w, const struct control_ask *ask,
			   struct trace **trace, struct err *err);

/* What the last run printed, with a zero byte behind; the caller frees. */
char *worker_printed(const struct worker *w, enum worker_stream stream,
		     size_t *size);

/* Is the run that is waited for since so long to be given up? As launch.stop
 * says; or because of an interrupt, where those are held: then a run that takes
 * a moment only is still made, so that whoever was interrupted can finish what
 * it has. */
bool worker_is_stopped(const struct worker *w, uint64_t waited_ms);

/* Milliseconds between two looks at a run. */
long worker_tick(const struct worker *w);

/* The program has ended with `status`, and our library was not inside. Returns
 * -1. */
int worker_no_guest(const struct worker *w, int status, struct err *err);

void worker_stop(struct worker *w);

#endif
