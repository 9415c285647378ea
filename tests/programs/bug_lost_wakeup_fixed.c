/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_lost_wakeup.c, put right.
 * expect: held */
#define FIXED
#include "bug_lost_wakeup.c"
