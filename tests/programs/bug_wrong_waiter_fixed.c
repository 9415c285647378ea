/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_wrong_waiter.c, put right.
 * expect: held */
#define FIXED
#include "bug_wrong_waiter.c"
