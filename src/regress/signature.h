/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SIGNATURE_H
#define HEDDLE_SIGNATURE_H

/*
 * The signature of a bug: two to four events in whose order the bug lies (Lu,
 * Park, Seo and Zhou found that four are enough for nearly all). It is what is
 * left of a failing schedule when all is taken away that belongs to one build
 * of the program: it can be looked for in the next version, where the schedule
 * itself fits no more.
 *
 * Each event says where it was in several ways, from the most exact to the
 * most lasting: offset in the file, function and offset, line and its text,
 * call stack. Which objects and threads the events have is told as a pattern:
 * equal numbers are the same object, the same thread.
 *
 * A repro has its signatures in the file `signature` (docs/formats.md), the
 * best first. They own their strings.
 */

#include "base/err.h"
#include "base/vec.h"
#include "format/hunt.h"

#include <stdio.h>

enum { SIGNATURE_VERSION = 1 };

struct signature_event {
	uint8_t kind; /* enum event_kind */
	uint32_t thread, object;
	char *module;	  /* name of its file, without directories */
	uint64_t address; /* in the file: where the hook's call returns to */
	char *function;	  /* whose line it is; may have been inlined into */
	char *holder;	  /* the one whose code it is in, at: */
	uint64_t offset;
	char *file; /* of the line; "" where unknown, as all that follow */
	uint32_t line;
	char *source;	    /* the text of the line */
	char *variable;	    /* what was accessed */
	VEC(char *) frames; /* functions of the call stack, innermost first */
};

struct signature {
	struct signature_event events[HUNT_EVENTS];
	uint32_t count;
	uint32_t tried, triggered; /* runs of the program it was taken from */
	bool is_cycle;		   /* of locks; known while it is found out */
};

struct signatures {
	VEC(struct signature) all;
};

void signature_done(struct signature *s);
void signatures_done(struct signatures *s);

/* Is there one of the same places, operations and patterns? */
bool signatures_have(const struct signatures *all, const struct signature *s);

/* A function as hunt.h has it. */
uint32_t function_hash(const char *name);

/* "write", "lock": what the event did, in one word. */
const char *operation_text(const struct signature_event *e);

/* ---- signature_text.c: the file ---- */

void signatures_write(const struct signatures *s, FILE *out);
MUST_USE int signatures_read(struct signatures *s, const char *text,
			     size_t size, const char *name, struct err *err);

/* In the directory of a repro. Reading gives 0 signatures, and no error, when
 * there is no such file. */
MUST_USE int signatures_save(const struct signatures *s, const char *directory,
			     struct err *err);
MUST_USE int signatures_load(struct signatures *s, const char *directory,
			     struct err *err);

#endif
