/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_KNOWN_RUNS_H
#define HEDDLE_KNOWN_RUNS_H

/*
 * All runs so far, as far as later questions need them: the histories of their
 * threads, found by what a thread read at a place of its history. A run that
 * is only planned is there as well, with the histories that it will have at
 * least, so that nobody else asks for it meanwhile.
 */

#include "analysis/keymap.h"
#include "explore/run_trace.h"

struct known_run {
	struct run_thread *threads; /* without lines, but counted */
	uint32_t thread_count;
	bool is_gone; /* a plan that has become a run */
};

struct known_link {
	uint32_t run, next;
};

struct known_runs {
	VEC(struct known_run) all;
	struct keymap first; /* by read: place in `links`, from 1 */
	VEC(struct known_link) links;
	struct keymap classes;
};

void known_runs_done(struct known_runs *k);

/* The name of a read: a thread, its history, and what it got. */
uint64_t known_read(uint32_t thread, uint64_t history, uint64_t got);

/* Adds a run; returns its number. */
uint32_t known_runs_add(struct known_runs *k, const struct run_trace *t);

/* Adds a plan: the first `counts` lines of each thread of t, and thread
 * `thread` reads `got` behind them. */
uint32_t known_runs_plan(struct known_runs *k, const struct run_trace *t,
			 const uint32_t *counts, uint32_t thread, uint64_t got);

/* Did the run that was added last read that? */
bool known_runs_shows(const struct known_runs *k, uint32_t run, uint64_t read);

void known_runs_forget(struct known_runs *k, uint32_t run);

/* Is this what another run has done in all threads? If not, it is now. */
bool known_runs_has_class(struct known_runs *k, const struct run_trace *t);

#endif
