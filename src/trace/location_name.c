/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations in words.
 */
#include "trace/location.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* The place in the user's own code where something was made: allocations by
 * templates of a library stand in the library's headers. */
static const struct frame *frame_of_user(struct site_chain chain)
{
	const struct frame *first = NULL;

	for (size_t i = 0; i < chain.count; i++) {
		const struct frame *f = &chain.frames[i];

		if (!f->file || !f->line)
			continue;
		if (strncmp(f->file, "/usr/", 5) != 0)
			return f;
		if (!first)
			first = f;
	}
	return first;
}

/* " allocated at list.c:31", or nothing if that is not known. */
static char *maker_text(const struct location *where, struct sites *sites,
			const char *verb)
{
	struct site_chain chain = stack_resolve(sites, where->stack);
	const struct frame *f = frame_of_user(chain);
	const char *slash = f ? strrchr(f->file, '/') : NULL;

	if (f)
		return xasprintf(" %s at %s:%d", verb,
				 slash ? slash + 1 : f->file, f->line);
	if (chain.count && chain.frames[0].function)
		return xasprintf(" %s in %s", verb, chain.frames[0].function);
	return xstrdup("");
}

static char *block_name(const struct location *where, struct sites *sites,
			const char *gone, const char *what, const char *verb)
{
	char *maker = maker_text(where, sites, verb);
	char *name = xasprintf("%s%s of %llu byte%s%s, +%llu",
			       where->is_gone ? gone : "", what,
			       (unsigned long long)where->size,
			       where->size == 1 ? "" : "s", maker,
			       (unsigned long long)where->offset);

	free(maker);
	return name;
}

static char *data_name(uint64_t addr, uint64_t size, struct sites *sites)
{
	const char *variable = global_name(sites, addr, size);
	char *name, *place;

	if (variable)
		return xasprintf("global %s", variable);
	place = address_name(sites, addr);
	if (!place)
		return xasprintf("address 0x%llx", (unsigned long long)addr);
	name = xasprintf("data at %s", place);
	free(place);
	return name;
}

char *location_name(const struct location *where, uint64_t addr, uint64_t size,
		    struct sites *sites)
{
	switch (where->kind) {
	case LOCATION_GLOBAL:
		return data_name(addr, size, sites);
	case LOCATION_HEAP:
		return block_name(where, sites, "freed ", "heap block",
				  "allocated");
	case LOCATION_MAPPED:
		return block_name(where, sites, "unmapped ", "mapping",
				  "mapped");
	case LOCATION_STACK:
		return xasprintf("stack of thread %u, %llu bytes below its top",
				 where->owner,
				 (unsigned long long)where->offset);
	case LOCATION_UNKNOWN:
		break;
	}
	return xasprintf("address 0x%llx", (unsigned long long)addr);
}
