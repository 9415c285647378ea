/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_EVENT_BYTES_H
#define HEDDLE_EVENT_BYTES_H

/*
 * What a chunk's header says of its events, read off their encoded bytes. The
 * bytes come from memory that the tested program can write to, so they need not
 * be events at all.
 */

#include <stddef.h>
#include <stdint.h>

/* How many events the bytes hold, up to the first that is none. Decodes all of
 * them: whoever knows the number already should not ask. */
uint32_t event_bytes_count(const uint8_t *bytes, size_t size);

/* No event has a stamp below this. A thread's first slot begins with stamp 0;
 * its first event says more, and lets the reader leave the chunk alone until
 * then. */
uint64_t event_bytes_least_stamp(uint64_t first_stamp, const uint8_t *bytes,
				 size_t size);

#endif
