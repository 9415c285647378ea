/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_WRITTEN_RUN_H
#define HEDDLE_WRITTEN_RUN_H

/*
 * Traces written down event by event.
 */

#include <string.h>

#include "explore/causal_trace.h"

static inline void written_init(struct causal_trace *t, uint32_t threads,
				uint32_t locks, uint32_t locations)
{
	memset(t, 0, sizeof(*t));
	t->threads = threads;
	t->locks = locks;
	t->conditions = 1;
	for (uint32_t i = 0; i < locations; i++)
		vec_push(&t->initial, 0);
}

static inline uint32_t written_sync(struct causal_trace *t, uint32_t thread,
				    enum causal_kind kind, uint32_t object)
{
	return causal_trace_add(
		t, (struct causal_event){ .kind = kind,
					  .thread = thread,
					  .object = object,
					  .wakes = CAUSAL_NOBODY });
}

static inline uint32_t written_access(struct causal_trace *t, uint32_t thread,
				      enum causal_kind kind, uint32_t location,
				      uint64_t was, uint64_t becomes)
{
	struct causal_event e = { .kind = kind,
				  .thread = thread,
				  .wakes = CAUSAL_NOBODY,
				  .part = (uint32_t)t->parts.count,
				  .parts = 1 };

	vec_push(&t->parts, (struct causal_part){ location, was, becomes });
	return causal_trace_add(t, e);
}

static inline uint32_t written_read(struct causal_trace *t, uint32_t thread,
				    uint32_t location, uint64_t value)
{
	return written_access(t, thread, CAUSAL_READ, location, value, 0);
}

static inline uint32_t written_write(struct causal_trace *t, uint32_t thread,
				     uint32_t location, uint64_t value)
{
	return written_access(t, thread, CAUSAL_WRITE, location, 0, value);
}

#endif
