/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RACE_GROUPS_H
#define HEDDLE_RACE_GROUPS_H

/*
 * Races that a person would fix together: on one variable, or on blocks
 * allocated at one place, between the same two functions. A structure that two
 * functions use without a lock is one mistake, however many members it has.
 */

#include "report/report.h"

/* For each race of the report, the first one of its group: itself, or one with
 * a smaller index. The caller frees. */
size_t *race_groups(const struct report *r);

/* How much of a location's name (location_name) names the object, without the
 * place in it: "heap block of 64 bytes allocated at list.c:31". */
size_t race_object_length(const char *name);

#endif
