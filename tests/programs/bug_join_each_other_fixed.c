/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_join_each_other.c, put right.
 * expect: held */
#define FIXED
#include "bug_join_each_other.c"
