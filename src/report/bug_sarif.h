/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_BUG_SARIF_H
#define HEDDLE_BUG_SARIF_H

/*
 * The bugs of a document as SARIF. Of a run with very many steps a code flow
 * has those at which the turn passed and those to look at first; without a
 * witness, the steps of the schedule.
 */

#include "report/document.h"

/* `root`: directory of the sources; NULL: none. */
void bug_sarif_write(const struct document *d, const char *root, FILE *out);

/* The id of the rule that a kind of outcome breaks: "use-after-free"; the
 * caller frees. */
char *bug_sarif_rule(const char *kind);

#endif
