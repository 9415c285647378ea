/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_if_for_while.c, put right.
 * expect: held */
#define FIXED
#include "bug_if_for_while.c"
