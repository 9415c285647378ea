/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"

void progress_init(struct progress *p, FILE *out)
{
	*p = (struct progress){ .out = isatty(fileno(out)) ? out : NULL };
}

/* What is left, by runs or by time, whichever ends first; -1: unknown. */
static double seconds_left(const struct campaign_news *n)
{
	double left = -1;

	if (n->wanted && n->made)
		left = n->seconds * (double)(n->wanted - n->made) /
		       (double)n->made;
	if (n->seconds_wanted > 0 &&
	    (left < 0 || n->seconds_wanted - n->seconds < left))
		left = n->seconds_wanted - n->seconds;
	return left;
}

static char *left_text(double seconds)
{
	if (seconds < 0)
		return xstrdup("");
	if (seconds < 100)
		return xasprintf(", %.0f s left", seconds);
	if (seconds < 6000)
		return xasprintf(", %.0f min left", seconds / 60);
	return xasprintf(", %.1f h left", seconds / 3600);
}

char *progress_text(const struct campaign_news *n)
{
	double rate = n->seconds > 0 ? (double)n->made / n->seconds : 0;
	char *left = left_text(seconds_left(n));
	char *wanted = n->wanted ? xasprintf(" of %" PRIu64, n->wanted) :
				   xstrdup("");
	char *text = xasprintf("%" PRIu64 "%s runs, %.0f/s, %" PRIu64
			       " schedules, %" PRIu64 " %s%s",
			       n->made, wanted, rate, n->distinct, n->failures,
			       n->failures == 1 ? "failure" : "failures", left);

	free(left);
	free(wanted);
	return text;
}

void progress_tell(void *to, const struct campaign_news *news)
{
	struct progress *p = to;
	char *text;

	if (!p->out)
		return;
	text = progress_text(news);
	fprintf(p->out, "\r%s\033[K", text);
	fflush(p->out);
	free(text);
	p->is_on = true;
}

void progress_done(struct progress *p)
{
	if (p->is_on) {
		fputs("\r\033[K", p->out);
		fflush(p->out);
	}
	p->is_on = false;
}
