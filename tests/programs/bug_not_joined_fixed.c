/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_not_joined.c, put right.
 * expect: held */
#define FIXED
#include "bug_not_joined.c"
