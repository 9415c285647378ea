/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/event_bytes.h"

#include "format/codec.h"

uint32_t event_bytes_count(const uint8_t *bytes, size_t size)
{
	const uint8_t *p = bytes, *end = bytes + size;
	struct codec codec = { 0 };
	struct event e;
	uint32_t count = 0;

	while (p < end && (p = codec_get_event(&codec, p, end, &e)))
		count += 1 + codec_skip_run(&codec, &p);
	return count;
}

uint64_t event_bytes_least_stamp(uint64_t first_stamp, const uint8_t *bytes,
				 size_t size)
{
	struct codec codec = { .stamp = first_stamp };
	struct event e;

	if (!codec_get_event(&codec, bytes, bytes + size, &e) ||
	    codec.stamp < first_stamp)
		return first_stamp;
	return codec.stamp;
}
