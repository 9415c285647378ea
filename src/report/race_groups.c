/* SPDX-License-Identifier: Apache-2.0 */
#include "report/race_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct key {
	uint64_t hash;
	char *text;
};

size_t race_object_length(const char *name)
{
	const char *end = NULL;

	if (strncmp(name, "global ", 7) == 0)
		return 7 + strcspn(name + 7, ".[");
	if (strncmp(name, "stack of ", 9) == 0)
		end = strchr(name, ',');
	else
		end = strstr(name, ", +");
	return end ? (size_t)(end - name) : strlen(name);
}

static const char *function_of(const struct report *r, uint32_t stack)
{
	struct site_chain c = stack_resolve(r->sites, stack);

	return c.count && c.frames[0].function ? c.frames[0].function : "?";
}

static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

static struct key key_of(const struct report *r, const struct race_finding *f)
{
	char *name = location_name(&f->where, f->addr, f->size, r->sites);
	const char *a = function_of(r, f->first.stack);
	const char *b = function_of(r, f->second.stack);
	bool in_order = strcmp(a, b) <= 0;
	struct key k = { .text = xasprintf(
				 "%.*s\n%s\n%s", (int)race_object_length(name),
				 name, in_order ? a : b, in_order ? b : a) };

	k.hash = hash(k.text);
	free(name);
	return k;
}

static size_t first_like(const struct key *keys, size_t n)
{
	size_t i = 0;

	while (keys[i].hash != keys[n].hash ||
	       strcmp(keys[i].text, keys[n].text) != 0)
		i++;
	return i;
}

size_t *race_groups(const struct report *r)
{
	struct key *keys = xcalloc(r->race_count + 1, sizeof(*keys));
	size_t *first = xcalloc(r->race_count + 1, sizeof(*first));

	for (size_t i = 0; i < r->race_count; i++) {
		keys[i] = key_of(r, &r->races[i]);
		first[i] = first_like(keys, i);
	}
	for (size_t i = 0; i < r->race_count; i++)
		free(keys[i].text);
	free(keys);
	return first;
}
