/* SPDX-License-Identifier: Apache-2.0 */
/* As bug_rwlock_upgrade.c, put right.
 * expect: held */
#define FIXED
#include "bug_rwlock_upgrade.c"
