/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_locked_stream.c, put right.
 * expect: held */
#define FIXED
#include "bug_locked_stream.c"
