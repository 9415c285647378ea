/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_STATES_H
#define HEDDLE_SITE_STATES_H

/*
 * What a worker's runs have learned of the program's sites (enum site_state),
 * copied out of the region.
 *
 * The table has a byte for each byte of code of every module, most of it never
 * touched: the region is a sparse file, and reading a hole in it makes the
 * kernel fill it. On a program of a page of code that was eight megabytes, and
 * took ten times as long as the run. So only what is there is copied.
 */

#include "trial/worker.h"

/* Of all sites of all modules; the caller frees. */
uint8_t *site_states_take(const struct worker *w, uint32_t *count);

/* Lets a worker know what another one has learned of the same program. */
void site_states_give(struct worker *w, const uint8_t *states, uint32_t count);

#endif
