/* SPDX-License-Identifier: Apache-2.0 */
#include "explore/interleavings.h"

#include "analysis/unserial.h"

/* Bytes, from `low` up to `high`. */
struct overlap {
	uint64_t low, high;
};

static struct overlap bytes_of(const struct traced *e)
{
	return (struct overlap){ e->object, e->object + e->size };
}

static struct overlap common(struct overlap a, struct overlap b)
{
	return (struct overlap){ a.low > b.low ? a.low : b.low,
				 a.high < b.high ? a.high : b.high };
}

static bool is_empty(struct overlap o)
{
	return o.low >= o.high;
}

static int pattern_of(const struct traced *p, const struct traced *r,
		      const struct traced *c)
{
	if (traced_writes(r) && traced_writes(p) && traced_reads(c))
		return UNSERIAL_WWR;
	if (traced_writes(r) && !traced_writes(p))
		return traced_writes(c) ? UNSERIAL_RWW : UNSERIAL_RWR;
	if (traced_reads(r) && traced_writes(p) && traced_writes(c))
		return UNSERIAL_WRW;
	return -1;
}

static void add(struct interleavings *s, const struct traced *p,
		const struct traced *r, const struct traced *c)
{
	int pattern = pattern_of(p, r, c);
	struct interleaving_seen one = { p->site, r->site, c->site,
					 (uint8_t)pattern };

	if (pattern < 0)
		return;
	for (size_t i = 0; i < s->all.count; i++) {
		const struct interleaving_seen *o = &s->all.at[i];

		if (o->p == one.p && o->r == one.r && o->c == one.c &&
		    o->pattern == one.pattern)
			return;
	}
	vec_push(&s->all, one);
}

/* The access of C's thread before it to one of its bytes, or NULL. */
static const struct traced *preceding(const struct run_trace *t,
				      const struct traced *c)
{
	for (const struct traced *p = c; p-- > t->lines;)
		if (p->thread == c->thread && traced_is_access(p) &&
		    !is_empty(common(bytes_of(p), bytes_of(c))))
			return p;
	return NULL;
}

void interleavings_add(struct interleavings *s, const struct run_trace *t)
{
	for (uint32_t i = 0; i < t->line_count; i++) {
		const struct traced *c = &t->lines[i], *p;
		struct overlap both;

		p = traced_is_access(c) ? preceding(t, c) : NULL;
		if (!p)
			continue;
		both = common(bytes_of(p), bytes_of(c));
		for (const struct traced *r = p + 1; r < c; r++)
			if (r->thread != c->thread && traced_is_access(r) &&
			    !is_empty(common(bytes_of(r), both)))
				add(s, p, r, c);
	}
}
