/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_APIECE_H
#define HEDDLE_APIECE_H

/*
 * What every thread has one of, by its number, in one table. Each part belongs
 * to the file it is named after, and nobody else looks at it.
 *
 * They lie side by side because a run under control is a young process: every
 * page that it touches first costs it as much as dozens of points, and with a
 * table for each part a run of two threads touched eight of them where it now
 * touches one. The table comes from guest_map(), so runs begin with an empty
 * one.
 */

#include "runtime/runtime.h"

#include <pthread.h>
#include <signal.h>

/* Can thread `number`, which stands before `object`, go on? */
typedef bool turn_can(uint32_t number, uint64_t object);

struct apiece_roster {
	pthread_t id;
	uint32_t next; /* number plus 1, 0: last */
	uint32_t state;
};

struct apiece_turn {
	struct thread *thread;
	turn_can *can;
	uint32_t waiter; /* its place among the waiting, when `can` is set */
	bool fired;
	bool disturbed; /* signal_control.c has something for it */
	uint32_t visit; /* of the site it stands at */
	/* Not of the thread: lists of numbers, in order. */
	uint32_t eligible_at; /* that can go on */
	uint32_t waiter_at;   /* whose event depends on an object */
};

struct apiece_spin {
	uint64_t changes; /* when the present streak began */
	uint64_t streak;  /* points since */
	uint64_t passes;  /* of marks, since */
	uint64_t locks;	  /* a hash over what it holds */
	/* The mark. */
	uint64_t object, hash, mark_at;
	uint32_t site, looks;
	/* When it is proven to spin: how long its loop is, and where it was
	 * last seen to close. */
	bool proven;
	uint64_t cycle, closed_at;
	uint64_t rounds; /* closed so far */
	/* Wake-ups by time. */
	uint64_t fires, fires_changes;
};

struct apiece_signal {
	struct due *first;
	uint64_t mask;
	uint64_t wanted; /* by sigwait and its like */
	siginfo_t *wanted_to;
	uint64_t pending; /* given to the kernel by us, perhaps taken since */
	uint32_t ran;	  /* handlers, so far */
	uint32_t ran_before; /* the signals that the thread lets in now */
	int raised;	     /* the thread raises this now */
	bool lets_in;
	bool restarts;
	bool is_atomic; /* what is let in now was blocked before the wait */
	bool is_own;	/* all handlers that ran last: sent by the program */
};

struct apiece_cancel {
	bool asked;    /* and not acted on */
	bool told;     /* libc knows */
	bool disabled; /* the thread does not let itself be cancelled */
	bool at_once;  /* its type is asynchronous */
};

struct apiece {
	struct thread *life; /* while somebody may ask for it */
	struct apiece_roster roster;
	struct apiece_turn turn;
	struct apiece_spin spin;
	struct apiece_signal signal;
	struct apiece_cancel cancel;
} __attribute__((aligned(64)));

#pragma GCC visibility push(hidden)

/* REGION_THREADS of them; NULL before the first thread. */
extern struct apiece *apiece;

/* False when there is no memory. */
bool apiece_prepare(void);

#pragma GCC visibility pop

#endif
