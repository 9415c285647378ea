/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REPORTING_H
#define HEDDLE_REPORTING_H

/*
 * The page of a store, <store>/report/index.html, which is replaced each time.
 */

#include "report/document.h"

/* The caller frees `path`. */
MUST_USE int reporting_page(const struct document *d, const char *store,
			    char **path, struct err *err);

/* The page after a test: its failures with all evidence, those that were kept
 * before as they were kept, and every test on record. */
MUST_USE int reporting_after_test(const struct document_bug *bugs, size_t count,
				  const char *store, char **path,
				  struct err *err);

#endif
