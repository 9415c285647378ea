/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SEEDS_H
#define HEDDLE_SEEDS_H

/*
 * How many seeds a property test tries: as many as it names, or a tenth of them
 * where HEDDLE_FEW_SEEDS is set: under valgrind and ASan, which look at every
 * instruction and learn little from the same code run once more.
 */

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t seeds(uint64_t wanted)
{
	if (!getenv("HEDDLE_FEW_SEEDS"))
		return wanted;
	return wanted < 20 ? 2 : wanted / 10;
}

#endif
