/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an exploration comes to: complete, or what is left and what may hide
 * behind what was seen, in words.
 */
#include "explore/search_kind.h"

#include <inttypes.h>

#include "format/event.h"

static void why(struct explorer *x, const char *text)
{
	vec_push(&x->result->why, xstrdup(text));
}

static const char *kind_text(uint32_t kind)
{
	static const char *const texts[] = {
#define EVENT(name, text, fields, order) text,
#include "format/event.def"
#undef EVENT
	};

	return kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "?";
}

static void why_unmodelled(struct explorer *x)
{
	/* The first bits serve for kinds beyond the last one as well: reads
	 * and writes, whose they are, are always modelled. */
	for (uint32_t bit = 0; bit < 64; bit++) {
		uint32_t k = bit <= EVENT_WRITE ? bit + 64 : bit;

		if (!(x->unmodelled >> bit & 1))
			continue;
		if (k == EVENT_TIME)
			why(x, "the program reads the clock");
		else if (k == EVENT_THREAD_END)
			why(x, "threads that come to no end were cut off by "
			       "the end of the program");
		else
			vec_push(&x->result->why,
				 xasprintf("what %s does is not modelled",
					   kind_text(k)));
	}
}

static void why_gaps(struct explorer *x)
{
	static const struct {
		uint32_t gap;
		const char *text;
	} gaps[] = {
		{ GAP_OUTSIDE, "memory was changed by code without hooks" },
		{ GAP_TIME, "waits with a time limit were tried one way" },
		{ GAP_HANDED, "locks that conditions use were let go by other "
			      "threads than took them" },
		{ GAP_UNREAD, "accesses too wide to be told with values" },
		{ GAP_CUT, "runs too long to be told" },
		{ GAP_WINDOW, "runs were asked about in windows (--window): "
			      "events farther apart kept their order" },
		{ GAP_CHOICES, "reads of many variables at once" },
		{ GAP_BARRIER,
		  "which threads meet at a barrier was not varied" },
		{ GAP_WAITING, "threads waited yet when the program ended; "
			       "--search dpor tries whether they must" },
		{ GAP_REMADE, "locks or the like were made or destroyed while "
			      "other threads could use them; --search dpor "
			      "tries both orders" },
		{ GAP_BLENDS, "fields of a few bits that share a word were "
			      "written without a common lock, each write in "
			      "one step" },
	};

	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
		if (x->gaps & gaps[i].gap)
			why(x, gaps[i].text);
}

/* Without points at accesses, orders of synchronisation are all there is. That
 * is everything where no run of them has a race: between two points a thread
 * meets nobody then, and the first schedule in which it could would show the
 * race. mcm asks for values, so it takes critical sections without any for
 * equal. */
static void why_coarse(struct explorer *x)
{
	uint32_t flags = x->o->ask.flags;

	if (!(flags & CONTROL_SYNC))
		return;
	if (x->o->search == SEARCH_MCM)
		why(x, "threads changed at synchronisation and atomic "
		       "operations alone (--points sync); --search dpor "
		       "tries all orders of those");
	else if (!(flags & CONTROL_RECORD))
		why(x, "threads changed at synchronisation and atomic "
		       "operations alone (--points sync), and races were not "
		       "looked for (--fail-on race)");
}

void explorer_conclude(struct explorer *x)
{
	struct explore_result *r = x->result;

	r->left = x->kind->left(x->search) + x->dropped;
	if (x->is_erratic)
		vec_push(&r->why,
			 xasprintf("the same schedule gave two different runs "
				   "(at %s): something in the program is not "
				   "under control",
				   x->erratic));
	if (r->diverged)
		vec_push(&r->why,
			 xasprintf("%" PRIu64 " %s did not lead where %s "
				   "should have",
				   r->diverged,
				   r->diverged == 1 ? "schedule" : "schedules",
				   r->diverged == 1 ? "it" : "they"));
	if (r->unknown)
		why(x, "questions were given up");
	if (x->limits)
		why(x, "runs were given up at --max-points");
	if (x->uncontrolled)
		why(x, "runs were not controlled to their end");
	why_coarse(x);
	why_unmodelled(x);
	why_gaps(x);
	r->is_complete = !r->left && !r->why.count && r->runs &&
			 !r->campaign.stopped_by;
}
