/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_EDGES_H
#define HEDDLE_SITE_EDGES_H

/*
 * The addresses of a module's code at which the answer to "which line, which
 * functions" may change: where lines, functions and inlined calls begin and
 * end. Ascending, each once.
 */

#include "trace/site_module.h"

struct edges {
	uint64_t *at;
	size_t count, room;
};

/* The module has been opened. The caller frees out->at. */
void module_edges(struct site_module *m, struct edges *out);

#endif
