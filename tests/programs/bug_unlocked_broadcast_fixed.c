/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_unlocked_broadcast.c, put right.
 * expect: held */
#define FIXED
#include "bug_unlocked_broadcast.c"
