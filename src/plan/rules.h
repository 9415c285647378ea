/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RULES_H
#define HEDDLE_RULES_H

/*
 * The rules of a plan: events that should happen in an order, as
 * format/force.h has them, but with places that mean the same in every
 * process. An analysis makes them of what it found (CTrigger's interleavings,
 * races, lock cycles, the signature of a bug), a run is given them.
 *
 * Rules own their strings. rules_push takes over what it is given.
 */

#include "base/vec.h"
#include "format/force.h"

#include <stdbool.h>
#include <stdio.h>

enum { NO_MODULE = 0xffffffff };

struct rule_event {
	uint32_t module;  /* of the plan */
	uint64_t address; /* in the module's file */
	uint32_t stack;	  /* hash of the calls that lead there; 0: any */
	uint8_t kinds;	  /* enum force_kind; 0: any */
	uint8_t thread;	  /* label */
	uint8_t object;	  /* label, or FORCE_ANY_OBJECT */
	uint8_t flags;	  /* enum force_event_flag */
	char *where;	  /* for people; NULL: unknown */
};

struct rule {
	uint32_t count; /* of events, 2 to FORCE_EVENTS */
	uint32_t hold_us;
	uint32_t holds;
	struct rule_event events[FORCE_EVENTS];
	char *note; /* for people: what it is about; may be NULL */
};

struct rules {
	VEC(struct rule) all;
	uint32_t window; /* rules obeyed in one run; 0: all */
	bool is_free;	 /* on all processors, not under control */
	uint32_t flags;	 /* enum force_flag */
	uint32_t noise_chance, noise_us;
};

void rules_push(struct rules *r, struct rule rule);
void rules_copy(struct rules *to, const struct rules *from);
void rules_done(struct rules *r);

bool rules_are_equal(const struct rules *a, const struct rules *b);

/* Is there anything to obey? */
bool rules_are_there(const struct rules *r);

/* What an event does, in words: "read", "read+write", "any". */
void rule_kinds_write(const struct rule_event *e, FILE *out);

/* ---- the text form, as lines of a plan ---- */

struct text_line;

void rules_write(const struct rules *r, FILE *out);

/* A line that begins with `word`: 1 when it was a line of rules, 0 when it is
 * not, -1 when it is wrong. The plan has so many modules. */
int rules_read_line(struct rules *r, struct text_line *line, const char *word,
		    size_t modules);

/* Are they whole, now that all lines are read? -1: no. */
int rules_check(const struct rules *r, struct text_line *line);

#endif
