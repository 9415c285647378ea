/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doubt.h"

#include <inttypes.h>

bool doubt_is_at_rate(const struct evidence *e)
{
	return rules_are_there(&e->repro->plan->rules);
}

static void rate_print(const struct evidence *e, FILE *out)
{
	fputs("comes again at a rate: it broke in a run on all processors, and "
	      "is kept by rules\n  that hold threads up; no schedule was found "
	      "that gives it every time\n",
	      out);
	if (e->times && !e->same)
		fprintf(out,
			"not certain: it did not come again in %" PRIu32
			" replays; more of them may show it\n",
			e->times);
}

/* The one replay that is to tell more went another way. */
static bool is_gone(const struct evidence *e)
{
	return !e->witness && !e->times && e->note;
}

void doubt_print(const struct evidence *e, FILE *out)
{
	static const char part[] =
		"Something\n  besides the order of threads had a part in it, "
		"such as files that all runs\n  share: --exec gives each run a "
		"directory of its own\n";

	if (doubt_is_at_rate(e))
		rate_print(e, out);
	else if (is_gone(e))
		fprintf(out,
			"not certain: its schedule was run again, and it did "
			"not come back. %s",
			part);
	else if (e->same < e->times)
		fprintf(out,
			"not certain: %" PRIu32 " of %" PRIu32
			" runs of its schedule went another way. %s",
			e->times - e->same, e->times, part);
}
