/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_barrier_count.c, put right.
 * expect: held */
#define FIXED
#include "bug_barrier_count.c"
