/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_LINE_H
#define HEDDLE_SITE_LINE_H

/*
 * From an address of code to the places in the source it came from: the line
 * of the innermost inlined function, then each place that called it, and last
 * the function that holds the code.
 */

#include "trace/site.h"
#include "trace/site_module.h"

/* Files are named as the compiler recorded them. */
struct frames {
	struct frame *at;
	size_t count, room;
};

/* Appends at least one frame: of a module that is not known it says no more
 * than the address. */
void module_frames(struct site_module *m, uint64_t addr, struct frames *out);

/* Code that an optimiser moved belongs to no line. Gives the innermost frame
 * of such an address the line where its function begins. */
void frame_at_function(struct site_module *m, uint64_t addr,
		       struct frame *frame);

#endif
