/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/serial_orders.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/vec.h"

/* An execution that is known, with its order. */
struct known {
	uint32_t order[ORDERS_REQUESTS];
	int execution;
};

struct search {
	const struct orders_question *q;
	const struct orders_source *source;
	struct orders_result *result;
	struct err *err;
	VEC(struct known) known;
	VEC(uint64_t) seen; /* sets of requests with a state, in vain */
	uint32_t prefix[ORDERS_REQUESTS];
	bool is_short; /* of budget */
};

enum outcome { FITS, FAILS, ERROR };

/* ---- what may come next ---- */

/* All that was over before it began is done. */
static bool can_come(const struct orders_question *q, uint32_t done, uint32_t r)
{
	if (done & UINT32_C(1) << r)
		return false;
	for (uint32_t i = 0; i < q->count; i++)
		if (!(done & UINT32_C(1) << i) && i != r &&
		    q->before[i] & UINT32_C(1) << r)
			return false;
	return true;
}

/* The same but for two neighbours the other way round: that one is tried. */
static bool is_mirrored(const struct orders_question *q, uint32_t last,
			uint32_t r)
{
	return r < last && q->apart[last] & UINT32_C(1) << r &&
	       !(q->before[last] & UINT32_C(1) << r);
}

/* Any whole order that begins so. */
static void complete(const struct orders_question *q, uint32_t *order,
		     uint32_t length)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < length; i++)
		done |= UINT32_C(1) << order[i];
	while (length < q->count) {
		uint32_t r = 0;

		while (r < q->count && !can_come(q, done, r))
			r++;
		CHECK(r < q->count);
		order[length++] = r;
		done |= UINT32_C(1) << r;
	}
}

/* ---- executions ---- */

static const struct known *find(const struct search *s, uint32_t length)
{
	for (size_t i = 0; i < s->known.count; i++)
		if (memcmp(s->known.at[i].order, s->prefix,
			   length * sizeof(*s->prefix)) == 0)
			return &s->known.at[i];
	return NULL;
}

/* An execution that begins as the prefix does; -1: there was an error,
 * ORDERS_IMPOSSIBLE also when the budget is spent. */
static int execution_of(struct search *s, uint32_t length)
{
	const struct known *known = find(s, length);
	struct known new;
	bool was_known = false;

	if (known)
		return known->execution;
	if (s->result->made >= s->q->budget) {
		s->is_short = true;
		return ORDERS_IMPOSSIBLE;
	}
	memcpy(new.order, s->prefix, sizeof(new.order));
	complete(s->q, new.order, length);
	new.execution = s->source->serve(s->source->arg, new.order, s->q->count,
					 &was_known, s->err);
	if (new.execution == -1)
		return -1;
	s->result->made += !was_known;
	vec_push(&s->known, new);
	return new.execution;
}

/* An order that the program cannot serve says nothing about others that begin
 * the same way: they are tried to their end. */
static int possible_of(struct search *s, uint32_t length)
{
	for (size_t i = 0; i < s->known.count; i++)
		if (s->known.at[i].execution >= 0 &&
		    memcmp(s->known.at[i].order, s->prefix,
			   length * sizeof(*s->prefix)) == 0)
			return s->known.at[i].execution;
	return execution_of(s, length);
}

/* ---- beginnings that came to nothing ---- */

static uint64_t memo_key(const struct search *s, int execution, uint32_t done,
			 uint32_t length)
{
	uint64_t key[2] = { done, 0 };

	if (!s->source->state_after || execution < 0)
		return 0;
	key[1] = s->source->state_after(s->source->arg, execution, length);
	return key[1] ? XXH3_64bits(key, sizeof(key)) : 0;
}

static bool was_in_vain(const struct search *s, uint64_t key)
{
	for (size_t i = 0; key && i < s->seen.count; i++)
		if (s->seen.at[i] == key)
			return true;
	return false;
}

/* ---- the search ---- */

static enum outcome extend(struct search *s, uint32_t length, uint32_t done);

static enum outcome at_end(struct search *s, int execution)
{
	if (execution < 0 || !s->source->leaves(s->source->arg, execution))
		return FAILS;
	memcpy(s->result->order, s->prefix, sizeof(s->prefix));
	return FITS;
}

/* The prefix, with its last request just added. */
static enum outcome look(struct search *s, uint32_t length, uint32_t done)
{
	uint32_t last = s->prefix[length - 1];
	int execution = possible_of(s, length);
	enum outcome outcome;
	uint64_t key;

	s->result->looked++;
	if (execution == -1)
		return ERROR;
	if (execution >= 0 &&
	    !s->source->replies(s->source->arg, execution, last))
		return FAILS;
	if (length == s->q->count)
		return at_end(s, execution);
	key = memo_key(s, execution, done, length);
	if (was_in_vain(s, key))
		return FAILS;
	outcome = extend(s, length, done);
	if (outcome == FAILS && key && !s->is_short)
		vec_push(&s->seen, key);
	return outcome;
}

static enum outcome extend(struct search *s, uint32_t length, uint32_t done)
{
	const struct orders_question *q = s->q;

	for (uint32_t r = 0; r < q->count && !s->is_short; r++) {
		enum outcome outcome;

		if (!can_come(q, done, r) ||
		    (length && is_mirrored(q, s->prefix[length - 1], r)))
			continue;
		s->prefix[length] = r;
		outcome = look(s, length + 1, done | UINT32_C(1) << r);
		if (outcome != FAILS)
			return outcome;
	}
	return FAILS;
}

int orders_search(const struct orders_question *q,
		  const struct orders_source *source,
		  struct orders_result *result, struct err *err)
{
	struct search s = {
		.q = q, .source = source, .result = result, .err = err
	};
	enum outcome outcome;

	CHECK(q->count <= ORDERS_REQUESTS);
	*result = (struct orders_result){ 0 };
	outcome = q->count ? extend(&s, 0, 0) : FITS;
	result->answer = outcome == FITS ? ORDERS_FIT :
			 s.is_short	 ? ORDERS_UNKNOWN :
					   ORDERS_NONE;
	vec_free(&s.known);
	vec_free(&s.seen);
	return outcome == ERROR ? -1 : 0;
}

/* ---- all orders ---- */

struct listing {
	const struct orders_question *q;
	uint32_t prefix[ORDERS_REQUESTS];
	uint32_t *orders;
	uint32_t count, most;
};

static void list(struct listing *l, uint32_t length, uint32_t done)
{
	uint32_t n = l->q->count;

	if (l->count == l->most)
		return;
	if (length == n) {
		memcpy(l->orders + (size_t)l->count * n, l->prefix,
		       n * sizeof(*l->prefix));
		l->count++;
		return;
	}
	for (uint32_t r = 0; r < n; r++) {
		if (!can_come(l->q, done, r))
			continue;
		l->prefix[length] = r;
		list(l, length + 1, done | UINT32_C(1) << r);
	}
}

uint32_t orders_list(const struct orders_question *q, uint32_t *orders,
		     uint32_t most)
{
	struct listing l = { .q = q, .orders = orders, .most = most };

	list(&l, 0, 0);
	return l.count;
}
