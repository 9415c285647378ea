/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PLAYER_H
#define HEDDLE_PLAYER_H

/*
 * The player is all the clients of a server under control, and answers the run
 * whenever it asks (format/linear_block.h). One connection of its own is for
 * set-up and probes; each client has another. It goes through phases, one step
 * whenever the server is idle: get ready, set up, let the clients connect,
 * requests, probes, state, stop. Requests are sent to all clients before the
 * server sees any of them; or one by one in a given order, for a serial
 * execution.
 *
 * It is a thread of its own, as long as its worker lives; whoever makes a run
 * says before what is to be played (player_set), and afterwards takes what was
 * seen (player_take). A run that begins while nothing was set, or again, is
 * played as the one before.
 */

#include "base/err.h"
#include "format/linear_block.h"
#include "linear/linear_input.h"
#include "linear/observed.h"
#include "linear/stage.h"

#include <pthread.h>
#include <stdatomic.h>

/* What is not the tested schedule's fault. */
enum player_trouble {
	PLAYER_FINE,
	PLAYER_NOT_READY, /* nothing listens */
	PLAYER_SILENT,	  /* idle, and a request has no reply */
	PLAYER_LATE,	  /* busy for too long */
	PLAYER_DEAF,	  /* it does not stop */
};

struct connection {
	int fd; /* -1: none */
	bool is_closed;
	struct blob got;
};

struct player {
	const struct linear_spec *spec;
	char *address; /* with its placeholders filled in */
	bool listens;  /* its socket is there before the first run */
	struct stage *stage;
	struct linear_block *block;
	_Atomic bool *stop; /* set to have a run given up */
	_Atomic uint32_t *guest_pid;
	_Atomic uint32_t *is_played;
	const _Atomic uint64_t *points; /* of the run, so far */

	pthread_t thread;
	uint32_t said; /* words that were there before it began */
	bool is_started;
	_Atomic bool is_over;

	pthread_mutex_t lock; /* of all that follows */
	const struct linear_input *input;
	const uint32_t *order; /* NULL: all at once */
	bool is_playing;
	int phase;
	uint32_t at;	   /* within the phase */
	uint32_t patience; /* times that time may still pass */
	uint32_t clock;
	double asked_at;
	double cpu_at, cpu; /* what the server had computed by then */
	struct connection own;
	VEC(struct connection) clients;
	VEC(uint32_t) next; /* of each client: its next request */
	struct observed *seen;
	enum player_trouble trouble;
	char *words; /* what about */
};

MUST_USE int player_start(struct player *p, const struct linear_spec *spec,
			  struct stage *stage, const char *address,
			  struct linear_block *block, struct err *err);
void player_stop(struct player *p);

/* What the next run plays; both must live until it is over. */
void player_set(struct player *p, const struct linear_input *input,
		const uint32_t *order);

/* What was seen; the caller frees. Everything is closed. */
struct observed *player_take(struct player *p, enum player_trouble *trouble,
			     char **words);

/* Was the server ready, in the run before? */
bool player_was_ready(const struct player *p);
/* Was it told to stop? */
bool player_was_stopping(const struct player *p);

#endif
