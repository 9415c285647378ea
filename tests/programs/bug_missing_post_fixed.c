/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_missing_post.c, put right.
 * expect: held */
#define FIXED
#include "bug_missing_post.c"
