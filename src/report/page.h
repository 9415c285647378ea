/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_PAGE_H
#define HEDDLE_PAGE_H

/*
 * The document as a page: one HTML file that holds its style, its script and
 * its data, and asks nobody for anything. src/report/page/ has the parts as a
 * person wrote them; the build makes them arrays of bytes.
 */

#include "report/document.h"

extern const unsigned char page_html[], page_css[];
extern const unsigned char lanes_js[], overview_js[], linear_js[], page_js[];

void page_write(const struct document *d, FILE *out);

#endif
