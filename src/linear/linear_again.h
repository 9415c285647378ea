/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_AGAIN_H
#define HEDDLE_LINEAR_AGAIN_H

/*
 * A kept failure of heddle linear, run again. Its clients are played around
 * runs that follow plans, and what was seen is compared with serial executions
 * made anew. The driver's worker is lent to the follower.
 */

#include "store/again.h"

extern const struct again_kind linear_again_kind;

#endif
