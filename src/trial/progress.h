/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PROGRESS_H
#define HEDDLE_PROGRESS_H

/*
 * A line on a terminal that says how far a campaign is; nothing where nobody
 * looks. It is rewritten in place, and gone at the end.
 */

#include "trial/campaign.h"

#include <stdio.h>

struct progress {
	FILE *out;  /* NULL: nobody looks */
	bool is_on; /* a line stands there */
};

/* `out` counts only if it is a terminal. */
void progress_init(struct progress *p, FILE *out);

/* For campaign_options.tell; `to` is the struct progress. */
void progress_tell(void *to, const struct campaign_news *news);
void progress_done(struct progress *p);

/* The line itself, for a width; the caller frees. */
char *progress_text(const struct campaign_news *news);

#endif
