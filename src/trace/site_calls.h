/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_CALLS_H
#define HEDDLE_SITE_CALLS_H

/*
 * The calls that a function makes, found by disassembling it. Hooks and
 * operations of synchronisation are calls, and "the second call of this line
 * of this function" is a name that outlives a rebuild, where an address does
 * not.
 */

#include "trace/site_module.h"

struct addresses {
	uint64_t *at;
	size_t count, room;
};

/* Appends where the calls of the function of this symbol return to, as file
 * addresses, ascending; the caller frees. Where the function begins, or
 * UINT64_MAX: there is none. */
uint64_t module_calls(struct site_module *m, const char *symbol,
		      struct addresses *out);

#endif
