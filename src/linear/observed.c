/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/observed.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"

struct observed *observed_new(void)
{
	return xcalloc(1, sizeof(struct observed));
}

void observed_free(struct observed *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->requests.count; i++) {
		blob_done(&o->requests.at[i].input);
		blob_done(&o->requests.at[i].output);
	}
	vec_free(&o->requests);
	components_done(&o->state);
	free(o->words);
	free(o);
}

/* ---- the log ---- */

static struct observed_request *request_of(struct observed *o, uint32_t thread,
					   uint32_t nth)
{
	for (size_t i = o->requests.count; i-- > 0;)
		if (o->requests.at[i].client == thread &&
		    o->requests.at[i].nth == nth)
			return &o->requests.at[i];
	return NULL;
}

static void take_request(struct observed *o, const struct linear_entry *e,
			 struct blob value, uint32_t place)
{
	struct observed_request *r;

	if (e->kind == LINEAR_BEGIN) {
		vec_push(&o->requests,
			 (struct observed_request){ .client = e->thread,
						    .nth = e->nth,
						    .input = blob_copy(value),
						    .begin = place });
		return;
	}
	r = request_of(o, e->thread, e->nth);
	if (!r || r->end)
		return;
	r->output = blob_copy(value);
	r->end = place;
}

static void take_change(struct observed *o, const struct linear_entry *e,
			const char *bytes)
{
	char *name = xmalloc((size_t)e->name_size + 1);
	/* The log is not written any more, and blobs are copied. */
	char *at = (char *)(uintptr_t)bytes + e->name_size;

	memcpy(name, bytes, e->name_size);
	name[e->name_size] = '\0';
	component_change(
		components_get(&o->state, name, (enum linear_kind)e->kind),
		(enum linear_change)e->change,
		(struct blob){ .at = at, .size = e->key_size },
		(struct blob){ .at = at + e->key_size, .size = e->value_size });
	free(name);
}

/* The guest writes the log, so it is believed no more than a file. */
static bool is_whole(const struct linear_entry *e, uint32_t left)
{
	return e->size >= sizeof(*e) && e->size <= left && e->size % 8 == 0 &&
	       sizeof(*e) + e->name_size + (uint64_t)e->key_size +
			       e->value_size <=
		       e->size;
}

void observed_take_log(struct observed *o, const struct linear_block *block,
		       bool with_requests)
{
	uint32_t used = atomic_load(&block->log_used), place = 0;

	if (used > LINEAR_LOG)
		used = LINEAR_LOG;
	for (uint32_t at = 0; used - at >= sizeof(struct linear_entry);) {
		const char *bytes = (const char *)block->log + at;
		struct linear_entry e;

		memcpy(&e, bytes, sizeof(e));
		if (!is_whole(&e, used - at))
			break;
		bytes += sizeof(e);
		at += e.size;
		if (e.kind < LINEAR_KINDS)
			take_change(o, &e, bytes);
		else if (with_requests && e.kind != LINEAR_SUMMARY)
			take_request(
				o, &e,
				(struct blob){ .at = (char *)(uintptr_t)bytes,
					       .size = e.value_size },
				++place);
	}
	o->lost = block->lost;
}

/* ---- the whole ---- */

static int by_client(const void *a, const void *b)
{
	const struct observed_request *x = a, *y = b;

	if (x->client != y->client)
		return x->client < y->client ? -1 : 1;
	return (x->nth > y->nth) - (x->nth < y->nth);
}

void observed_seal(struct observed *o)
{
	if (o->requests.count)
		qsort(o->requests.at, o->requests.count,
		      sizeof(*o->requests.at), by_client);
	components_seal(&o->state);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	uint64_t both[2] = { hash, value };

	return XXH3_64bits(both, sizeof(both));
}

/* Which of two began and ended first matters only as far as one was over when
 * the other began. */
static uint64_t hash_order(const struct observed *o, uint64_t hash)
{
	for (size_t i = 0; i < o->requests.count; i++)
		for (size_t k = 0; k < o->requests.count; k++)
			hash = mix(hash,
				   o->requests.at[i].end &&
					   o->requests.at[i].end <
						   o->requests.at[k].begin);
	return hash;
}

uint64_t observed_hash(const struct observed *o)
{
	uint64_t hash = mix((uint64_t)o->end, o->lost);

	hash = mix(hash,
		   o->words ? XXH3_64bits(o->words, strlen(o->words)) : 0);
	for (size_t i = 0; i < o->requests.count; i++) {
		const struct observed_request *r = &o->requests.at[i];

		hash = mix(hash, ((uint64_t)r->client << 32) + r->nth);
		hash = mix(hash, blob_hash(r->input));
		hash = mix(hash, blob_hash(r->output));
	}
	for (size_t i = 0; i < o->state.all.count; i++) {
		const struct component *c = &o->state.all.at[i];

		hash = mix(hash, XXH3_64bits(c->name, strlen(c->name)));
		hash = mix(hash, c->hash);
	}
	return hash_order(o, hash);
}
