/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DRAIN_H
#define HEDDLE_DRAIN_H

/*
 * The tool's side of the region: makes it, and carries its slots into a trace.
 *
 * Slots are taken in the order in which their threads filled them. One that was
 * filled behind our back comes later, and the trace puts it right. Tables
 * are written after slots were seen FULL and before their events are, so that
 * everything an event refers to stands before it in the file.
 */

#include "base/err.h"
#include "format/region.h"
#include "trace/trace.h"

#include <stdbool.h>

struct drain {
	struct region *region;
	int fd;			     /* of the region, close-on-exec */
	struct trace_writer *writer; /* NULL after the first failed write */
	struct err error;	     /* why */
};

MUST_USE int drain_init(struct drain *d, enum region_mode mode, uint32_t flags,
			struct err *err);
void drain_done(struct drain *d);

/* Sleeps until the guest may have filled a slot since `seen` was read from
 * full_slots, or for a tenth of a second. */
void drain_wait(struct drain *d, uint32_t seen);

/* Takes every FULL slot, and makes it FREE. */
void drain_full(struct drain *d);

/* Takes what is left when no thread of the program runs any more. */
void drain_rest(struct drain *d);

/* The same, and the end of the trace: of a run that was under control. */
MUST_USE int drain_finish(struct drain *d, struct err *err);

#endif
