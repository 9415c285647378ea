/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_free_variable.c, put right.
 * expect: held */
#define FIXED
#include "bug_free_variable.c"
