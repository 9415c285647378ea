/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_static_recursion.cc, put right.
 * expect: held */
#define FIXED
#include "bug_static_recursion.cc"
