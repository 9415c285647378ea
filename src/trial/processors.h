/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PROCESSORS_H
#define HEDDLE_PROCESSORS_H

/*
 * The processors this process may use, for workers that have one each: in the
 * order of their numbers, but from the present one on, so that two campaigns of
 * one worker each do not meet on the first.
 */

#include <stdint.h>

/* The caller frees *cpus; it has at least one, -1 when nothing is known. */
uint32_t processors_find(int **cpus);

#endif
