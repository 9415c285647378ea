/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DRIVER_H
#define HEDDLE_DRIVER_H

/*
 * Makes executions of the tested program, concurrent and serial, by the same
 * engine: a worker (trial/worker.h) and, for a server, a player. In process the
 * program's own threads make the requests, and a serial execution lets them in
 * one at a time.
 *
 * A server is started once and forked for each run: where it calls
 * heddle_ready, or else where it first listens and all its threads wait. If
 * that cannot be done, runs begin before main; and if that cannot be done
 * either, each is started afresh.
 *
 * A driver belongs to one thread.
 */

#include "base/err.h"
#include "linear/observed.h"
#include "linear/player.h"
#include "trial/captured.h"
#include "trial/program.h"
#include "trial/worker.h"

struct driver {
	const struct linear_spec *spec; /* may be NULL in process */
	bool is_server;
	struct program program;
	VEC(char *) words; /* what is started; NULL at the end */
	struct stage stage;
	struct player player;
	struct worker worker;
	struct control_ask ask; /* limits and strategy */
	_Atomic bool stop;	/* set by anybody to have it give up */
	bool has_learned;
	char *why_early; /* runs do not begin where it is ready; or NULL */
	uint64_t made;	 /* runs */
};

struct driver_options {
	const struct linear_spec *spec;
	char *const *argv; /* in process; else NULL */
	const char *guest;
	struct control_ask ask;
	sigset_t mask;
	int cpu;
	bool is_fresh; /* start the program for every run */
};

/* One that was not started, and can be stopped. */
void driver_init(struct driver *d);

/* driver_stop in any case. */
MUST_USE int driver_start(struct driver *d, const struct driver_options *o,
			  struct err *err);
void driver_stop(struct driver *d);

/* One execution. `input` is NULL in process. With an order it is serial: of
 * the input's requests, or of those of `like`. The result is the caller's; NULL
 * when something is wrong that no schedule is to blame for. */
MUST_USE struct observed *driver_run(struct driver *d,
				     const struct linear_input *input,
				     const struct control_ask *ask,
				     const uint32_t *order,
				     const struct observed *like,
				     struct err *err);

/* The same for a run that somebody else makes with the driver's worker, a
 * follower: what is played in it and in those that come after, and what was
 * seen; rc is how it went. */
void driver_set(struct driver *d, const struct linear_input *input,
		const uint32_t *order, const struct observed *like);
MUST_USE struct observed *driver_take(struct driver *d, bool is_serial, int rc,
				      uint64_t seed, struct err *err);

/* Says what was wrong with a run that is no finding. */
int driver_trouble(const struct driver *d, enum player_trouble trouble,
		   const char *words, struct err *err);

/* The first few runs: which places touch shared memory. */
MUST_USE int driver_learn(struct driver *d, const struct linear_input *input,
			  struct err *err);

#endif
