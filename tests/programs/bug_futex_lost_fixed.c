/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_futex_lost.c, put right.
 * expect: held */
#define FIXED
#include "bug_futex_lost.c"
