/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_DOCUMENT_H
#define HEDDLE_DOCUMENT_H

/*
 * What is known of failures, as one JSON document (docs/formats.md, "The
 * report"; docs/report.schema.json): what the page shows is in it, and nothing
 * else is shown. Written piece by piece, since a run may have very many steps.
 * The caller owns everything.
 */

#include "report/culprit.h"
#include "report/witness.h"
#include "store/repro.h"

#include <jansson.h>
#include <stdio.h>

enum { DOCUMENT_VERSION = 1 };

struct document_bug {
	const struct repro *repro;
	const struct witness *witness; /* NULL: it could not be run again */
	struct culprit culprit;	       /* if there is a witness */
	const char *note;	       /* what is missing and why; or NULL */
	uint32_t same, times; /* replays that gave the failure, of how many */
	json_t *located;      /* what locate found, or NULL */
	json_t *linear;	      /* what linear saw, or NULL */
};

struct document {
	const struct document_bug *bugs;
	size_t count;
	json_t *tests; /* array of what was tested (tested.h), or NULL */
};

/* `is_in_page`: no character that HTML knows is left as it is. */
void document_write(const struct document *d, bool is_in_page, FILE *out);

/* "use after free" */
const char *document_kind(const struct repro *r);

#endif
