/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ACTIVITY_H
#define HEDDLE_ACTIVITY_H

/*
 * Which variable to decide next: the one that took part in most of the recent
 * conflicts. A heap of variable numbers, the most active on top; variables may
 * be in it or not. Old activity fades by making new activity count more.
 */

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct activity {
	VEC(double) score;   /* by variable */
	VEC(uint32_t) place; /* by variable, in the heap; ACTIVITY_OUT */
	VEC(uint32_t) heap;
	double step;
};

enum { ACTIVITY_OUT = 0xffffffff };

void activity_init(struct activity *a);
void activity_done(struct activity *a);

/* The next variable, in the heap, with no activity yet. */
void activity_grow(struct activity *a);

/* Puts a variable back; harmless where it is in. */
void activity_insert(struct activity *a, uint32_t variable);

/* Takes the most active one out; false: there is none. */
bool activity_pop(struct activity *a, uint32_t *variable);

void activity_bump(struct activity *a, uint32_t variable);
void activity_fade(struct activity *a);

#endif
