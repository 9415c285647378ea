/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_pause_late.c, put right.
 * expect: held */
#define FIXED
#include "bug_pause_late.c"
