/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an inquiry has found out, for whoever tells of it.
 */
#include "locate/inquiry.h"
#include "locate/table_row.h"

static struct pair_end end_from(const struct deed *d, struct effect does)
{
	return (struct pair_end){ .place = d->place,
				  .way = d->way,
				  .thread = d->thread,
				  .count = d->count,
				  .kind = !does.writes ? PAIR_READ :
					  does.reads   ? PAIR_UPDATE :
							 PAIR_WRITE };
}

static struct effect effect_of(const struct deed *d)
{
	return (struct effect){ .reads = d->reads, .writes = d->writes };
}

/* Of one variable, what comes behind counts for the last access alone: that of
 * others is behind an access of the other thread. */
static struct effect does(const struct cycle *c, const struct deed *d,
			  struct effect whole)
{
	const struct deed *last = c->back[0].count > c->there[0].count ?
					  &c->back[0] :
					  &c->there[1];

	return !c->is_single || d == last ? whole : effect_of(d);
}

struct diagnosis inquiry_diagnosis(const struct inquiry *q)
{
	const struct cycle *c = &q->cycle;

	if (!q->is_cycle)
		return (struct diagnosis){
			.kind = BUG_ORDER,
			.row = row_of_order(effect_of(&c->there[0]),
					    effect_of(&c->there[1])),
		};
	return (struct diagnosis){
		.kind = c->is_single ? BUG_SINGLE : BUG_MULTI,
		.row = c->row,
		.there = { .head = end_from(&c->there[0],
					    does(c, &c->there[0],
						 c->there_does[0])),
			   .tail = end_from(&c->there[1],
					    does(c, &c->there[1],
						 c->there_does[1])),
			   .times = 1,
			   .addr = c->there[0].addr },
		.has_other = true,
		.other = { .head = end_from(&c->back[1], does(c, &c->back[1],
							      c->back_does[1])),
			   .tail = end_from(&c->back[0], does(c, &c->back[0],
							      c->back_does[0])),
			   .times = 1,
			   .addr = c->back[0].addr },
		.is_other_missing = c->back[0].when == DEED_NEVER,
		.is_before = c->back[0].count <= c->there[0].count,
		.has_there = true,
	};
}

const struct deed *inquiry_there(const struct inquiry *q)
{
	for (int i = 0; q->is_known && i < 2; i++)
		if (!q->cycle.there[i].is_next)
			return &q->cycle.there[i];
	return NULL;
}

const struct deed *inquiry_back(const struct inquiry *q)
{
	return q->is_known && q->is_cycle ? &q->cycle.back[1] : NULL;
}

static bool is_among(const struct deed *d, const struct cycle *c)
{
	for (int i = 0; i < 2; i++)
		if ((d->thread == c->there[i].thread &&
		     d->place == c->there[i].place) ||
		    (d->thread == c->back[i].thread &&
		     d->place == c->back[i].place))
			return true;
	return false;
}

bool inquiry_is_same(const struct inquiry *q, const struct cycle *c)
{
	const struct cycle *own = &q->cycle;

	return q->is_known && q->is_cycle && is_among(&own->there[0], c) &&
	       is_among(&own->there[1], c) && is_among(&own->back[0], c) &&
	       is_among(&own->back[1], c) && is_among(&c->there[0], own) &&
	       is_among(&c->there[1], own) && is_among(&c->back[0], own) &&
	       is_among(&c->back[1], own);
}

/* ---- switches ---- */

static bool is_cut(const struct inquiry *q, int side, uint64_t since)
{
	const struct deed *at = q->failing.by[side].at;

	return at[q->low[side]].when <= since && at[q->high[side]].when > since;
}

/* Thread `side` gave the turn up after moment `since`, and has it again at
 * `until`. */
static bool is_realised(const struct inquiry *q, int side, uint64_t since,
			uint64_t until)
{
	const struct deed *there = q->cycle.there;
	const struct deed *back = q->cycle.back;

	if (is_cut(q, side, since))
		return true;
	if (side == 1)
		return there[1].when >= until && there[0].when > since &&
		       there[0].when < until;
	return q->is_cycle && back[0].when >= until && back[1].when > since &&
	       back[1].when < until;
}

static size_t turn_again(const struct deeds *d, size_t turn)
{
	size_t n = turn + 1;

	while (n < d->turns.count &&
	       d->turns.at[n].thread != d->turns.at[turn].thread)
		n++;
	return n;
}

bool inquiry_realises(const struct inquiry *q, uint16_t from, uint32_t place,
		      uint16_t to)
{
	const struct deeds *d = &q->failing;

	for (size_t i = 0; i + 1 < d->turns.count; i++) {
		uint64_t until = DEED_NEVER;
		size_t again = turn_again(d, i);

		if (d->turns.at[i].thread != from ||
		    d->turns.at[i + 1].thread != to)
			continue;
		if (again < d->turns.count) {
			if (place && d->turns.at[again].place != place)
				continue;
			until = d->turns.at[again].first;
		}
		for (int side = 0; side < 2; side++)
			if (d->thread[side] == from &&
			    is_realised(q, side, d->turns.at[i].last, until))
				return true;
	}
	return false;
}

bool inquiry_is_chosen(const struct inquiry *q, uint16_t from, bool has_ended,
		       uint16_t to)
{
	const struct deeds *d = &q->failing;
	const struct deed *there = q->cycle.there;

	for (size_t i = 0; i + 1 < d->turns.count; i++) {
		const struct deed_turn *next = &d->turns.at[i + 1];

		if (d->turns.at[i].thread == from &&
		    d->turns.at[i].is_over == has_ended && next->thread == to &&
		    there[0].thread == to && there[0].when >= next->first &&
		    there[0].when <= next->last && there[1].when > next->first)
			return true;
	}
	return false;
}
