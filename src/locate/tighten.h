/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TIGHTEN_H
#define HEDDLE_TIGHTEN_H

/*
 * Couples whose accesses are nearer to each other than those of a confirmed
 * couple. A pair is told once for a run, with its first occurrence, so where
 * loops are not followed two pairs may seem to have met in a passing run that
 * were in different rounds there; procedure III then misses their couple and
 * finds one with an access a little before or behind. The nearer couple is
 * worth an experiment.
 */

#include "locate/suspect.h"

/* Adds couples of one of the suspect's pairs and another of the failing run
 * that leads back, nearest first. */
void tighten(const struct suspect *s, const struct pair_run *failing,
	     const struct positions *at, struct suspects *nearer);

#endif
