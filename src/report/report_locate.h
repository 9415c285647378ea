/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORT_LOCATE_H
#define HEDDLE_REPORT_LOCATE_H

/*
 * What heddle locate found: a page for a person, an object for a tool, SARIF
 * for a code host. As in report.h, printing decides nothing.
 */

#include "locate/locate.h"

#include <stdio.h>

/* `width`: columns of the terminal; 0: lines may be long. */
void report_locate_text(const struct located *l, size_t width, FILE *out);

/* One JSON object, described in heddle-locate(1). */
void report_locate_json(const struct located *l, FILE *out);

void report_locate_sarif(const struct located *l, FILE *out);

#endif
