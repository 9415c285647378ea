/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As race_free, but the use comes too late.
 * race: heap
 */
#define LATE
#include "race_free.c"
