/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/site_states.h"

#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

/* Sites are numbered from module to module, so the last one ends them all. */
static uint32_t sites_end(const struct region *r)
{
	uint32_t count = atomic_load(&r->module_count);
	uint64_t end = 0;

	for (uint32_t i = 0; i < count; i++)
		if (r->modules[i].site + (uint64_t)r->modules[i].size > end)
			end = r->modules[i].site + (uint64_t)r->modules[i].size;
	return end < CONTROL_SITES ? (uint32_t)end : CONTROL_SITES;
}

/* The next stretch of the file that is no hole, within the limits: false when
 * there is none. Where the file cannot say, all of it is. */
static bool stretch_next(int fd, off_t *from, off_t *to, off_t end)
{
	off_t begin = lseek(fd, *to, SEEK_DATA), hole;

	if (begin < 0)
		return false;
	hole = lseek(fd, begin, SEEK_HOLE);
	if (begin >= end)
		return false;
	*from = begin;
	*to = hole < 0 || hole > end ? end : hole;
	return true;
}

uint8_t *site_states_take(const struct worker *w, uint32_t *count)
{
	const uint8_t *sites = w->control->sites;
	off_t base = (off_t)(sites - (const uint8_t *)w->region);
	off_t from, to = base, end;
	uint8_t *states;

	*count = sites_end(w->region);
	end = base + (off_t)*count;
	states = xcalloc((size_t)*count + 1, 1);
	while (to < end && stretch_next(w->drain.fd, &from, &to, end))
		memcpy(states + (from - base), sites + (from - base),
		       (size_t)(to - from));
	return states;
}

void site_states_give(struct worker *w, const uint8_t *states, uint32_t count)
{
	enum { PAGE = 4096 };
	static const uint8_t nothing[PAGE];

	for (uint32_t i = 0, size; i < count; i += size) {
		size = count - i < PAGE ? count - i : PAGE;
		if (memcmp(states + i, nothing, size) != 0)
			memcpy(w->control->sites + i, states + i, size);
	}
}
