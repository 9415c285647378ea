/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_early_thread.c, put right.
 * expect: held */
#define FIXED
#include "bug_early_thread.c"
