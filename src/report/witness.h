/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WITNESS_H
#define HEDDLE_WITNESS_H

/*
 * A failing run as a witness tells it: what each thread did, one step after
 * the other, where in the source, to which memory, holding which locks. It is
 * made of the recorded events of a run under control, where one thread runs at
 * a time, so that the order of steps is the order in which things happened.
 *
 * Places, locations and sets of locks are numbers into tables, since steps are
 * many and these are few. Strings belong to the witness. A value is what the
 * memory held before the access, where that was recorded: what a read got; what
 * a write put there is known from the next access to the same bytes.
 */

#include "base/err.h"
#include "base/vec.h"
#include "format/traced.h"
#include "plan/plan.h"
#include "trace/location.h"
#include "trial/captured.h"

#include <stdbool.h>
#include <stdint.h>

enum { WITNESS_NONE = 0xffffffff };

/* A place in the source; a stack of them is a list from the inside. */
struct witness_place {
	const char *function, *file; /* NULL: unknown */
	int line, column;
	uint32_t outer; /* the place of the call, or WITNESS_NONE */
};

struct witness_location {
	char *name; /* "balance", "heap block of 64 bytes ..., +8" */
	enum location_kind kind;
	uint64_t address, size;
	bool is_shared; /* two threads used it, and one wrote */
};

struct witness_step {
	uint32_t thread;
	uint32_t place;	   /* WITNESS_NONE: unknown */
	uint32_t location; /* of an access, or the object; WITNESS_NONE */
	uint32_t held;	   /* set of locks, 0: none */
	uint64_t address, size;
	uint64_t argument; /* as in event.def */
	uint64_t before, after;
	uint8_t kind; /* enum event_kind */
	bool has_before, has_after;
};

/* Why the turn passed before a step. */
struct witness_switch {
	uint32_t step; /* the first one of the thread that went on */
	uint32_t from, to;
	uint8_t what; /* enum step_what; STEP_WHATS: not known */
};

/* A set of locks: one more than another set. */
struct witness_held {
	uint32_t outer;
	uint32_t location;
	uint32_t place; /* where it was taken */
	const char *word;
};

/* A thread that could not go on when the run ended. */
struct witness_hold {
	uint32_t location, place;
};

struct witness_wait {
	uint32_t thread;
	uint8_t kind; /* enum event_kind: what it stood before */
	uint32_t location, place;
	uint32_t joins; /* the thread it waits for, or WITNESS_NONE */
	VEC(struct witness_hold) holds;
};

struct witness {
	VEC(char *) threads; /* names */
	VEC(struct witness_place) places;
	VEC(struct witness_location) locations;
	VEC(struct witness_held) held; /* 0: the empty set */
	VEC(struct witness_step) steps;
	VEC(struct witness_switch) switches;
	VEC(struct witness_wait) waits;
	uint64_t left_out; /* steps beyond WITNESS_STEPS */

	struct trace *trace; /* what strings belong to */
	struct sites *sites;
};

/* More steps than these nobody can look at: the last ones are kept. */
enum { WITNESS_STEPS = 500000 };

/* `trace`: the events of the run `run`, which followed `plan`. */
MUST_USE struct witness *witness_read(const char *trace,
				      const struct captured *run,
				      const struct plan *plan, struct err *err);
void witness_free(struct witness *w);

/* An access to memory, plain or atomic, and whether it writes. */
bool witness_is_access(const struct witness_step *s);
bool witness_writes(const struct witness_step *s);
bool witness_reads(const struct witness_step *s);

/* ---- witness_values.c ---- */

/* `lines` are those of another run of the same schedule. */
void witness_set_values(struct witness *w, const struct traced *lines,
			size_t count);

/* A value of so many bytes for people: "-1", "0x7ffff7d8a010"; the caller
 * frees. */
char *witness_value(uint64_t value, uint64_t size);

/* ---- witness_tables.c: for witness.c ---- */

struct witness_tables;

struct witness_tables *witness_tables_new(struct witness *w);
void witness_tables_free(struct witness_tables *t);
uint32_t witness_place(struct witness_tables *t, uint32_t stack);
uint32_t witness_location(struct witness_tables *t,
			  const struct location *where, uint64_t addr,
			  uint64_t size);

#endif
