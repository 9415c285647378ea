/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TERMINAL_H
#define HEDDLE_TERMINAL_H

#include <stddef.h>

/* Columns of the terminal that standard output is; 0: it is none, and lines may
 * be long. */
size_t terminal_width(void);

#endif
